// What the checks of the program as WebAssembly draw at random, and the program that they compare it with.
import {spawnSync} from "node:child_process";
import {readFileSync, readdirSync} from "node:fs";
import {gzipSync} from "node:zlib";

export const root = new URL("..", import.meta.url).pathname;
const mostBytes = 4e6;

/** Draws of mulberry32. @returns {oneOf(list), extent(), share()}: a size from 8 to 4096, half of them whole 64s */
export function drawsOf(seed) {
  let state = Number(seed);
  const share = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    share,
    oneOf: (list) => list[Math.floor(share() * list.length)],
    extent: () => {
      const size = Math.round(2 ** (3 + 9 * share()));
      return String(share() < 0.5 ? size : Math.ceil(size / 64) * 64);
    },
  };
}

export const namesIn = (folder) => readdirSync(`${root}configs/${folder}`).filter((name) => name.endsWith(".yaml")).map((name) => name.slice(0, -5)).sort();

export function natively(program, words) {
  const {stdout, stderr, status} = spawnSync(program, words, {
    encoding: "utf8", maxBuffer: 1 << 28, env: {...process.env, STCSIM_CONFIG_DIR: `${root}configs`}});
  return {stdout, stderr, status};
}

/** Says how large the files of the live page are; whether all of them together, by gzip, are small enough. */
export function areSmall() {
  let all = 0;
  for (const file of readdirSync(`${root}build-wasm/live`).sort()) {
    const bytes = readFileSync(`${root}build-wasm/live/${file}`);
    const sent = gzipSync(bytes, {level: 9}).length;
    all += sent;
    console.log(`${file}: ${bytes.length} bytes, ${sent} by gzip`);
  }
  console.log(`all files: ${all} bytes by gzip, at most ${mostBytes}`);
  return all <= mostBytes;
}
