// The table of a paper's figure.

import {columnsOf, obtainedOf, sharedOf, whereOf} from './paper.js';
import {deviationText, intervalText, publishedText, valueText, verdictText, whyText} from './paper_text.js';

const answerOf = (row, column) => row.answers.find((one) => one.column === column);

/** "cannot be told apart" as a class of style.css. */
export const verdictClass = (verdict) => verdict.replaceAll(' ', '-');

/** The value; below it, line by line, its interval, its deviation, and its verdict. */
function answerText(row, answer) {
  if (!answer) return row.not_compared ? 'not compared' : '';
  return [valueText(answer.value, row.unit, row.published), intervalText(answer, row.unit, row.published),
          deviationText(answer, row.unit, row.published), verdictText(answer)?.replace(': ', ':\n')].filter(Boolean).join('\n');
}

const markOf = (answer) => answer?.verdict && `verdict ${verdictClass(answer.verdict)}`;

const answerColumn = (figure, column) => ({
  key: column, title: column, help: whereOf(figure, column) || column, kind: 'answer', value: (row) => answerOf(row, column)?.value ?? null,
  format: (_, row) => (row ? answerText(row, answerOf(row, column)) : ''), mark: (row) => markOf(answerOf(row, column)),
});

const textColumn = (key, title, value = (row) => row[key]) => ({key, title, value, kind: 'text', format: (text) => text ?? ''});

/** What the row says; below it what it is of, unless all rows are of the same. */
function headColumn(figure) {
  const shared = sharedOf(figure);
  return {...textColumn('says', 'says', (row) => [row.says, shared.quantity === null && row.quantity, shared.setting === null && row.setting]
    .filter(Boolean).join('\n')), kind: 'head'};
}

/** What was published; below it how the paper came by it, unless that is the same in all rows. */
function publishedColumn(figure) {
  const isSame = sharedOf(figure).obtained !== null;
  const text = (row) => [row.published ? publishedText(row.published, row.unit) : row.not_obtained ? 'not obtained' : '–', isSame ? '' : obtainedOf(row)];
  return {key: 'published', title: 'published', kind: 'answer', value: (row) => row.published?.least ?? null,
          format: (_, row) => (row ? text(row).filter(Boolean).join('\n') : '')};
}

/** What people read; without columns that say nothing in any row, or the same in all. */
export function paperColumns(figure) {
  const isNote = sharedOf(figure).note === null;
  const texts = [textColumn('why', 'why', whyText), ...(isNote ? [textColumn('note', 'note')] : [])];
  return [headColumn(figure), publishedColumn(figure), ...columnsOf(figure).map((column) => answerColumn(figure, column)),
          ...texts.filter(({value}) => figure.rows.some((row) => value(row) !== ''))];
}

const saved = (key, value) => ({key, title: key, value});

/** What a CSV file has: exact values, everything that is known. */
export function savedColumns(figure) {
  const texts = (...keys) => keys.map((key) => saved(key, (row) => row[key]));
  return [
    ...texts('says', 'quantity', 'unit'), ...['least', 'most'].map((key) => saved(`published ${key}`, (row) => row.published?.[key])),
    ...columnsOf(figure).flatMap((column) => ['value', 'low', 'high', 'deviation', 'kind', 'verdict', 'because', 'where']
      .map((key) => saved(`${column} ${key}`, (row) => answerOf(row, column)?.[key]))),
    ...texts('why', 'fitted', 'not_obtained', 'not_compared', 'obtained', 'setting', 'note'),
  ];
}
