#include <cstdlib>

#include <benchmark/benchmark.h>

// SystemC's library refers to sc_main() from its own main(), which ours replaces. Weak: a library
// of ours may define it too.
extern "C" [[gnu::weak]] int sc_main(int, char**) {
  return 1;
}

namespace {

/// The source tree's configurations, unless others are asked for.
[[maybe_unused]] const int kConfigured =
    ::setenv("STCSIM_CONFIG_DIR", STCSIM_SOURCE_DIR "/configs", /*overwrite=*/0);

}  // namespace

BENCHMARK_MAIN();
