// What a document of stcsim.validation/1 says, without drawing it.

/** What can be compared: rows with a measured and a simulated value. [{name, rows: [{x, y, row}]}] */
export function comparisons(validation) {
  const pairs = [
    ['dense GEMMs, µs', validation.results, 'measured_dense_us', 'simulated_dense_us'],
    ['sparse GEMMs, µs', validation.results, 'measured_sparse_us', 'simulated_sparse_us'],
    ['speedup of sparse GEMMs', validation.results, 'measured_speedup', 'simulated_speedup'],
    ['kernels beside the GEMMs, µs', validation.streams, 'measured_us', 'simulated_us'],
    ['networks, dense, µs', validation.networks, 'measured_dense_us', 'simulated_dense_us'],
    ['networks, sparse, µs', validation.networks, 'measured_sparse_us', 'simulated_sparse_us'],
    ['instructions, FMA/clk/SM', validation.instructions, 'measured_fma_per_clk_sm', 'simulated_fma_per_clk_sm'],
  ];
  return pairs.map(([name, rows, x, y]) => ({name, rows: (rows ?? [])
    .filter((row) => row[x] > 0 && row[y] > 0).map((row) => ({x: row[x], y: row[y], row}))}))
    .filter((one) => one.rows.length > 0);
}

/** Mean of |simulated / measured − 1| and of simulated / measured − 1, of the rows that are scored. */
export function errorsOf(rows) {
  const scored = rows.filter((one) => one.row.use !== 'shown');
  const errors = scored.map((one) => one.y / one.x - 1);
  const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;
  return {rows: scored.length, meanAbsolute: mean(errors.map(Math.abs)), bias: mean(errors)};
}

/** The next 1, 2 or 5 times a power of ten below, and above. */
export function roundDown(value) {
  const decade = 10 ** Math.floor(Math.log10(value));
  return decade * ([5, 2].find((one) => one * decade <= value) ?? 1);
}
export function roundUp(value) {
  const decade = 10 ** Math.floor(Math.log10(value));
  return decade * ([1, 2, 5].find((one) => one * decade >= value) ?? 10);
}
