// What a WebAssembly module has instead of processes, a terminal, and files of other programs.
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <systemc>

#include "common/error.hpp"
#include "common/io/worker_process.hpp"
#include "workloads/files/readers.hpp"

extern "C" int isatty(int) {
  return 0;
}

namespace stcsim {

/// Where wasm/CMakeLists.txt has put configs/.
[[maybe_unused]] const int kConfigsAreSet = ::setenv("STCSIM_CONFIG_DIR", "/configs", 0);

/// Files of other programs are for the program that is not in a browser.
ImportedNetwork read_onnx(const std::filesystem::path& path, const std::string&,
                          const ImportOptions&) {
  throw ConfigError("cannot read '" + path.string() + "' here");
}

/// In place of common/io/worker_pool.cpp: job by job in this process. Each group builds a machine,
/// which SystemC allows in a new context only; the last one's stays to the end.
bool run_jobs(std::int64_t jobs, const WorkerPoolOptions& options) {
  // Of the first start of any context but the program's first: a machine has nothing to do yet.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_,
                                          sc_core::SC_DO_NOTHING);
  Worker worker;
  std::optional<std::int64_t> last;
  for (std::int64_t job = 0; job < jobs; ++job) {
    std::string text;
    const auto* tell = &options.on_result;
    try {
      const std::int64_t group = options.group_of ? options.group_of(job) : 0;
      if (last != group) {
        sc_core::sc_curr_simcontext = nullptr;
        worker = options.start_worker();
        last = group;
      }
      text = worker(job);
    } catch (const std::exception& error) {
      text = error.what();
      tell = &options.on_failure;
    }
    (*tell)(job, text);
  }
  return true;
}

}  // namespace stcsim
