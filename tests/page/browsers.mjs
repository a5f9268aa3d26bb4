// Browsers that draw pages one after the other. At about one page in 60 Chromium stands still: all its threads sleep and wait
// for a frame, without load and without anything wrong with the page. So a page has 15 s, and then a new browser draws it once
// more, which is told; more than two in a run are a failure, and so is a page that stands still twice.

import assert from 'node:assert/strict';

const mostAgain = 2;

export class Browsers {
  #launch;
  #seconds;
  #tell;
  #running = null;
  #again = 0;

  /** @param launch () => promise of {browser, kill()} */
  constructor(launch, {seconds = 15, tell = console.log} = {}) {
    this.#launch = launch;
    this.#seconds = seconds;
    this.#tell = tell;
  }

  /** @param check browser => promise; where it rejects, it is not tried again */
  async draw(what, check) {
    if (await this.#inTime(check)) return;
    this.#again += 1;
    this.#tell(`${what}: the browser stood still for ${this.#seconds} s, a new one draws the page once more`);
    assert.ok(this.#again <= mostAgain, `${what}: more than ${mostAgain} pages stood still`);
    assert.ok(await this.#inTime(check), `${what}: it stood still in a new browser too`);
  }

  async end() {
    await this.#running?.kill();
    this.#running = null;
  }

  /** Whether the page was done in its time; where it was not, the browser is gone. */
  async #inTime(check) {
    this.#running ??= await this.#launch();
    const checked = check(this.#running.browser).then(() => true);
    let timer;
    const late = new Promise((done) => { timer = setTimeout(done, 1000 * this.#seconds, false); });
    try {
      const ended = await Promise.race([checked, late]);
      if (!ended) {
        checked.catch(() => {});  // of a browser that is killed
        await this.end();
      }
      return ended;
    } finally {
      clearTimeout(timer);
    }
  }
}
