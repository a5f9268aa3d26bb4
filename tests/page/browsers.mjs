// Browsers that draw pages one after the other. At about one page in 60 Chromium stands still: all its threads sleep and wait
// for a frame, without load and without anything wrong with the page. So a page at which the browser does nothing for 15 s is
// drawn once more by a new one, which is told; more than two in a run are a failure, and so is a page that stands still twice.

import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

const mostAgain = 2;
/** Of a core, below which a browser does nothing but wait; asking it by a timer takes a tenth of that. */
const leastWork = 0.03;

/** Seconds of a core that a process and those it started have taken. */
export function cpuSeconds(root) {
  const ticksOfSecond = 100;  // USER_HZ
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
      return [{pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12])}];
    } catch {
      return [];  // it ended
    }
  });
  const sum = (pid) => processes.filter(({parent}) => parent === pid).reduce((all, child) => all + child.ticks + sum(child.pid), 0);
  return (sum(root) + (processes.find(({pid}) => pid === root)?.ticks ?? 0)) / ticksOfSecond;
}

export class Browsers {
  #launch;
  #seconds;
  #tell;
  #running = null;
  #again = 0;

  /** @param launch () => promise of {browser, cpu(), kill()}, with the seconds of a core that it has taken */
  constructor(launch, {seconds = 15, tell = console.log} = {}) {
    this.#launch = launch;
    this.#seconds = seconds;
    this.#tell = tell;
  }

  /** @param check browser => promise; where it rejects, it is not tried again */
  async draw(what, check) {
    if (await this.#ends(check)) return;
    this.#again += 1;
    this.#tell(`${what}: the browser stood still for ${this.#seconds} s, a new one draws the page once more`);
    assert.ok(this.#again <= mostAgain, `${what}: more than ${mostAgain} pages stood still`);
    assert.ok(await this.#ends(check), `${what}: it stood still in a new browser too`);
  }

  async end() {
    await this.#running?.kill();
    this.#running = null;
  }

  /** Whether the check came to its end; where the browser stood still, it is gone. */
  async #ends(check) {
    this.#running ??= await this.#launch();
    const {browser, cpu} = this.#running;
    let ended = false;
    const checked = check(browser).finally(() => { ended = true; });
    const still = await Promise.race([checked.then(() => false), this.#standsStill(cpu, () => ended)]);
    if (still) {
      checked.catch(() => {});  // of a browser that is killed
      await this.end();
    }
    return !still;
  }

  /** True once the browser has done nothing for so long; looks a few times in that. */
  async #standsStill(cpu, ended) {
    const seconds = this.#seconds / 15;
    let taken = cpu();
    let idle = 0;
    while (!ended() && idle < this.#seconds - seconds / 2) {
      await new Promise((done) => { setTimeout(done, 1000 * seconds); });
      const now = cpu();
      idle = Math.abs(now - taken) < leastWork * seconds ? idle + seconds : 0;
      taken = now;
    }
    return !ended();
  }
}

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
               '--disable-component-update', '--disable-sync'];

function browserPath() {
  const known = [process.env.STCSIM_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const found = known.find((path) => path && existsSync(path));
  if (!found) throw new Error('no Chromium: scripts/install-deps.sh browser installs it, STCSIM_CHROMIUM names one');
  return found;
}

/** A headless Chromium, as Browsers starts it. @param packages folder of Playwright */
export async function chromiumOf(packages) {
  const {chromium} = createRequire(join(packages, 'package.json'))('playwright-core');
  const server = await chromium.launchServer({executablePath: browserPath(), args: flags});
  return {browser: await chromium.connect(server.wsEndpoint()), cpu: () => cpuSeconds(server.process().pid), kill: () => server.kill()};
}
