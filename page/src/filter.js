// Filtering, sorting and CSV of a table's rows.

const comparison = /^([A-Za-z_][\w.]*)(<=|>=|!=|<|>|=)(.*)$/;
const compare = {
  '<': (a, b) => a < b, '>': (a, b) => a > b, '<=': (a, b) => a <= b, '>=': (a, b) => a >= b,
};

function condition(word, columns) {
  const match = comparison.exec(word);
  const column = match && columns.find((one) =>
    [one.key, one.title].some((name) => name.toLowerCase().replaceAll(' ', '_') === match[1].toLowerCase()));
  if (!column) {
    const wanted = word.toLowerCase();
    return (row) => columns.some((one) => String(one.value(row) ?? '').toLowerCase().includes(wanted));
  }
  const [, , operator, right] = match;
  if (operator in compare) {
    const number = Number(right);
    return (row) => {
      const value = column.value(row);
      return typeof value === 'number' && compare[operator](value, number);
    };
  }
  const wanted = right.toLowerCase();
  const equal = (row) => String(column.value(row) ?? '').toLowerCase() === wanted;
  return operator === '=' ? equal : (row) => !equal(row);
}

/**
 * A predicate of rows. All words of the text must hold: a word is somewhere in the row, or
 * compares a column: "speedup<1", "phase=wgrad", "kind!=gemm".
 * @param columns [{key, title, value: row => value}]
 */
export function predicate(text, columns) {
  const conditions = text.trim().split(/\s+/).filter((word) => word !== '')
    .map((word) => condition(word, columns));
  return (row) => conditions.every((one) => one(row));
}

function order(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', {numeric: true});
}

const isMissing = (value) => value === null || value === undefined || value === '';

/** Sorted copy; rows without a value come last in either direction, equal ones keep their order. */
export function sorted(rows, column, descending) {
  const keyed = rows.map((row) => [column.value(row), row]);
  const sign = descending ? -1 : 1;
  keyed.sort(([a], [b]) => {
    if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
    return sign * order(a, b);
  });
  return keyed.map(([, row]) => row);
}

function field(value) {
  const text = isMissing(value) ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180, with a header of the columns' keys. */
export function csv(rows, columns) {
  const lines = [columns.map((one) => field(one.key)),
                 ...rows.map((row) => columns.map((one) => field(one.value(row))))];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}
