// The atlas as one picture: the fastest scheme of each network on each machine, under the software that is chosen by default, and
// how many schemes are surely faster or slower than dense there. Where the machine lacks the memory for a step, a cell is hatched.
// Each cell carries its figures (data-fits, data-gain, data-optimizer and so on), by which a test counts what is drawn and said.

import {fastestOf, isOptimizers, tally} from '../../page/src/atlas.js';
import {gainColour, textOn} from '../../page/src/gain_colour.js';

const colours = {neutral: '#dfe3e8', slow: '#c2540a', fast: '#1467b8'};
const [left, top, wide, high] = [190, 98, 78, 23];
const bar = 4;
const grey = 'fill="#57606a"';
const escaped = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** As in the page: 1.5 times as fast, or as slow, is the full colour. */
const stretched = (speedup) => speedup ** (Math.LN2 / Math.log(1.5));
const text = (x, y, words, more = '') => `<text x="${x}" y="${y}" ${more}>${escaped(words)}</text>`;
const rect = (x, y, width, height, fill, more = '') => `<rect ${more}x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`;

/** The cells of a network on a machine as one. */
function placeOf(here) {
  const fastest = fastestOf(here, 'speedup');
  return fastest && {...fastest, counts: tally(here), needs: Math.min(...here.map((one) => one.memory_bytes)) / 1e9};
}

/** The figures of a place, as attributes. */
function dataOf({network, machine, scheme, fits, speedup, low, high: most, optimizer, needs, counts}) {
  const data = {network, machine, scheme, fits, gain: speedup, low, high: most, optimizer, 'needs-gb': needs.toPrecision(3),
                faster: counts.faster, slower: counts.slower, open: counts.open, misfits: counts.misfits};
  return Object.entries(data).map(([key, value]) => `data-${key}="${escaped(value ?? '')}"`).join(' ');
}

/** Bars of the schemes that fit, by what is known of their gains; those that do not leave their part empty. */
function countsBar({faster, open, slower, all}, x, y) {
  let from = x;
  return [[faster, colours.fast], [open, '#b6bec7'], [slower, colours.slow]].map(([count, colour]) => {
    const width = (wide - 2) * count / all;
    from += width;
    return count > 0 ? rect((from - width).toFixed(1), y, width.toFixed(1), bar, colour) : '';
  }).join('');
}

function cellAt(place, x, y) {
  if (!place) return '';
  const fill = place.fits ? gainColour(stretched(place.speedup), colours) : 'url(#misfit)';
  const gain = `${place.speedup.toFixed(2)}×${isOptimizers(place) ? ' opt.' : ''}`;
  const words = place.fits ? gain : `${Number(place.needs.toPrecision(3))} GB`;
  return `<g class="cell" ${dataOf(place)}>` + rect(x, y, wide - 2, high - 2 - bar, fill) + (place.fits ? countsBar(place.counts, x, y + high - 2 - bar) : '') +
    text(x + wide / 2 - 1, y + 13, words, `text-anchor="middle" ${place.fits ? `fill="${textOn(fill)}"` : grey}`) + '</g>';
}

export function atlasPicture(atlas) {
  const {networks, machines} = atlas;
  const framework = atlas.cells[0].framework;
  const cells = atlas.cells.filter((one) => one.framework === framework);
  const places = networks.map(({name}) => machines.map((machine) => placeOf(cells.filter((one) => one.network === name && one.machine === machine))));
  const shown = places.flat().filter(Boolean);
  const count = (holds) => shown.filter(holds).length;
  const schemes = new Set(cells.map((one) => one.scheme)).size;
  const [width, height] = [left + machines.length * wide + 10, top + networks.length * high + 34];
  const captions = [
    `Below each: of ${schemes} schemes those surely faster than dense (blue), surely slower (orange), the others (grey) cannot be told from it`,
    `Hatched: ${count((one) => !one.fits)} of ${shown.length} do not fit the card's memory at the network's batch, whatever the scheme; what the leanest needs`,
    `opt.: ${count((one) => one.fits && isOptimizers(one))}, most of whose gain is the optimizer's, which updates fewer weights; accuracy is no part of this picture`];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="#1b1f24">
<pattern id="misfit" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">${rect(0, 0, 6, 6, '#f6f8fa')}${rect(0, 0, 1.5, 6, '#d0d7de')}</pattern>
${rect(0, 0, width, height, '#ffffff')}
${text(10, 22, 'What the fastest scheme gains of a whole training, pruning charged: dense time / time', 'font-size="15" font-weight="600"')}
${captions.map((words, line) => text(10, 40 + 16 * line, words, `class="caption" ${grey}`)).join('\n')}
${machines.map((one, i) => text(left + i * wide + wide / 2 - 1, top - 8, one, 'text-anchor="middle"')).join('\n')}
${networks.map(({name}, row) => text(left - 8, top + row * high + 13, name, 'text-anchor="end"') + places[row].map((place, column) => cellAt(place, left + column * wide, top + row * high)).join('')).join('\n')}
${text(10, height - 12, `stcsim ${atlas.version}, ${framework}; made by: make atlas`, grey)}
</svg>
`;
}
