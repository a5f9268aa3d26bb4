// sealed.mjs: how far off the sealed predictions of results/predictions.csv were, by the rows of configs/validation that
// say they are sealed, as a table of Markdown. Nothing is simulated: a sealed figure does not change.
//
//   node scripts/sealed.mjs
import { readFileSync } from "node:fs";

/** Rows of a CSV file as objects; lines that begin with # are comments. */
function rowsOf(path) {
  const lines = readFileSync(path, "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const cells = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1)
    .map(([, cell]) => cell.replace(/^"|"$/g, ""));
  const names = cells(`${lines[0]},`);
  return lines.slice(1).map((line) => Object.fromEntries(cells(`${line},`).map((cell, at) => [names[at], cell])));
}

const predictions = rowsOf("results/predictions.csv").filter(({ machine }) => machine === "h200");
const gemms = new Map(predictions.filter(({ kind }) => kind === "gemm").map((one) => [[one.dtype, one.m, one.n, one.k].join(), one]));
const steps = new Map(predictions.filter(({ kind }) => kind === "step").map((one) => [`${one.network} ${one.n}`, one]));
const groups = new Map();

function add(group, prediction, name, measured) {
  const [value, low, high] = [name, `${name}_low`, `${name}_high`].map((key) => Number(prediction[key]));
  if (!groups.has(group)) groups.set(group, []);
  groups.get(group).push({ error: value / measured - 1, isInside: low <= measured && measured <= high });
}

for (const row of rowsOf("configs/validation/gemm_h200.csv").filter(({ use }) => use === "sealed")) {
  const prediction = gemms.get([row.dtype, row.M, row.N, row.K].join());
  const type = row.dtype.replace(/_.*/, "");
  if (Number(row.dense_value) >= 20) add(`${type}, dense, from 20 us on`, prediction, "dense_us", Number(row.dense_value));
  if (row.stack === "cuda12_search" && row.sparse_value) {
    add(`${type}, 2:4, searched kernels`, prediction, "sparse_us", Number(row.sparse_value));
  }
}
for (const row of rowsOf("configs/validation/networks.csv").filter(({ note }) => note?.startsWith("sealed"))) {
  const prediction = steps.get(`${row.model.replace(/^.*\/|\.yaml$/g, "")} ${row.batch}`);
  const [dense, sparse] = [Number(row.dense), Number(row.sparse)];
  add("feed-forward training step, dense", prediction, "dense_us", dense);
  add("feed-forward training step, 2:4 weights", prediction, "sparse_us", sparse);
  add("gain of that step", prediction, "speedup", dense / sparse);
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const percent = (value) => `${(100 * value).toFixed(1)} %`;
console.log("| H200, sealed | rows | mean \\|error\\| | bias | inside the interval |\n|---|---:|---:|---:|---:|");
for (const [group, rows] of groups) {
  const errors = rows.map(({ error }) => error);
  const bias = mean(errors);
  console.log(`| ${group} | ${rows.length} | ${percent(mean(errors.map(Math.abs)))} | ${bias < 0 ? "" : "+"}${percent(bias)} | ` +
    `${rows.filter(({ isInside }) => isInside).length} |`);
}
