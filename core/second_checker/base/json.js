/*
 * A strict parser of JSON. `JSON.parse` rounds integers beyond 2^53 and takes the last of duplicate
 * members; here integers stay exact, and duplicates, fractions and deep nesting are refused.
 */

const MOST_DIGITS = 4300;
const DEEPEST = 200;
const LARGEST = 1 << 25; // numbers, texts and words; a list or an object counts as four

const QUOTE = 34, COMMA = 44, MINUS = 45, ZERO = 48, NINE = 57, COLON = 58;
const OPEN_LIST = 91, BACKSLASH = 92, CLOSE_LIST = 93, OPEN_OBJECT = 123, CLOSE_OBJECT = 125;

/**
 * Parse a JSON text.
 *
 * Integers become numbers if they are safe, otherwise BigInts. Objects become Maps, in which no
 * member name has a meaning of its own.
 */
function parseJson(text) {
  const reader = { text, at: 0, size: 0 };
  const value = parseValue(reader, 0);
  skipBlanks(reader);
  if (reader.at < text.length) throw syntax(reader, "more text after the document");
  return value;
}

function syntax(reader, what) {
  return new Unreadable(`not JSON at character ${reader.at}: ${what}`);
}

function skipBlanks(reader) {
  for (;;) {
    const code = reader.text.charCodeAt(reader.at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
    reader.at++;
  }
}

/** Skip blanks and return the code of the next character, NaN at the end. */
function peek(reader) {
  skipBlanks(reader);
  return reader.text.charCodeAt(reader.at);
}

function parseValue(reader, depth) {
  if (depth > DEEPEST) throw syntax(reader, `nested deeper than ${DEEPEST}`);
  const code = peek(reader);
  reader.size += code === OPEN_OBJECT || code === OPEN_LIST ? 4 : 1;
  ensureSmallEnough(reader.size <= LARGEST, () => "the document is too large to check");
  if (code === OPEN_OBJECT) return parseObject(reader, depth);
  if (code === OPEN_LIST) return parseList(reader, depth);
  if (code === QUOTE) return parseString(reader);
  if (code === MINUS || (code >= ZERO && code <= NINE)) return parseInteger(reader);
  for (const [word, value] of [["null", null], ["true", true], ["false", false]]) {
    if (reader.text.startsWith(word, reader.at)) {
      reader.at += word.length;
      return value;
    }
  }
  throw syntax(reader, "a value is expected");
}

function parseObject(reader, depth) {
  const found = new Map();
  reader.at++;
  if (peek(reader) === CLOSE_OBJECT) {
    reader.at++;
    return found;
  }
  for (;;) {
    if (peek(reader) !== QUOTE) throw syntax(reader, "a member name is expected");
    const name = parseString(reader);
    if (found.has(name)) throw syntax(reader, `the member ${quote(name)} appears twice`);
    if (peek(reader) !== COLON) throw syntax(reader, "a colon is expected");
    reader.at++;
    found.set(name, parseValue(reader, depth + 1));
    const code = peek(reader);
    reader.at++;
    if (code === CLOSE_OBJECT) return found;
    if (code !== COMMA) throw syntax(reader, "a comma or } is expected");
  }
}

function parseList(reader, depth) {
  const found = [];
  reader.at++;
  if (peek(reader) === CLOSE_LIST) {
    reader.at++;
    return found;
  }
  for (;;) {
    found.push(parseValue(reader, depth + 1));
    const code = peek(reader);
    reader.at++;
    if (code === CLOSE_LIST) return found;
    if (code !== COMMA) throw syntax(reader, "a comma or ] is expected");
  }
}

function parseString(reader) {
  const { text } = reader;
  const start = reader.at++;
  for (; ; reader.at++) {
    const code = text.charCodeAt(reader.at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) reader.at++;
    else if (!(code >= 32)) throw syntax(reader, "a text does not end");
  }
  reader.at++;
  try {
    return JSON.parse(text.slice(start, reader.at));
  } catch {
    throw syntax(reader, "a text has a wrong escape");
  }
}

function parseInteger(reader) {
  const { text } = reader;
  const start = reader.at;
  if (text.charCodeAt(start) === MINUS) reader.at++;
  const first = reader.at;
  let code = text.charCodeAt(reader.at);
  while (code >= ZERO && code <= NINE) code = text.charCodeAt(++reader.at);
  const digits = reader.at - first;
  if (digits === 0) throw syntax(reader, "a digit is expected");
  if (digits > 1 && text.charCodeAt(first) === ZERO) throw syntax(reader, "a leading zero");
  if (code === 46 || code === 69 || code === 101) throw syntax(reader, "a number with a fraction or exponent");
  if (digits > MOST_DIGITS) throw syntax(reader, `an integer of more than ${MOST_DIGITS} digits`);
  const word = text.slice(start, reader.at);
  return digits <= 15 ? Number(word) + 0 : safest(BigInt(word)); // + 0 turns -0 into 0
}

/** Return an integer as a number if that is exact, otherwise as it is. */
function safest(big) {
  const number = Number(big);
  return Number.isSafeInteger(number) ? number : big;
}

/** Return a text in quotes, cut if it is long. */
function quote(text) {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}..` : text);
}
