// predictions.mjs: predicts GEMMs and feed-forward training steps of cards before anybody has measured them, with the
// intervals in which measured values are said to lie.
//
//   node scripts/predictions/predictions.mjs STCSIM MACHINE... >results/predictions.csv
//
// A line is a GEMM, dense and 2:4, or a training step, dense and with torchao's 2:4 weights; measure/measure.py reads
// them and times them on a card. The first line has the day and the version.
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";

const [program, ...machines] = process.argv.slice(2);
if (machines.length === 0) {
  console.error("usage: predictions.mjs STCSIM MACHINE...");
  process.exit(2);
}

// Outputs and inputs of the linear layers of Llama 3 8B and 70B and of Qwen 2.5 7B (their config.json): query, key and
// value together, output, gate and up together, down.
const kWeights = [[6144, 4096], [4096, 4096], [28672, 4096], [4096, 14336], [10240, 8192], [8192, 8192], [8192, 28672],
  [4608, 3584], [37888, 3584], [3584, 18944]];
const kTokens = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 12288, 16384];
const kGemms = ["bf16", "fp8_e4m3"].flatMap((dtype) =>
  kWeights.flatMap(([m, k]) => kTokens.map((n) => ({ kind: "gemm", dtype, m, n, k }))));

// A step's m and k are the width inside and outside, n its tokens.
const kWidths = [[4096, 1024], [6144, 2048], [14336, 4096], [15360, 5120], [28672, 8192]];
const kSteps = kWidths.flatMap(([m, k]) => [2048, 4096, 8192, 16384].map((n) => ({
  kind: "step", dtype: "bf16", m, n, k, network: `mlp_${k}_${m}`,
  model: `configs/validation/networks/mlp_${k}_${m}.yaml`, scheme: "torchao-semisparse",
  framework: "pytorch_eager" })));

function argumentsOf(machine, one) {
  const common = ["--dtype", one.dtype, "--format", "json", "--arch", machine];
  if (one.kind === "gemm") {
    return ["gemm", "--m", one.m, "--n", one.n, "--k", one.k, "--sparsity", "2:4", "--method", "loop", ...common];
  }
  return ["run", "--network", one.model, "--batch", one.n, "--schemes", one.scheme, "--framework", one.framework,
    ...common];
}

/// The answer's times in microseconds, the gain, and their intervals, of a GEMM or of a step.
function figuresOf(one, answer) {
  if (one.kind === "gemm") {
    return [[answer.dense.time_us, answer.dense_time_interval], [answer.time_us, answer.time_interval],
      [answer.speedup, answer.speedup_interval]];
  }
  const total = answer.totals.find((each) => each.scheme === one.scheme);
  return [[total.step.dense_time_us, total.dense_time_interval], [total.step.time_us, total.time_interval],
    [total.step.speedup, total.step_interval]];
}

const kNames = ["kind", "machine", "dtype", "m", "n", "k", "network", "model", "scheme", "framework"];
const kFigures = ["dense_us", "sparse_us", "speedup"].flatMap((name) => [name, `${name}_low`, `${name}_high`]);

async function predict(machine, one) {
  const call = argumentsOf(machine, one).map(String);
  const { stdout } = await promisify(execFile)(program, call, { maxBuffer: 2 ** 28 });
  const answer = JSON.parse(stdout);
  const figures = figuresOf(one, answer);
  const numbers = figures.flatMap(([value, between]) => [value, between.low, between.high]);
  const names = kNames.map((name) => ({ ...one, machine })[name] ?? "");
  const isAssumed = figures.some(([, between]) => between.assumed);
  const line = [...names, ...numbers.map((each) => each.toPrecision(5)), isAssumed, answer.config_hash].join(",");
  return { version: answer.version, line };
}

const asked = machines.flatMap((machine) => [...kGemms, ...kSteps].map((one) => [machine, one]));
const predictions = new Array(asked.length);
let next = 0;
async function work() {
  while (next < asked.length) {
    const at = next++;
    predictions[at] = await predict(...asked[at]);
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
const day = new Date().toISOString().slice(0, 10);
console.log(`# Predicted on ${day} by stcsim ${predictions[0].version}, before any of it was measured.`);
console.log([...kNames, ...kFigures, "assumed", "config_hash"].join(","));
for (const { line } of predictions) console.log(line);
