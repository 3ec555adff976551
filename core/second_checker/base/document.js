/* Certificates: one proof, bound to one pattern and one question. */

const DEEPEST_PROOF = 8;

/**
 * Read a certificate.
 *
 * @param {string} text
 * @returns {{pattern: object, problem: object, answer: string, proof: object}}
 */
function readCertificate(text) {
  const document = asObject(parseJson(text), "the certificate", [
    "format", "version", "pattern", "problem", "answer", "proof",
  ]);
  asChoice("samapprox-certificate")(document.get("format"), "format");
  asChoice(1)(document.get("version"), "version");
  const pattern = asRecord({ rows: asAlone, columns: asAlone, sha256: asSha256 })(document.get("pattern"), "pattern");
  const problem = readProblem(document.get("problem"), "problem");
  const answer = asChoice("YES", "NO")(document.get("answer"), "answer");
  const proof = readProof(document.get("proof"), "proof");
  if (proof.kind.answer !== answer) throw new Unreadable(`a proof of ${proof.kind.answer} cannot show ${answer}`);
  return { pattern, problem, answer, proof };
}

function asSha256(value, place) {
  if (typeof value !== "string" || !/^[0-9a-f]{64}$/.test(value)) {
    throw new Unreadable(`${place} must be 64 hexadecimal digits`);
  }
  return value;
}

/** The kinds of proof by name. Each file in kinds/ defines its own. */
const KINDS = new Map();

/**
 * Define a kind of proof.
 *
 * It is a record: `answer`; `task` and `similarities`, the questions that it answers, if they are not
 * about the dimension for inner products; `members` and `optional`, readers by name; `form`, which
 * requires what no single member shows; `check`, which refuses a proof that does not hold; and, for
 * some that answer NO, `scope`: what `scopeOf` returns where the members do not say it, and `reads`:
 * the entries [i, j] that a valid proof reads, if they are not all entries of its core.
 */
function defineKind(name, kind) {
  if (KINDS.has(name)) throw new Error(`the kind ${name} is defined twice`);
  KINDS.set(name, kind);
  return kind;
}

/** Read a proof that lies within `depth` others; its `kind` is a record of `KINDS`. */
function readProof(value, place, depth = 0) {
  if (depth > DEEPEST_PROOF) throw new Unreadable(`${place} lies within more than ${DEEPEST_PROOF} proofs`);
  if (!(value instanceof Map)) throw new Unreadable(`${place} must be an object`);
  const name = value.get("kind");
  const kind = KINDS.get(name);
  if (kind === undefined) throw new Unreadable(`${place}.kind is none of ${[...KINDS.keys()].join(", ")}`);
  const { members, optional = {}, form = () => {} } = kind;
  asObject(value, place, ["kind", ...Object.keys(members)], Object.keys(optional));
  const proof = { kind, ...readMembers(value, place, { ...members, ...optional }, depth) };
  form(proof, place);
  return proof;
}

/** Return a reader of members that are proofs themselves, of this answer. */
function asProofOf(answer) {
  return (value, place, depth) => {
    const proof = readProof(value, place, depth + 1);
    if (proof.kind.answer !== answer) throw new Unreadable(`${place} is not a proof of ${answer}`);
    return proof;
  };
}

const asWitness = asProofOf("YES");
const asRefutation = asProofOf("NO");

/** Refuse a proof that does not hold for the question, or answers others. */
function checkProof(question, proof) {
  checkAnswers(question, proof);
  proof.kind.check(question, proof);
}

/** Refuse a proof whose kind answers other questions: most are about dimensions, for inner products. */
function checkAnswers({ task, similarity }, { kind: { task: answered = "dimension", similarities = ["dot"] } }) {
  ensure(task === answered, () => `its kind answers questions of the task ${answered}, not ${task}`);
  ensure(similarities.includes(similarity), () => `its kind answers questions with ${similarities.join(" and ")}, not ${similarity}`);
}

function nameOfPattern({ rows, columns, sha256 }) {
  const size = `${rows} x ${columns}, sha256`;
  return { full: `${size} ${sha256}`, short: `${size} ${sha256.slice(0, 12)}..` };
}

/** Refuse a certificate that does not prove its answer for the pattern. */
function checkCertificate(certificate, pattern) {
  const { pattern: named, problem } = certificate;
  const [wanted, found] = [nameOfPattern(named), nameOfPattern({ ...pattern, sha256: pattern.fingerprint() })];
  ensure(wanted.full === found.full, () => `it is about another pattern (${wanted.short}), not this one (${found.short})`);
  checkProof(questionOf(pattern, problem), certificate.proof);
}

/** Read a text; say which of the two it is if it cannot be read. */
function readNamed(name, read, text) {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`the ${name} cannot be read: ${error.message}`);
    throw error;
  }
}

/**
 * Check a certificate in full.
 *
 * @param {string} patternText
 * @param {string} certificateText
 * @returns {{status: number, words: string, large: boolean}} status 0: valid, 1: refused, 2:
 *   unreadable; large: refused only because it takes too much time or memory to check
 */
function verify(patternText, certificateText) {
  try {
    const pattern = readNamed("pattern", readPattern, patternText);
    const certificate = readNamed("certificate", readCertificate, certificateText);
    requireOnes(pattern, certificate.problem);
    checkCertificate(certificate, pattern);
    const claim = claimOf(certificate.answer, certificate.problem);
    return { status: 0, words: `VALID: ${claim}`, large: false };
  } catch (error) {
    const large = error instanceof TooLarge || error instanceof RangeError;
    if (error instanceof Refusal) return { status: 1, words: `NOT VALID: ${error.message}`, large };
    if (error instanceof Unreadable) return { status: 2, words: error.message, large };
    // Sets have at most 2^24 items, and recursion has a depth: both are the engine's limits.
    if (error instanceof RangeError) return { status: 1, words: "NOT VALID: it is too large to check here", large };
    throw error;
  }
}
