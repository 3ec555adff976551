/**
 * Return the kinds of proof by name.
 *
 * Each is a record: `answer`; `members` and `optional`, readers by name; `form`, which requires what
 * no single member shows; and `check`, which refuses a proof that does not hold.
 */
function knownKinds() {
  return KINDS.value ??= new Map([
    ["embedding", EMBEDDING],
    ["self-attention", SELF_ATTENTION],
    ["moment-curve", MOMENT_CURVE],
    ["radon", RADON],
    ["shattering", SHATTERING],
    ["counting", COUNTING],
    ["sign-clash", SIGN_CLASH],
  ]);
}

const KINDS = { value: undefined };
