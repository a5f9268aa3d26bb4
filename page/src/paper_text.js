// Figures of a paper and what is said of them, as people read them.

import {digits3} from './format.js';

/** Of a unit of stcsim.paper/2: what an axis is in, and what stands behind a figure. */
const units = {
  ratio: {axis: '×', behind: '×'}, percent: {axis: '%', behind: ' %'}, points: {axis: 'percentage points', behind: ' points'},
  ms: {axis: 'ms', behind: ' ms'}, us: {axis: 'µs', behind: ' µs'}, s: {axis: 's', behind: ' s'},
  'TFLOP/s': {axis: 'TFLOP/s', behind: ' TFLOP/s'}, cycles: {axis: 'cycles', behind: ' cycles', isCounted: true}, bits: {axis: 'bits', behind: ' bits', isCounted: true},
  count: {axis: '', behind: '', isCounted: true}, value: {axis: '', behind: ''},
};
const unitOf = (unit) => units[unit] ?? {axis: unit, behind: unit === '' ? '' : ` ${unit}`};
export const axisUnit = (unit) => unitOf(unit).axis;

const raised = {'-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹'};
/** 3 as 10³. */
export const powerOfTen = (exponent) => `10${[...String(exponent)].map((one) => raised[one]).join('')}`;

const tidy = (text) => {
  const [whole, ...rest] = text.split('.');
  const long = whole.replace('-', '').length > 4;
  return [long ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole, ...rest].join('.').replace('-', '−');
};
const isExact = (value) => value === 0 || (Math.abs(value) < 1e15 && Math.abs(value) >= 1e-6);
const scientific = (value) => {
  const [digits, exponent] = value.toExponential(2).split('e');
  return `${digits.replace('-', '−')} · ${powerOfTen(Number(exponent))}`;
};

/** 0.30000000000000004 as 0.3. */
const plainDigits = (value) => String(Number(value.toPrecision(15)));
const decimalsOf = (digits) => digits.split('.')[1]?.length ?? 0;

/** A number with all digits that it has. */
export const numberText = (value) => (isExact(value) ? tidy(plainDigits(value)) : scientific(value));

/** One of ours: three significant digits, more if the published figure has more decimals; what is counted in full. */
function ours(value, unit, {least, most} = {}) {
  if (!isExact(value)) return scientific(value);
  if (Number.isInteger(value) && unitOf(unit).isCounted) return tidy(String(value));
  const short = digits3(value);
  const decimals = typeof least === 'number' ? Math.max(...[least, most].map((one) => decimalsOf(plainDigits(one)))) : 0;
  return tidy(decimals > decimalsOf(short) ? value.toFixed(Math.min(decimals, 6)) : short);
}

const signs = (unit, value) => (unit === 'points' && value > 0 ? '+' : '');
const range = (low, high, behind) => (low === high ? `${low}${behind}` : `${low} … ${high}${behind}`);

/** "33.17 %", "15 … 25 %"; '' where the paper has no number. */
export function publishedText({least, most}, unit) {
  if (typeof least !== 'number') return '';
  const text = (value) => signs(unit, value) + numberText(value);
  return range(text(least), text(most), unitOf(unit).behind);
}

/** @param beside what was published, or nothing */
export const valueText = (value, unit, beside) => signs(unit, value) + ours(value, unit, beside) + unitOf(unit).behind;

/** "30.1 … 31.9"; '' if it is one value. */
export function intervalText({low, high}, unit, beside) {
  if (low === high) return '';
  const text = (value) => signs(unit, value) + ours(value, unit, beside);
  return range(text(low), text(high), '');
}

/** How far from the nearer end of what was published: "6.5 % less", "inside", "0.3 points lower"; '' where nothing was. */
export function deviationText({value, deviation}, unit, {least, most} = {}) {
  if (typeof deviation !== 'number') return '';
  if (deviation === 0 && least < most) return 'inside';
  if (unit === 'points') {
    const away = value - Math.min(Math.max(value, least), most);
    return away === 0 ? 'as published' : `${ours(Math.abs(away), unit)} points ${away < 0 ? 'lower' : 'higher'}`;
  }
  const part = Math.abs(100 * deviation);
  if (part < 0.05) return 'as published';
  return `${part < 10 ? part.toFixed(1) : Math.round(part)} % ${deviation < 0 ? 'less' : 'more'}`;
}

/** What is not obtained, below a heading that says so. */
export const withoutHeading = (text) => text.replace(/^not obtained[:,;]? /i, '');

const said = (word, text) => (text.toLowerCase().startsWith(word) ? text[0].toUpperCase() + text.slice(1)
  : `${word[0].toUpperCase()}${word.slice(1)}: ${text}`);

/** What columns say of their figures, those that say the same together. */
function becauses(answers) {
  const found = new Map();
  for (const {column, because} of answers) if (because) found.set(because, [...found.get(because) ?? [], column]);
  return [...found].map(([because, columns]) => (columns.length === answers.length ? because : `${columns.join(', ')}: ${because}`));
}

/** Why a row is as it is: what was fitted, what is not there, why it is not reproduced, and what columns say. */
export const whyText = (row) => [row.fitted && said('fitted', row.fitted), row.not_obtained && said('not obtained', row.not_obtained), row.not_compared && said('not compared', row.not_compared),
                                 row.why, ...becauses(row.answers)].filter(Boolean).join('\n');

/** "against measured: direction only", "own training: same direction, p = 0.02"; '' of an answer that is not judged. */
export const verdictText = ({kind, verdict, p_value: p}) => verdict && `${kind}: ${verdict}${typeof p === 'number' ? `, p = ${p.toFixed(p < 0.1 ? 3 : 2)}` : ''}`;

/** A word in pieces of so many letters at most, where it can after a '.', '_', '/' or '-'. */
function pieces(word, letters) {
  if (word.length <= letters) return [word];
  const end = Math.max(...['.', '_', '/', '-'].map((mark) => word.lastIndexOf(mark, letters - 1))) + 1 || letters;
  return [word.slice(0, end), ...pieces(word.slice(end), letters)];
}

/** Breaks a text into lines of so many letters, at spaces where it has some; what is beyond the last ends in '…'. */
export function lines(text, letters, most) {
  const found = [];
  for (const word of text.split(' ').flatMap((one) => pieces(one, letters))) {
    const last = found.at(-1);
    if (last === undefined || last.length + 1 + word.length > letters) found.push(word);
    else found[found.length - 1] = `${last} ${word}`;
  }
  return found.length <= most ? found : [...found.slice(0, most - 1), `${found[most - 1].slice(0, letters - 1)}…`];
}
