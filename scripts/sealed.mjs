// sealed.mjs: how far off the sealed predictions of results/predictions.csv were, by the rows of configs/validation that
// say they are sealed, as a table of Markdown. Nothing is simulated: a sealed figure does not change. With PAIRS, a table of
// measure/measure.py, it sets the pairs in it beside their predictions.
//
//   node scripts/sealed.mjs [PAIRS]
import { readFileSync } from "node:fs";

/** Rows of a CSV file as objects; lines that begin with # are comments. */
function rowsOf(path) {
  const lines = readFileSync(path, "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const cells = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1)
    .map(([, cell]) => cell.replace(/^"|"$/g, ""));
  const names = cells(`${lines[0]},`);
  return lines.slice(1).map((line) => Object.fromEntries(cells(`${line},`).map((cell, at) => [names[at], cell])));
}

const sealed = rowsOf("results/predictions.csv");

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const percent = (value) => `${(100 * value).toFixed(1)} %`;
const signed = (value) => `${value < 0 ? "" : "+"}${percent(value)}`;

/** 1 where the second side is faster, -1 where the first is, 0 where the ratio prints as 1.00. */
const sideOf = (ratio) => ratio > 1.005 ? 1 : ratio < 1 / 1.005 ? -1 : 0;

/** The sealed pair of a measured one; an error where there is none, or it says other things than were predicted. */
function predictionOf(row) {
  const found = sealed.find((one) => one.kind === "pair" && one.machine === row.machine && one.network === row.pair);
  if (!found) throw new Error(`${row.pair}: no such pair of '${row.machine}' is sealed`);
  if (found.config_hash !== row.hash) throw new Error(`${row.pair}: what was measured is not what was predicted`);
  return found;
}

/** Ratios, each beside its prediction, and what they come to. */
function showPairs(path) {
  const rows = rowsOf(path).filter(({ ratio }) => ratio).map((row) => {
    const { speedup, speedup_low: low, speedup_high: high } = predictionOf(row);
    const measured = Number(row.ratio);
    return { name: row.pair, predicted: Number(speedup), low, high, measured, error: speedup / measured - 1,
      isInside: Number(low) <= measured && measured <= Number(high), isSameSide: sideOf(Number(speedup)) === sideOf(measured) };
  });
  if (rows.length === 0) throw new Error(`${path}: no pair has a ratio`);
  console.log("| pair | predicted | interval | measured | error | inside | same side faster |");
  console.log("|---|---:|---:|---:|---:|---|---|");
  for (const { name, predicted, low, high, measured, error, isInside, isSameSide } of rows) {
    console.log(`| ${name} | ${predicted.toFixed(3)} | ${Number(low).toFixed(3)} to ${Number(high).toFixed(3)} | ` +
      `${measured.toFixed(3)} | ${signed(error)} | ${isInside ? "yes" : "no"} | ${isSameSide ? "yes" : "no"} |`);
  }
  const errors = rows.map(({ error }) => error);
  const count = (key) => rows.filter((row) => row[key]).length;
  console.log(`\n${rows.length} pairs: mean |error| ${percent(mean(errors.map(Math.abs)))}, bias ${signed(mean(errors))}, ` +
    `${count("isInside")} inside the interval, the same side is faster in ${count("isSameSide")}.`);
}

const groups = new Map();

function add(group, prediction, name, measured) {
  const [value, low, high] = [name, `${name}_low`, `${name}_high`].map((key) => Number(prediction[key]));
  if (!groups.has(group)) groups.set(group, []);
  groups.get(group).push({ error: value / measured - 1, isInside: low <= measured && measured <= high });
}

/** The H200's GEMMs and steps, by what they are of. */
function showTables() {
  const ofKind = (kind) => sealed.filter((one) => one.machine === "h200" && one.kind === kind);
  const gemms = new Map(ofKind("gemm").map((one) => [[one.dtype, one.m, one.n, one.k].join(), one]));
  const steps = new Map(ofKind("step").map((one) => [`${one.network} ${one.n}`, one]));

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
  console.log("| H200, sealed | rows | mean \\|error\\| | bias | inside the interval |\n|---|---:|---:|---:|---:|");
  for (const [group, rows] of groups) {
    const errors = rows.map(({ error }) => error);
    const bias = mean(errors);
    console.log(`| ${group} | ${rows.length} | ${percent(mean(errors.map(Math.abs)))} | ${signed(bias)} | ` +
      `${rows.filter(({ isInside }) => isInside).length} |`);
  }
}

const [pairs] = process.argv.slice(2);
try {
  if (pairs) showPairs(pairs); else showTables();
} catch (error) {
  console.error(`sealed.mjs: ${error.message}`);
  process.exit(1);
}
