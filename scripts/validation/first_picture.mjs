// README's first picture: what 2:4 gained in training where somebody timed it, and what is simulated: a line for each thing that
// was timed, the mean of those timed in many sizes. What is far off is marked, and everything has its name.

const colours = {measured: '#0072b2', simulated: '#d55e00', text: '#1b1f24', quiet: '#57606a', grid: '#e3e7eb'};
const [left, right, top, step] = [300, 110, 86, 30];
const farOff = 0.1;

const text = (x, y, words, more = '') => `<text x="${x}" y="${y}" ${more}>${String(words).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;
const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** What a scheme prunes that is not weights stands beside the name; whoever published a scheme of his own is named by it. */
const operandOf = ({scheme}) => (/activations/.test(scheme) ? ', activations' : '');

/** Passes of sparse training in lines: [{name, rows, measured, simulated}], the largest measured gain first. */
export function gainLines(networks) {
  const lines = new Map();
  for (const row of networks) {
    const isPass = row.scope === 'passes' && row.phase.startsWith('training') && row.skipped === '';
    if (!isPass || row.measured_speedup_low === null || row.simulated_speedup_low === null) continue;
    const name = `${row.network}${operandOf(row)}, ${row.gpu}`;
    lines.set(name, [...lines.get(name) ?? [], row]);
  }
  return [...lines].map(([name, rows]) => ({
    name: rows.length > 1 ? `${name}, mean of ${rows.length}` : name, rows: rows.length,
    measured: mean(rows.map((row) => row.measured_speedup_low)), simulated: mean(rows.map((row) => row.simulated_speedup_low)),
  })).sort((one, other) => other.measured - one.measured);
}

export const errorOf = ({measured, simulated}) => simulated / measured - 1;
export const isFarOff = (line) => Math.abs(errorOf(line)) > farOff;

/** The picture as SVG, its lines with their figures as attributes; nothing where nothing was timed. */
export function firstPicture(networks, width = 850) {
  const lines = gainLines(networks);
  if (lines.length === 0) return '';
  const values = lines.flatMap(({measured, simulated}) => [measured, simulated]);
  const [least, most] = [Math.floor(10 * Math.min(1, ...values) - 0.5) / 10, Math.ceil(10 * Math.max(1, ...values) + 0.5) / 10];
  const height = top + lines.length * step + 44;
  const x = (gain) => left + (gain - least) / (most - least) * (width - left - right);
  const ticks = Array.from({length: Math.round((most - least) * 10) + 1}, (_, i) => least + i / 10).filter((tick) => Math.round(10 * tick) % 2 === 0);
  const grid = ticks.map((tick) => {
    const isOne = Math.abs(tick - 1) < 1e-9;
    return `<line x1="${x(tick)}" x2="${x(tick)}" y1="${top - 12}" y2="${height - 40}" stroke="${isOne ? '#888888' : colours.grid}"/>` +
      text(x(tick), height - 22, isOne ? '1 = dense' : `${tick.toFixed(1)}×`, `text-anchor="middle" fill="${colours.quiet}"`);
  });
  const drawn = lines.map((line, i) => {
    const y = top + i * step + 4;
    const error = errorOf(line);
    const digits = Math.abs(100 * error).toFixed(0);
    const sign = error < 0 ? '−' : '+';
    const percent = `${digits === '0' ? '' : sign}${digits} %`;
    const weight = isFarOff(line) ? `font-weight="700" fill="${colours.simulated}"` : `fill="${colours.quiet}"`;
    return `<g class="line" data-measured="${line.measured.toFixed(3)}" data-simulated="${line.simulated.toFixed(3)}" data-rows="${line.rows}">` +
      text(left - 14, y + 4, line.name, `text-anchor="end"${isFarOff(line) ? ' font-weight="700"' : ''}`) +
      `<line x1="${x(line.measured).toFixed(1)}" x2="${x(line.simulated).toFixed(1)}" y1="${y}" y2="${y}" stroke="#b6bec7" stroke-width="3"/>` +
      `<circle cx="${x(line.measured).toFixed(1)}" cy="${y}" r="6" fill="${colours.measured}"/>` +
      `<circle cx="${x(line.simulated).toFixed(1)}" cy="${y}" r="5" fill="#ffffff" stroke="${colours.simulated}" stroke-width="2.5"/>` +
      text(width - right + 24, y + 4, percent, weight) + '</g>';
  });
  const near = lines.filter((line) => !isFarOff(line)).length;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="13" fill="${colours.text}">
<rect width="${width}" height="${height}" fill="#ffffff"/>
${text(10, 24, 'What 2:4 sparsity gains in training, forward and backward', 'font-size="16" font-weight="600"')}
${text(10, 46, `${near} of ${lines.length} within ${100 * farOff} % of the measurement; no gain was fitted`, `fill="${colours.quiet}"`)}
<circle cx="${left + 6}" cy="${top - 24}" r="6" fill="${colours.measured}"/>${text(left + 18, top - 20, 'measured on the GPU')}
<circle cx="${left + 176}" cy="${top - 24}" r="5" fill="#ffffff" stroke="${colours.simulated}" stroke-width="2.5"/>${text(left + 188, top - 20, 'simulated')}
${text(width - right + 24, top - 20, 'off by', `fill="${colours.quiet}"`)}
${grid.join('\n')}
${drawn.join('\n')}
</svg>
`;
}
