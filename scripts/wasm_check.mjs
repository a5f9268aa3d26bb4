// wasm_check.mjs [CASES] [SEED] [PROGRAM]: GEMMs drawn at random over all shipped machines, by build-wasm/live/stcsim.wasm and by
// PROGRAM (build/stcsim unless told otherwise): one in twenty explained, one in twenty a layer, the others simulated; then small
// experiments as texts and as JSON. Whatever either writes, cycles among it, and how it ends has to be the same, but for the last
// digits of numbers of 16: the C libraries' exp and log round otherwise. Prints what it compared, the times of both, and how large
// the files are.
import {createRequire} from "node:module";
import {readFileSync} from "node:fs";

import {areSmall, drawsOf, namesIn, natively, root} from "./wasm_cases.mjs";

const [cases = "200", seed = "1", program = "build/stcsim"] = process.argv.slice(2);
const stcsim = createRequire(import.meta.url)(`${root}build-wasm/live/stcsim.js`);
const started = performance.now();
const compiled = await WebAssembly.compile(readFileSync(`${root}build-wasm/live/stcsim.wasm`));
const compileSeconds = (performance.now() - started) / 1000;

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

const digits = 14;
const rounded = (text) => String(text).replace(/\d+\.\d{12,}(e-?\d+)?/g, (number) => Number(number).toPrecision(digits));

const seconds = {wasm: 0, native: 0};
let different = 0;
/** @returns whether the program refuses these words */
async function compare(words) {
  const begin = performance.now();
  const wasm = await inWasm(words);
  const middle = performance.now();
  const native = natively(program, words);
  seconds.native += (performance.now() - middle) / 1000;
  seconds.wasm += (middle - begin) / 1000;
  const differing = ["status", "stdout", "stderr"].filter((what) => rounded(wasm[what]) !== rounded(native[what]));
  if (differing.length > 0) {
    different += 1;
    console.log(`stcsim ${words.join(" ")}: ${differing.join(", ")}`);
    for (const what of differing) console.log(String(native[what]).slice(0, 300), "\n", String(wasm[what]).slice(0, 300));
  }
  return native.status !== 0;
}

const {share, oneOf, extent} = drawsOf(seed);
const [machines, networks, schemes] = ["arch", "networks", "schemes"].map(namesIn);
const counts = {simulated: 0, explained: 0, "of layers": 0, refused: 0};
const of = new Set();
console.log(`seed ${seed}`);
const typed = () => ["--m", extent(), "--n", extent(), "--k", extent(),
  "--sparsity", oneOf(["dense", "2:4", "2:4", "1:2", "1:4", "1:8", "4:8"]), "--layout", oneOf(["tn", "nn", "nt", "tt"])];
function layer() {
  const network = oneOf(networks);
  const {gemms} = JSON.parse(natively(program, ["list", "layers", network, "--format", "json"]).stdout);
  const {layer, phase} = oneOf(gemms);
  return ["--layer", `${network}:${layer}`, "--phase", phase, "--scheme", oneOf(schemes), "--batch", "1"];
}
while (counts.simulated + counts.explained + counts["of layers"] < Number(cases)) {
  const [arch, kind] = [oneOf(machines), share()];
  const what = kind < 0.05 ? "explained" : kind < 0.1 ? "of layers" : "simulated";
  const words = [what === "explained" ? "explain" : "gemm", "--arch", arch, ...(what === "of layers" ? layer() : typed()),
    "--dtype", oneOf(["fp16", "fp16", "bf16", "tf32", "int8", "fp8_e4m3"]), "--format", "json"];
  const isRefused = await compare(words);
  counts[isRefused ? "refused" : what] += 1;
  if (!isRefused) of.add(arch);
}

const experiments = [["quick"], ["several_gpus"], ["outputs"], ["--network", "tiny_resnet9", "--arch", "a100", "--schemes", "all"],
  ["--network", "tiny_transformer", "--arch", "h100_pcie,rtx3090", "--schemes", "all"],
  ["--network", "bert_base_s128", "--arch", "a100", "--schemes", "slope", "--batch", "2", "--no-spread"], ["--network", "none"]];
for (const experiment of experiments) {
  for (const form of [["--format", "table", "--layers", "--notes"], ["--format", "json"]]) await compare(["run", ...experiment, ...form]);
}
await compare(["list", "layers", "resnet50"]);
await compare(["list", "workloads", "--format", "json"]);
console.log(`${Object.entries(counts).map(([what, count]) => `${count} GEMMs ${what}`).join(", ")} on ${of.size} machines, ${2 * experiments.length} runs, ` +
  `${different} different; ${seconds.wasm.toFixed(1)} s in Node, ${seconds.native.toFixed(1)} s natively`);
console.log(`compiled in ${compileSeconds.toFixed(2)} s`);
if (!areSmall() || different > 0) process.exit(1);
