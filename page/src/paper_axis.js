// The axis that figures of one unit stand along.

const mostOnOneScale = 100;   // times the least: beyond it an axis is logarithmic

/** Between ticks of an axis, at most six of them. */
export function stepOf(span) {
  const decade = 10 ** Math.floor(Math.log10(span / 5));
  return decade * [1, 2, 5, 10].find((one) => one * decade * 6 >= span);
}

/** 0.30000000000000004 as 0.3. */
const clean = (value) => Number(value.toPrecision(12));

function linear(least, most, shape) {
  const isNear = shape === 'dot' && least > most / 2;   // far from zero: it is their differences that are to be seen
  const span = isNear ? most - least : Math.max(0, most) - Math.min(0, least);
  const step = stepOf(span || Math.abs(most) || 1);
  const min = clean(step * Math.floor(clean((isNear ? least : Math.min(0, least)) / step)));
  const max = clean(step * Math.ceil(clean((isNear ? most : Math.max(0, most)) / step)));
  return {isLog: false, step, min, max: max > min ? max : clean(min + step)};
}

/**
 * {isLog, min, max, step}: logarithmic, in whole decades, if positive values span more than two of them; else from zero, or,
 * of dots, from just below the least if all are within a factor of two.
 * @param shape 'bar' or 'dot'
 */
export function axisOf(values, shape) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least > 0 && most / least > mostOnOneScale) {
    return {isLog: true, step: 1, min: 10 ** Math.floor(clean(Math.log10(least))), max: 10 ** Math.ceil(clean(Math.log10(most)))};
  }
  return linear(least, most, shape);
}
