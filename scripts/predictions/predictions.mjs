// predictions.mjs: predicts GEMMs, feed-forward training steps and pairs of cards before anybody has measured them, with the
// intervals in which measured values are said to lie.
//
//   node scripts/predictions/predictions.mjs STCSIM FILE MACHINE...
//
// A line is a GEMM, dense and 2:4, a training step, dense and with torchao's 2:4 weights, or a pair (predict_pairs.py);
// measure/measure.py reads them and times them on a card. What FILE has of a machine stays as it was sealed: kinds that it lacks
// are added below a line with the day and the version. KINDS=pair in the environment names those to add, all if empty.
import { execFile, execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const [program, file, ...machines] = process.argv.slice(2);
if (machines.length === 0) {
  console.error("usage: predictions.mjs STCSIM FILE MACHINE...");
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

/// A line; none for a type that the machine does not multiply.
async function predict(machine, one) {
  const call = argumentsOf(machine, one).map(String);
  const { stdout } = await promisify(execFile)(program, call, { maxBuffer: 2 ** 28 })
    .catch((error) => { if (error.stderr?.includes("does not multiply")) return {}; throw error; });
  if (stdout === undefined) return [];
  const answer = JSON.parse(stdout);
  const figures = figuresOf(one, answer);
  const numbers = figures.flatMap(([value, between]) => [value, between.low, between.high]);
  const names = kNames.map((name) => ({ ...one, machine })[name] ?? "");
  return [...names, ...numbers.map((each) => each.toPrecision(5)), figures.some(([, between]) => between.assumed),
    answer.config_hash].join(",");
}

/// Lines of GEMMs and steps, many at a time.
async function predictAll(asked) {
  const lines = new Array(asked.length);
  let next = 0;
  const work = async () => {
    while (next < asked.length) {
      const at = next++;
      lines[at] = await predict(...asked[at]);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return lines.flat();
}

function predictPairs(machine) {
  const here = dirname(fileURLToPath(import.meta.url));
  const env = { ...process.env, STCSIM: program, PYTHONPATH: ["python", "measure"].map((name) => join(here, "../..", name)).join(":") };
  return execFileSync("python3", ["-B", join(here, "predict_pairs.py"), machine], { env, encoding: "utf8" }).trimEnd().split("\n");
}

const header = [...kNames, ...kFigures, "assumed", "config_hash"].join(",");
const sealed = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
const kinds = (process.env.KINDS || "gemm step pair").split(" ");
const isMissing = (machine, kind) => kinds.includes(kind) && !sealed.some((line) => line.startsWith(`${kind},${machine},`));
const lines = await predictAll(machines.flatMap((machine) =>
  [...kGemms, ...kSteps].filter(({ kind }) => isMissing(machine, kind)).map((one) => [machine, one])));
for (const machine of machines) if (isMissing(machine, "pair")) lines.push(...predictPairs(machine));
if (lines.length > 0) {
  const day = new Date().toISOString().slice(0, 10);
  const version = execFileSync(program, ["--version"], { encoding: "utf8" }).trim();
  const title = [`# Predicted on ${day} by ${version}, before any of it was measured.`, ...sealed.includes(header) ? [] : [header]];
  appendFileSync(file, `${[...title, ...lines].join("\n")}\n`);
}
console.error(`${file}: ${lines.length} lines added; what is sealed stays.`);
