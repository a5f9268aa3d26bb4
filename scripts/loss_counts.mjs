// loss_counts.mjs [DIR...]: how well trainings are predicted by a dense curve and their own loss at the end, as
// docs/accuracy.md says ("By its loss"), with the epochs to 80, 90 and 97 % of what dense ends at: a table in Markdown of the
// means of configs/papers/trained.csv, and of the single seeds of every DIR/SCHEME, each against the same seed of DIR/dense.
import {readdirSync, readFileSync} from 'node:fs';
import {basename, join} from 'node:path';

const shares = [0.80, 0.90, 0.97];
const formError = 0.18;  // curves/published.hpp

/** Rows of a CSV file as objects, without its comments. */
const table = (path) => {
  const lines = readFileSync(path, 'utf8').trim().split('\n').filter((line) => !line.startsWith('#')).map((line) => line.split(','));
  return lines.slice(1).map((cells) => Object.fromEntries(lines[0].map((name, at) => [name, cells[at]])));
};

/** Where straight lines between the points first reach the target; null if they do not. */
const crossing = (points, target) => {
  const at = points.findIndex(([, value]) => value >= target * (1 - 1e-9));
  if (at <= 0) return at < 0 ? null : points[0][0];
  const [[x0, y0], [x1, y1]] = [points[at - 1], points[at]];
  return x0 + (target - y0) / (y1 - y0) * (x1 - x0);
};
const end = (points) => points.at(-1)[1];
const lowered = (dense, loss) => dense.map(([x, value]) => [x, value * (1 - loss / end(dense))]);
const rowsOf = (dense, own) => shares.map((share) => ({own: crossing(own, share * end(dense)),
  predicted: crossing(lowered(dense, end(dense) - end(own)), share * end(dense))}));

const percent = (part) => `${(100 * part).toFixed(1)} %`;
const line = (what, schemes, rows) => {
  const arrive = rows.filter(({own, predicted}) => own !== null && predicted !== null);
  const errors = arrive.map(({own, predicted}) => Math.abs(Math.log(own / predicted))).sort((a, b) => a - b);
  const right = rows.filter(({own, predicted}) => (own === null) === (predicted === null)).length;
  const of = (value) => (errors.length === 0 ? '–' : percent(value()));
  console.log(`| ${what} | ${schemes} | ${rows.length} | ${of(() => Math.expm1(errors[Math.ceil(errors.length / 2) - 1]))} | ${
    of(() => errors.filter((error) => error <= formError).length / errors.length)} | ${percent(right / rows.length)} |`);
};
console.log('| of | scheme | rows | median error of the epochs | within the form\'s error | "never" right |\n|---|---|---:|---:|---:|---:|');

const trained = table('configs/papers/trained.csv');
const mean = (task, scheme) => trained.filter((row) => row.task === task && row.scheme === scheme)
  .map((row) => [Number(row.epoch), Number(row.mean)]);
const means = (task) => [...new Set(trained.filter((row) => row.task === task).map((row) => row.scheme))]
  .filter((scheme) => !scheme.startsWith('dense'))
  // Trained with AdamW, as what they are held against (tta_images.yaml).
  .flatMap((scheme) => rowsOf(mean(task, task === 'images' && ['step', 'fst'].includes(scheme) ? 'dense-adamw' : 'dense'), mean(task, scheme)));
for (const task of ['images', 'tokens']) line(`means, ${task}`, 'all', means(task));
line('means, both', 'all', [...means('images'), ...means('tokens')]);

const seeds = (folder) => readdirSync(folder).filter((name) => /^seed\d+\.csv$/.test(name));
const curve = (...path) => table(join(...path)).map((row) => [Number(row.epoch), Number(row.eval_accuracy)]);
for (const folder of process.argv.slice(2)) {
  const dense = seeds(join(folder, 'dense'));
  for (const scheme of readdirSync(folder).filter((name) => !name.includes('.') && !name.startsWith('dense'))) {
    const rows = seeds(join(folder, scheme)).filter((name) => dense.includes(name))
      .flatMap((name) => rowsOf(curve(folder, 'dense', name), curve(folder, scheme, name)));
    if (rows.length > 0) line(`single seeds, ${basename(folder)}`, scheme, rows);
  }
}
