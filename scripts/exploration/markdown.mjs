// Tables and figures as the report writes them.

/** "1.23×". */
export const times = (value) => `${value.toFixed(2)}×`;
/** 0.031: "+3.1 %". */
export const change = (value) => `${value < 0 ? '−' : '+'}${(100 * Math.abs(value)).toFixed(1)} %`;
/** 0.31: "31 %". */
export const percent = (value) => `${Math.round(100 * value)} %`;

/** A Markdown table. @param columns [{title, right}] */
export function table(columns, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(columns.map(({title}) => title)), line(columns.map(({right}) => (right ? '---:' : '---'))), ...rows.map(line)].join('\n');
}
