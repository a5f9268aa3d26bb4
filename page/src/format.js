// Figures as people read them.

/** Three significant digits without an exponent. */
export function digits3(value) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(Number(value.toPrecision(3)));
  if (size === 0) return '0';
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(decimals, 6));
}

/** In the unit that suits the value once it is rounded, as the program's tables have it. */
const scaled = (value, units) => {
  const rounded = Math.abs(Number(value.toPrecision(3)));
  let [unit, factor] = units[0];
  for (const [name, size] of units) if (rounded >= size) [unit, factor] = [name, size];
  return `${digits3(value / factor)} ${unit}`;
};

export const time = (us) => (us === 0 ? '0' : scaled(us, [['ns', 1e-3], ['µs', 1], ['ms', 1e3], ['s', 1e6]]));
export const bytes = (value) =>
  (value === 0 ? '0 B' : scaled(value, [['B', 1], ['kB', 1e3], ['MB', 1e6], ['GB', 1e9], ['TB', 1e12]]));
export const percent = (share) => (Number.isFinite(share) ? `${digits3(100 * share).replace('-', '−')} %` : '–');
export const factor = (value) => (Number.isFinite(value) && value > 0 ? `${digits3(value)}×` : '–');
export const count = (value) =>
  (Number.isFinite(value) ? String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ',') : '–');
/** Labels of an axis between two values, with as many decimals as tell its ticks apart. */
export function ticks(least, most, unit = '') {
  const span = most - least;
  const decimals = span > 0 ? Math.min(9, Math.max(0, Math.ceil(1 - Math.log10(span)))) : 2;
  return (value) => `${decimals === 0 ? count(value) : value.toFixed(decimals)}${unit}`;
}
/** Whole per cent, for sentences. */
export const wholePercent = (share) => `${Math.round(100 * share)} %`;

/** A value of unknown kind, for tables. */
export function plain(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') {
    if (Number.isInteger(value)) return count(value);
    return Math.abs(value) >= 1e-3 ? digits3(value) : value.toExponential(2);
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** "shared_memory_port" as words, "dram" as DRAM. */
export const words = (name) => String(name).replaceAll('_', ' ').replace(/\b(dram|l2|cta)\b/g, (one) => one.toUpperCase())
  .replace(/\bctas\b/g, 'CTAs');

/** Seconds as a duration of training. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 120) return `${digits3(seconds)} s`;
  if (seconds < 7200) return `${digits3(seconds / 60)} min`;
  return `${digits3(seconds / 3600)} h`;
}
