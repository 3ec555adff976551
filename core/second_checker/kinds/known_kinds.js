/**
 * Return the kinds of proof by name.
 *
 * Each is a record: `answer`; `task` and `similarities`, the questions that it answers, if they are not
 * about the dimension for inner products; `members` and `optional`, readers by name; `form`, which
 * requires what no single member shows; `check`, which refuses a proof that does not hold; and, for
 * some that answer NO, `scope`: what `scopeOf` returns where the members do not say it.
 */
function knownKinds() {
  return KINDS.value ??= new Map([
    ["embedding", EMBEDDING],
    ["self-attention", SELF_ATTENTION],
    ["moment-curve", MOMENT_CURVE],
    ["merged", MERGED],
    ["components", COMPONENTS],
    ["key-order", KEY_ORDER],
    ["caps", CAPS],
    ["balls", BALLS],
    ["factors", FACTORS],
    ["partial-embedding", PARTIAL_EMBEDDING],
    ["unit-embedding", UNIT_EMBEDDING],
    ["radon", RADON],
    ["shattering", SHATTERING],
    ["counting", COUNTING],
    ["forster", FORSTER],
    ["chirotope", CHIROTOPE],
    ["topological", TOPOLOGICAL],
    ["shared-chirotope", SHARED_CHIROTOPE],
    ["sign-clash", SIGN_CLASH],
    ["odd-cycle", ODD_CYCLE],
    ["inscription", INSCRIPTION],
    ["extended", EXTENDED],
    ["rank-refutation", RANK_REFUTATION],
    ["hitting-set", HITTING_SET],
    ["k-sets", K_SETS],
    ["margin-dual", MARGIN_DUAL],
  ]);
}

const KINDS = { value: undefined };
