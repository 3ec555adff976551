/**
 * Return the kinds of proof by name.
 *
 * Each is a record: `answer`; `members` and `optional`, readers by name; `form`, which requires what
 * no single member shows; `check`, which refuses a proof that does not hold; and for YES `dimension`.
 */
function knownKinds() {
  return KINDS.value ??= new Map([
    ["embedding", EMBEDDING],
    ["self-attention", SELF_ATTENTION],
    ["moment-curve", MOMENT_CURVE],
    ["merged", MERGED],
    ["components", COMPONENTS],
    ["radon", RADON],
    ["shattering", SHATTERING],
    ["counting", COUNTING],
    ["forster", FORSTER],
    ["chirotope", CHIROTOPE],
    ["topological", TOPOLOGICAL],
    ["shared-chirotope", SHARED_CHIROTOPE],
    ["sign-clash", SIGN_CLASH],
  ]);
}

const KINDS = { value: undefined };
