// The atlas as one picture: the best scheme of each network on each machine, under the software that is chosen by default, and
// how many schemes are surely faster or slower than dense there.

import {bestOf, tally} from '../../page/src/atlas.js';
import {gainColour, textOn} from '../../page/src/gain_colour.js';

const colours = {neutral: '#dfe3e8', slow: '#c2540a', fast: '#1467b8'};
const [left, top, wide, high] = [190, 78, 78, 23];
const bar = 4;
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** As in the page: 1.5 times as fast, or as slow, is the full colour. */
const stretched = (speedup) => speedup ** (Math.LN2 / Math.log(1.5));

export function atlasPicture(atlas) {
  const {networks, machines} = atlas;
  const framework = atlas.cells[0].framework;
  const cells = atlas.cells.filter((one) => one.framework === framework);
  const text = (x, y, words, more = '') => `<text x="${x}" y="${y}" ${more}>${escaped(words)}</text>`;
  const cell = (network, row, machine, column) => {
    const here = cells.filter((one) => one.network === network && one.machine === machine);
    const best = bestOf(here, 'speedup');
    if (!best) return '';
    const fill = gainColour(stretched(best.speedup), colours);
    const [x, y] = [left + column * wide, top + row * high];
    const counts = tally(here);
    let from = x;
    const part = (count, colour) => {
      const width = (wide - 2) * count / counts.all;
      from += width;
      return count > 0 ? `<rect x="${(from - width).toFixed(1)}" y="${y + high - 2 - bar}" width="${width.toFixed(1)}" height="${bar}" fill="${colour}"/>` : '';
    };
    return `<rect class="best" x="${x}" y="${y}" width="${wide - 2}" height="${high - 2 - bar}" fill="${fill}"/>` +
      part(counts.faster, '#1467b8') + part(counts.open, '#b6bec7') + part(counts.slower, '#c2540a') + text(x + wide / 2 - 1, y + 13, `${best.speedup.toFixed(2)}×`, `text-anchor="middle" fill="${textOn(fill)}"`);
  };
  const [width, height] = [left + machines.length * wide + 10, top + networks.length * high + 34];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="#1b1f24">
<rect width="${width}" height="${height}" fill="#ffffff"/>
${text(10, 22, 'What the best scheme gains of a whole training, pruning charged: dense time / time', 'font-size="15" font-weight="600"')}
${text(10, 42, `Below each: of ${new Set(cells.map((one) => one.scheme)).size} schemes those surely faster than dense (blue), surely slower (orange), the others (grey) cannot be told from it`, 'fill="#57606a"')}
${machines.map((one, i) => text(left + i * wide + wide / 2 - 1, top - 10, one, 'text-anchor="middle"')).join('\n')}
${networks.map(({name}, row) => text(left - 8, top + row * high + 13, name, 'text-anchor="end"') + machines.map((machine, column) => cell(name, row, machine, column)).join('')).join('\n')}
${text(10, height - 12, `stcsim ${atlas.version}, ${framework}; made by: make atlas`, 'fill="#57606a"')}
</svg>
`;
}
