/** A document or pattern that cannot be read: exit status 2 of the command. */
class Unreadable extends Error {}

/** A proof that does not prove its answer: exit status 1; the message is the first reason. */
class Refusal extends Error {}

/** A proof that takes too much time or memory to check: refused, but it may be right. */
class TooLarge extends Refusal {}

/** Refuse to check the proof unless it is small enough; `reason` returns the words. */
function ensureSmallEnough(condition, reason) {
  if (!condition) throw new TooLarge(reason());
}

/** Refuse the proof unless the condition holds; `reason` returns the words. */
function ensure(condition, reason) {
  if (!condition) throw new Refusal(reason());
}
