"use strict";
/*
 * Proofs checked once more in the reader's browser, by the second checker. A worker runs it, so that
 * the page stays responsive, and is stopped if a check takes long.
 */
function makeRecheck(source, seconds) {
  let worker = null;
  let last = Promise.resolve();

  const start = () => {
    const receive = "onmessage = ({ data }) => postMessage(verify(data.pattern, data.certificate));";
    const address = URL.createObjectURL(new Blob([source, receive], { type: "text/javascript" }));
    const started = new Worker(address);
    URL.revokeObjectURL(address);
    return started;
  };

  const stop = () => {
    worker?.terminate();
    worker = null;
  };

  const run = (pattern, certificate) =>
    new Promise((resolve) => {
      const end = (status, words) => {
        clearTimeout(timer);
        resolve({ status, words });
      };
      const fail = (words) => {
        stop();
        end(null, words);
      };
      const timer = setTimeout(() => fail(`no answer in ${seconds} s: too large to check here`), seconds * 1000);
      try {
        worker ??= start();
      } catch {
        fail("this browser does not let the page check proofs");
        return;
      }
      worker.onmessage = ({ data: { status, words, large } }) =>
        large ? end(null, "too large to check here") : end(status, words);
      worker.onerror = () => fail("this browser cannot check proofs here");
      worker.postMessage({ pattern, certificate });
    });

  /*
   * Returns a promise of { status, words }: status 0 (valid), 1 (not valid), 2 (unreadable), or null
   * if there is no answer. Texts that are null were too large for the page.
   */
  return (pattern, certificate) => {
    if (pattern === null || certificate === null) {
      return Promise.resolve({ status: null, words: "too large to check here" });
    }
    const answer = last.then(() => run(pattern, certificate));
    last = answer;
    return answer;
  };
}
