#include <benchmark/benchmark.h>

// SystemC's library refers to sc_main() from its own main(), which ours replaces. Weak: a library
// of ours may define it too.
extern "C" [[gnu::weak]] int sc_main(int, char**) {
  return 1;
}

BENCHMARK_MAIN();
