// node atlas.mjs PROGRAM: the figures of an atlas are those of `stcsim run`, and the commands that it names make them.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {commandOf, stepsOf} from '../../page/src/atlas.js';
import {atlasOf, familyOf} from '../../scripts/atlas/atlas.mjs';
import {atlasPicture} from '../../scripts/atlas/picture.mjs';

const asked = {networks: ['tiny_resnet9', 'tiny_transformer'], machines: ['a100', 'rtx3090'], schemes: ['dense', 'slope', 'asp'], frameworks: ['', 'pytorch_compiled']};

export const smallAtlas = (program) =>
  atlasOf((options) => JSON.parse(execFileSync(program, ['run', ...options, '--format', 'json'], {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore']})), asked);

/** Rows of a CSV file without quotes in the columns that are asked for. */
function csvRows(file) {
  const [head, ...lines] = readFileSync(file, 'utf8').trim().split(/\r?\n/).map((line) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(,|$)/g)].map(([, field]) => field));
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
}

const six = (text) => Number(Number(text).toPrecision(6));

async function main(program) {
  const folder = mkdtempSync(join(tmpdir(), 'stcsim-atlas-'));
  try {
    const atlas = await smallAtlas(program);
    assert.equal(atlas.cells.length, 2 * 2 * 2 * 2);
    for (const network of asked.networks) {
      const out = join(folder, network);
      execFileSync(program, ['run', '--network', network, '--arch', 'a100,rtx3090', '--schemes', 'dense,slope,asp', '--out', out], {stdio: 'ignore'});
      const rows = csvRows(join(out, 'totals.csv'));
      for (const row of rows.filter((one) => one.scheme !== 'dense')) {
        const cell = atlas.cells.find((one) => one.network === network && one.machine === row.machine && one.scheme === row.scheme && one.framework === row.framework);
        const where = `${network} ${row.machine} ${row.scheme}`;
        assert.deepEqual([cell.speedup, cell.low, cell.high, cell.free, cell.time_us], [row['training.speedup'], row['speedup_interval.low'], row['speedup_interval.high'],
          row['step_without_work.speedup'], row['training.time_us']].map(six), where);
        const [optimizer, step] = ['optimizer', 'step'].map((part) => row[`${part}.dense_time_us`] - row[`${part}.time_us`]);
        assert.equal(cell.optimizer, step > 0 ? six(optimizer / step) : 0, where);
        const dense = rows.find((one) => one.scheme === 'dense' && one.machine === row.machine);
        assert.equal(cell.memory_bytes, Math.max(row['memory.total_bytes'], dense['memory.total_bytes']), where);
        assert.deepEqual([cell.fits, row['memory.fits'], dense['memory.fits']], [true, 'true', 'true'], where);
        const steps = stepsOf(cell, atlas.names);
        if (steps.length > 0) assert.equal(steps.at(-1).to, Number(Number(row['training.speedup']).toFixed(4)), where);
      }
    }
    for (const cell of [atlas.cells[0], atlas.cells.find((one) => one.framework === 'pytorch_compiled' && one.machine === 'rtx3090')]) {
      const words = commandOf(cell, atlas.cells[0].framework).split(' ').slice(1);
      const {totals} = JSON.parse(execFileSync(program, [...words, '--format', 'json'], {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore']}));
      assert.equal(six(totals.find((one) => one.scheme === cell.scheme).training.speedup), cell.speedup);
    }
    const picture = atlasPicture(atlas);
    assert.equal((picture.match(/<g class="cell" /g) ?? []).length, 2 * 2);
    assert.deepEqual(['bert_base_s128', 'opt_66b', 'sam_vit_l', 'resnext101_32x16d'].map(familyOf), ['encoders', 'decoders', 'vision transformers', 'convolutional']);
  } finally {
    rmSync(folder, {recursive: true});
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2]);
