/*
 * The command: node command.js PATTERN CERTIFICATE
 *
 * Exit status 0 if the certificate proves its answer for the pattern, 1 if it does not, and 2 if a
 * file cannot be read.
 */
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const zlib = require("node:zlib");

const MOST_BYTES = 1 << 28; // of a file, decompressed
const ROOMS = ["base", "orientations", "kinds", ...["similarities", "ranks", "fits", "margins", "values"].map((room) => `kinds/${room}`)];
const TEXT_FIRST = "write a pattern as text first: samapprox show PATTERN --text > pattern.txt";
const REASONS = {
  ENOENT: "no such file",
  EISDIR: "is a folder",
  ERR_ENCODING_INVALID_ENCODED_DATA: `not text in UTF-8; ${TEXT_FIRST}`,
};

/** Load the checker: plain scripts, which also run in a page. */
function loadChecker() {
  for (const room of ROOMS) {
    const folder = path.join(__dirname, room);
    for (const name of fs.readdirSync(folder).filter((file) => file.endsWith(".js")).sort()) {
      const file = path.join(folder, name);
      vm.runInThisContext(`"use strict"; ${fs.readFileSync(file, "utf8")}`, { filename: file });
    }
  }
}

/** Return whether bytes begin as those of npz or npy files do. */
function isNumpy(bytes) {
  return [[0x50, 0x4b, 3, 4], [0x93, 0x4e, 0x55, 0x4d]].some((magic) => magic.every((byte, i) => bytes[i] === byte));
}

/** Read a text in UTF-8, perhaps compressed with gzip; a byte order mark remains in it. */
function readText(file) {
  let bytes = fs.readFileSync(file === "-" ? 0 : file);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = zlib.gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
  if (bytes.length > MOST_BYTES) throw new Error(`larger than ${MOST_BYTES} bytes`);
  if (isNumpy(bytes)) throw new Error(`an npz or npy file; ${TEXT_FIRST}`);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function main(files) {
  if (files.length !== 2 || (files[0] === "-" && files[1] === "-")) {
    console.error("usage: node command.js PATTERN CERTIFICATE (one of them may be - for standard input)");
    return 2;
  }
  loadChecker();
  const texts = [];
  for (const file of files) {
    try {
      texts.push(readText(file));
    } catch (error) {
      console.error(`error: ${file}: ${REASONS[error.code] ?? error.message}`);
      return 2;
    }
  }
  const { status, words } = globalThis.verify(...texts);
  if (status === 2) console.error(`error: ${words}`);
  else console.log(words);
  return status;
}

if (require.main === module) process.exitCode = main(process.argv.slice(2));

module.exports = { loadChecker };
