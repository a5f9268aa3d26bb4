// Speedups as colours: slower than dense orange, as fast as it neutral, faster blue.

const clamp = (value) => Math.max(0, Math.min(1, value));
const mix = (a, b, part) => a.map((one, i) => Math.round(one + (b[i] - one) * part));
const parse = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const css = (rgb) => `rgb(${rgb.join(', ')})`;

/** How far from neutral, -1 (half as fast or slower) to 1 (twice as fast or faster), by the logarithm. */
export const gainScale = (speedup) =>
  (speedup > 0 ? Math.max(-1, Math.min(1, Math.log2(speedup))) : 0);

/** @param colours {neutral, slow, fast} as #rrggbb */
export function gainColour(speedup, colours) {
  const scale = gainScale(speedup);
  return css(mix(parse(colours.neutral), parse(scale < 0 ? colours.slow : colours.fast), clamp(Math.abs(scale))));
}

/** #rrggbb as the other functions give colours. */
export const rgbOf = (colour) => (colour.startsWith('rgb') ? colour : css(parse(colour)));

/** Black or white, whichever reads better on it. */
export function textOn(rgb) {
  const [r, g, b] = rgb.match(/\d+/g).map((one) => {
    const part = Number(one) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? '#111111' : '#ffffff';
}
