// Rows and totals to compute by hand with.

/** What runs at 1 MHz: its cycles are µs. */
const timed = (row) => ({time_us: row.cycles, dense_time_us: row.dense_cycles, speedup: row.dense_cycles / row.cycles, ...row});

/** A GEMM of a study's result. */
export const gemm = (changes) => timed({
  machine: 'm', network: 'n', layer: 'l', phase: 'forward', scheme: 's', op: 'gemm', kind: 'gemm', scheme_work: false,
  fused_work: false, repeat: 1, every: 1, m: 64, n: 64, k: 64, batch_count: 1, dtype: 'fp16', pattern: 'dense',
  hardware_pattern: 'dense', ran_sparse: false, cycles: 100, dense_cycles: 100, bound_by: 'dram', reason: '', ...changes,
});
export const sparse = (changes) => gemm({pattern: '2:4', hardware_pattern: '2:4', ran_sparse: true, ...changes});
export const kernel = (changes) => gemm({phase: 'other', op: 'relu', kind: 'activation', m: 0, n: 0, k: 0, ...changes});
