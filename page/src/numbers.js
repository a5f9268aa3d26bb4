// The numbers that an option of ECharts draws, as a table.

const nameOf = (axis) => [axis].flat()[0]?.name ?? '';
const withUnit = (name, unit) => [name, unit].filter(Boolean).join(', ');
const valueOf = (item) => (item !== null && typeof item === 'object' && !Array.isArray(item) ? item.value : item);

function leaves(nodes, path = []) {
  return nodes.flatMap((one) => (one.children ? leaves(one.children, [...path, one.name]) : [[...path, one.name, one.value]]));
}

/** A row for each category, a column for each series. */
function ofCategories({xAxis, yAxis, series}, of) {
  const [category, value] = yAxis.type === 'category' ? [yAxis, xAxis] : [xAxis, yAxis];
  const shown = series.filter(({type}) => type === 'bar' || type === 'line');
  return {columns: [of, ...shown.map(({name}) => withUnit(name, nameOf(value)) || 'value')],
          rows: category.data.map((name, i) => [name, ...shown.map(({data}) => valueOf(data[i]))])};
}

/** A row for each point. Lines that say nothing have no name. */
function ofPoints({xAxis, yAxis, series}) {
  const shown = series.filter(({type, silent, name}) => type !== 'custom' && !(silent && !name));
  const names = shown.some(({name}) => name);
  return {columns: [...(names ? ['series'] : []), nameOf(xAxis) || 'x', nameOf(yAxis) || 'y'],
          rows: shown.flatMap(({name, data}) => data.map((item) => [...(names ? [name ?? ''] : []), ...valueOf(item).slice(0, 2)]))};
}

/** @param of what a row is, where the option does not say: 'scheme' */
export function numbersOf(option, of = 'name') {
  const [first] = option.series;
  if (first.type === 'treemap') return {columns: ['part', of, 'value'], rows: leaves(first.data)};
  if (first.type === 'parallel') return {columns: option.parallelAxis.map(nameOf), rows: first.data};
  return option.yAxis.type === 'category' || option.xAxis.type === 'category' ? ofCategories(option, of) : ofPoints(option);
}
