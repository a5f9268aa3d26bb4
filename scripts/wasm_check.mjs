// wasm_check.mjs [CASES] [SEED] [PROGRAM]: GEMMs drawn at random over all shipped machines, by build-wasm/live/stcsim.wasm and by
// PROGRAM (build/stcsim unless told otherwise): one in twenty explained, the others simulated. Whatever either writes, cycles
// among it, and how it ends has to be the same. Prints what it compared, the times of both, and how large the files are.
import {spawnSync} from "node:child_process";
import {createRequire} from "node:module";
import {readFileSync, readdirSync} from "node:fs";
import {brotliCompressSync, gzipSync} from "node:zlib";

const [cases = "200", seed = "1", program = "build/stcsim"] = process.argv.slice(2);
const root = new URL("..", import.meta.url).pathname;
const stcsim = createRequire(import.meta.url)(`${root}build-wasm/live/stcsim.js`);
const started = performance.now();
const compiled = await WebAssembly.compile(readFileSync(`${root}build-wasm/live/stcsim.wasm`));
const compileSeconds = (performance.now() - started) / 1000;

// mulberry32
let state = Number(seed);
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const oneOf = (list) => list[Math.floor(random() * list.length)];
const extent = () => {
  const size = Math.round(2 ** (3 + 9 * random()));
  return random() < 0.5 ? size : Math.ceil(size / 64) * 64;
};

async function inWasm(words) {
  const out = {stdout: "", stderr: "", status: 0};
  await stcsim({
    arguments: [...words],
    print: (line) => { out.stdout += `${line}\n`; },
    printErr: (line) => { out.stderr += `${line}\n`; },
    onExit: (status) => { out.status = status; },
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports).then((instance) => done(instance, compiled));
      return {};
    },
  });
  return out;
}
function natively(words) {
  const {stdout, stderr, status} = spawnSync(program, words, {
    encoding: "utf8", maxBuffer: 1 << 28, env: {...process.env, STCSIM_CONFIG_DIR: `${root}configs`}});
  return {stdout, stderr, status};
}

const machines = readdirSync(`${root}configs/arch`).filter((name) => name.endsWith(".yaml")).map((name) => name.slice(0, -5));
const counts = {answered: 0, explained: 0, refused: 0, different: 0};
const seconds = {wasm: 0, native: 0};
const of = new Set();
console.log(`seed ${seed}`);
while (counts.answered + counts.explained < Number(cases)) {
  const arch = oneOf(machines);
  const command = random() < 0.05 ? "explain" : "gemm";
  const words = [command, "--arch", arch, ...["--m", "--n", "--k"].flatMap((name) => [name, String(extent())]),
    "--sparsity", oneOf(["dense", "2:4", "2:4", "1:2", "1:4", "1:8", "4:8"]), "--dtype", oneOf(["fp16", "fp16", "bf16", "tf32", "int8", "fp8_e4m3"]),
    "--layout", oneOf(["tn", "nn", "nt", "tt"]), "--format", "json"];
  const begin = performance.now();
  const wasm = await inWasm(words);
  const middle = performance.now();
  const native = natively(words);
  seconds.native += (performance.now() - middle) / 1000;
  seconds.wasm += (middle - begin) / 1000;
  if (native.status !== 0) counts.refused += 1;
  else counts[command === "explain" ? "explained" : "answered"] += 1;
  if (native.status === 0) of.add(arch);
  const differing = ["status", "stdout", "stderr"].filter((what) => wasm[what] !== native[what]);
  if (differing.length > 0) {
    counts.different += 1;
    console.log(`stcsim ${words.join(" ")}: ${differing.join(", ")}`);
    for (const what of differing) console.log(String(native[what]).slice(0, 300), "\n", String(wasm[what]).slice(0, 300));
  }
}
console.log(`${counts.answered} GEMMs simulated and ${counts.explained} explained on ${of.size} machines, ${counts.refused} refused, ` +
  `${counts.different} different; ${seconds.wasm.toFixed(1)} s in Node, ${seconds.native.toFixed(1)} s natively`);
for (const file of ["stcsim.js", "stcsim.wasm"]) {
  const bytes = readFileSync(`${root}build-wasm/live/${file}`);
  console.log(`${file}: ${bytes.length} bytes, ${gzipSync(bytes, {level: 9}).length} by gzip, ${brotliCompressSync(bytes).length} by brotli`);
}
console.log(`compiled in ${compileSeconds.toFixed(2)} s`);
if (counts.different > 0) process.exit(1);
