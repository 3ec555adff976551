/* SHA-256 (FIPS 180-4) of bytes that arrive in pieces; pages opened from a file have no crypto.subtle. */

const SHA256_PRIMES = (() => {
  const primes = [];
  for (let n = 2; primes.length < 64; n++) {
    if (primes.every((p) => n % p !== 0)) primes.push(n);
  }
  return primes;
})();

/** Return the first 32 bits of the fractional part of the `degree`-th root of a small integer. */
function fractionBits(n, degree) {
  let root = 0n; // of n * 2^(32 degree), bit by bit from the top
  const target = BigInt(n) << BigInt(32 * degree);
  for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) {
    if ((root + bit) ** BigInt(degree) <= target) root += bit;
  }
  return Number(root & 0xffffffffn) | 0;
}

const SHA256_START = Int32Array.from(SHA256_PRIMES.slice(0, 8), (p) => fractionBits(p, 2));
const SHA256_ROUNDS = Int32Array.from(SHA256_PRIMES, (p) => fractionBits(p, 3));

/** SHA-256 of bytes that arrive in pieces. */
class Sha256 {
  #state = SHA256_START.slice();
  #words = new Int32Array(64);
  #block = new Uint8Array(64);
  #length = 0;

  /** Add one byte. */
  addByte(byte) {
    this.#block[this.#length++ % 64] = byte;
    if (this.#length % 64 === 0) this.#compress();
  }

  /** Add a text of ASCII characters. */
  addText(text) {
    for (let k = 0; k < text.length; k++) this.addByte(text.charCodeAt(k));
  }

  /** Add a number below 2^32 as 8 little-endian bytes. */
  addNumber(number) {
    for (let k = 0; k < 4; k++) this.addByte((number >>> (8 * k)) & 255);
    for (let k = 0; k < 4; k++) this.addByte(0);
  }

  /** Return the digest as 64 hexadecimal digits. */
  digest() {
    const bits = BigInt(this.#length) * 8n;
    this.addByte(128);
    while (this.#length % 64 !== 56) this.addByte(0);
    for (let shift = 56n; shift >= 0n; shift -= 8n) this.addByte(Number((bits >> shift) & 255n));
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }

  #compress() {
    const w = this.#words;
    const turn = (x, n) => (x >>> n) | (x << (32 - n));
    for (let t = 0; t < 16; t++) {
      const at = 4 * t;
      w[t] = (this.#block[at] << 24) | (this.#block[at + 1] << 16) | (this.#block[at + 2] << 8) | this.#block[at + 3];
    }
    for (let t = 16; t < 64; t++) {
      const small0 = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ (w[t - 15] >>> 3);
      const small1 = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ (w[t - 2] >>> 10);
      w[t] = w[t - 16] + small0 + w[t - 7] + small1;
    }
    let [a, b, c, d, e, f, g, h] = this.#state;
    for (let t = 0; t < 64; t++) {
      const big1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const one = (h + big1 + ((e & f) ^ (~e & g)) + SHA256_ROUNDS[t] + w[t]) | 0;
      const big0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const two = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, k) => (this.#state[k] += word));
  }
}
