// What a document of stcsim.paper/2 says, without drawing it.

import {axisOf} from './paper_axis.js';
import {axisUnit, deviationText, intervalText, publishedText, valueText} from './paper_text.js';

const columnTones = ['gemm2', 'kind1', 'kind5', 'kind3', 'kind9', 'kind7', 'kind4', 'kind2'];
const productTones = {forward: 'gemm1', dgrad: 'gemm2', wgrad: 'gemm3', inference: 'kind7'};
const layerAndProduct = /^(\S+) (forward|dgrad|wgrad|inference)$/;

const distinct = (values) => [...new Set(values)];
const answerOf = (row, column) => row.answers.find((one) => one.column === column);

/** The columns of a figure that have an answer in any row, in its order. */
export function columnsOf(figure) {
  const answered = distinct(figure.rows.flatMap((row) => row.answers.map(({column}) => column)));
  return [...figure.columns.filter((one) => answered.includes(one)), ...answered.filter((one) => !figure.columns.includes(one))];
}

/** The colour of each column, the same in all figures. */
export function tonesOf(figures) {
  return new Map(distinct(figures.flatMap(columnsOf)).map((column, i) => [column, columnTones[i % columnTones.length]]));
}

/** Where a column of a figure is simulated, if it is the same in all rows; else ''. */
export function whereOf(figure, column) {
  const places = distinct(figure.rows.map((row) => answerOf(row, column)?.where).filter(Boolean));
  return places.length === 1 && places[0] !== column ? places[0] : '';
}

/** A paper's tally by kind and column: [{kind, column, verdicts: [{verdict, count}]}]; counts of two kinds are never added. */
export function partsOf(tally) {
  const parts = new Map();
  for (const {kind, column, verdict, count} of tally) {
    const key = `${kind}, ${column}`;
    if (!parts.has(key)) parts.set(key, {kind, column, verdicts: []});
    parts.get(key).verdicts.push({verdict, count});
  }
  return [...parts.values()];
}

/** How the paper came by what it says of a row; '' if it says nothing. */
export const obtainedOf = (row) => (row.published || row.not_obtained || row.not_compared ? row.obtained : '');

/** What is the same in all rows (quantity and obtained: in those that have one), and so need not stand in each; else null. */
export function sharedOf(figure) {
  const only = (values) => (values.length > 1 ? null : values[0] ?? '');
  return {
    quantity: only(distinct(figure.rows.map((row) => row.quantity).filter(Boolean))),
    setting: only(distinct(figure.rows.map((row) => row.setting))),
    note: only(distinct(figure.rows.map((row) => row.note))),
    obtained: only(distinct(figure.rows.map(obtainedOf).filter(Boolean))),
  };
}

/** Lines of a tooltip: name and value of what was published and of each answer. */
const publishedLine = (row) => (row.published ? [['published:', publishedText(row.published, row.unit)]] : []);
function answerLine(name, row, answer) {
  const more = [intervalText(answer, row.unit, row.published), deviationText(answer, row.unit, row.published)].filter(Boolean).join(', ');
  return [`${name}:`, valueText(answer.value, row.unit, row.published) + (more && ` (${more})`)];
}

const markOf = (answer, tone, published = null) =>
  ({value: answer?.value ?? null, low: answer?.low ?? null, high: answer?.high ?? null, tone, published});

const isNumber = (one) => typeof one === 'number';
const valuesOf = (categories) => categories.flatMap(({published, marks}) => [published, ...marks, ...marks.map((one) => one.published)])
  .filter(Boolean).flatMap((one) => [one.value, one.low, one.high, one.least, one.most]).filter(isNumber);

/** Panels of the same rows and on the same scale. @param parts [{title, categories}] */
function panelsOnOneScale(parts, rows, shape, key) {
  const axis = axisOf(parts.flatMap(({categories}) => valuesOf(categories)), shape);
  const quantities = distinct(rows.map(({quantity}) => quantity));
  const axisName = [quantities.length === 1 ? quantities[0] : '', axisUnit(rows[0].unit)].filter(Boolean).join(', ');
  return parts.map((one) => ({...one, unit: rows[0].unit, axis, axisName, shape: axis.isLog ? 'dot' : shape, key}));
}

/** A line for each row: a mark for each column, what was published across them. */
function rowPanels(rows, columns, tones, shape) {
  const isTwice = (row) => rows.filter((one) => one.says === row.says).length > 1;
  const categories = rows.map((row) => ({
    label: isTwice(row) && row.setting ? `${row.says}, ${row.setting}` : row.says, published: row.published ?? null,
    marks: columns.map((column) => markOf(answerOf(row, column), tones.get(column))),
    lines: [...publishedLine(row), ...row.answers.map((one) => answerLine(one.column, row, one))],
  }));
  return panelsOnOneScale([{title: '', categories}], rows, shape, columns.map((name) => ({name, tone: tones.get(name)})));
}

const [layerOf, productOf] = [1, 2].map((part) => ({says}) => layerAndProduct.exec(says)[part]);

/** A chart for each column, in it a line for each layer: a mark for each product, what was published on it. */
function layerPanels(rows, columns, products) {
  const layers = distinct(rows.map(layerOf));
  const categoryOf = (layer, column) => {
    const found = products.map((product) => rows.find((row) => layerOf(row) === layer && productOf(row) === product));
    return {
      label: layer, published: null,
      marks: found.map((row, i) => markOf(row && answerOf(row, column), productTones[products[i]], row?.published)),
      lines: found.filter(Boolean).flatMap((row) => [
        ...publishedLine(row).map(([name, text]) => [`${productOf(row)}, ${name}`, text]),
        ...row.answers.filter((one) => one.column === column).map((one) => answerLine(productOf(row), row, one))]),
    };
  };
  const parts = columns.map((column) => ({title: column, categories: layers.map((one) => categoryOf(one, column))}));
  return panelsOnOneScale(parts, rows, 'bar', products.map((name) => ({name, tone: productTones[name]})));
}

function unitPanels(rows, tones) {
  const columns = columnsOf({columns: [...tones.keys()], rows});
  const isOfLayers = rows.every(({says}) => layerAndProduct.test(says)) && distinct(rows.map(({says}) => says)).length === rows.length;
  const products = isOfLayers ? distinct(rows.map(productOf)) : [];
  return products.length > 1 ? layerPanels(rows, columns, products) : rowPanels(rows, columns, tones, isOfLayers ? 'bar' : 'dot');
}

/**
 * The charts of a figure, one for each unit, of layers one for each column (its title) too: [{title, unit, axis, axisName, shape, key,
 * categories: [{label, published, marks: [{value, low, high, tone, published}], lines}]}]. A unit in which nothing is
 * simulated has none.
 */
export function panelsOf(figure, tones) {
  const drawn = figure.rows.filter((row) => row.answers.length > 0 || row.published);
  const byUnit = distinct(drawn.map(({unit}) => unit)).map((unit) => drawn.filter((row) => row.unit === unit))
    .filter((rows) => rows.some((row) => row.answers.length > 0));
  return byUnit.flatMap((rows) => unitPanels(rows, tones));
}
