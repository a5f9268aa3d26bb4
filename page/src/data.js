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

/** Fields of a CSV text by RFC 4180 as objects; what is a number becomes one. */
export function csvRows(text) {
  const records = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/gy)) {
    const field = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    records.at(-1).push(field);
    if (end === '') break;
    if (end !== ',') records.push([]);
  }
  const [head, ...lines] = records.filter((one) => one.length > 1 || one[0] !== '');
  const value = (field) => (field === '' || field === undefined ? null : Number.isFinite(Number(field)) ? Number(field) : field);
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, value(line[i])])));
}

/** All points of a sweep's file as a document of stcsim.sweep/1; what always changes together is one dimension. */
export function sweepOfPoints({points, file, ...head}) {
  const number = (value) => (typeof value === 'string' && value !== '' && Number.isFinite(Number(value)) ? Number(value) : value);
  const rows = points.map((point, i) => {
    const own = Object.entries(point).map(([key, value]) => [key.replace(/^(axes|figures)\./, ''), key.startsWith('axes.') ? number(value) : value]);
    return {point: i + 1, kind: (point['axes.network'] ?? null) === null ? 'gemm' : 'step', ...Object.fromEntries(own)};
  });
  const names = [...new Set(points.flatMap(Object.keys))].filter((key) => key.startsWith('axes.')).map((key) => key.slice(5));
  const changes = (name) => {
    const known = [];
    return rows.map((row) => (known.includes(row[name]) ? known.indexOf(row[name]) : known.push(row[name]) - 1)).join();
  };
  const dimensions = names.map(changes);
  return {...head, file, schema: 'stcsim.sweep/1', space: file.replace(/\.sqlite$/, ''), points: rows.length, missing: 0, failures: [], rows,
          axes: names.map((name, i) => ({name, dimension: dimensions.indexOf(dimensions[i]) + 1, zip: ''}))};
}

function asShown(document) {
  if (document.schema === 'stcsim.points/1') return sweepOfPoints(document);
  return document.schema === 'stcsim.csv/1' ? {...document, text: undefined, rows: csvRows(document.text)} : document;
}

/** All documents of the page. */
export function readDocuments(text) {
  return JSON.parse(text).documents.map(decodeDocument).map(asShown);
}

/** Leaves of nested objects and arrays, as [{key: 'machines.0.name', value}]. */
export function flatten(value, prefix = '') {
  if (value === null || typeof value !== 'object') return [{key: prefix, value}];
  const place = (key) => (prefix === '' ? key : `${prefix}.${key}`);
  const inner = Object.entries(value);
  if (inner.length === 0) return [{key: prefix, value: Array.isArray(value) ? '[]' : '{}'}];
  return inner.flatMap(([key, one]) => flatten(one, place(key)));
}
