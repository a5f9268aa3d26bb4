// What `stcsim page` embeds. An array of objects is stored by columns: {"rows": count, "columns":
// {"a.b": column}}, a column being an array of values, {"all": value} where all are the same, or
// {"values": [...], "index": [...]} where few differ. null stands for a key that a row lacks.

function columnReader(column) {
  if (Array.isArray(column)) return (i) => column[i];
  if ('all' in column) return () => column.all;
  return (i) => column.values[column.index[i]];
}

const isTable = (value) =>
  value !== null && typeof value === 'object' && typeof value.rows === 'number' &&
  value.columns !== null && typeof value.columns === 'object' && Object.keys(value).length === 2;

/** The rows of a table as objects with flat keys: row['kernel.name']. */
export function decodeTable(table) {
  const keys = Object.keys(table.columns);
  const readers = keys.map((key) => columnReader(table.columns[key]));
  const rows = new Array(table.rows);
  for (let i = 0; i < table.rows; ++i) {
    const row = {};
    for (let j = 0; j < keys.length; ++j) row[keys[j]] = readers[j](i);
    rows[i] = row;
  }
  return rows;
}

/** A document with its tables as arrays of rows, and those of the documents inside it. */
export function decodeDocument(document) {
  const decoded = {};
  for (const [key, value] of Object.entries(document)) {
    decoded[key] = key === 'explanations' ? value.map(decodeDocument) : isTable(value) ? decodeTable(value) : value;
  }
  return decoded;
}

/** All documents of the page. */
export function readDocuments(text) {
  return JSON.parse(text).documents.map(decodeDocument);
}

/** Leaves of nested objects and arrays, as [{key: 'machines.0.name', value}]. */
export function flatten(value, prefix = '') {
  if (value === null || typeof value !== 'object') return [{key: prefix, value}];
  const place = (key) => (prefix === '' ? key : `${prefix}.${key}`);
  const inner = Object.entries(value);
  if (inner.length === 0) return [{key: prefix, value: Array.isArray(value) ? '[]' : '{}'}];
  return inner.flatMap(([key, one]) => flatten(one, place(key)));
}
