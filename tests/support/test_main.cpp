#include <cstdlib>
#include <systemc>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// SystemC's library refers to sc_main() from its own main(), which ours replaces. Weak: a library
// of ours may define it too.
extern "C" [[gnu::weak]] int sc_main(int, char**) {
  return 1;
}

namespace {

/// A SystemC warning fails the test that caused it; everything else is handled as usual (errors are
/// thrown, which GoogleTest reports).
void report_to_test(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_WARNING) {
    ADD_FAILURE() << "SystemC warning: " << report.what();
    return;
  }
  sc_core::sc_report_handler::default_handler(report, actions);
}

}  // namespace

/// Tests find the shipped configurations of the source tree, wherever they are built and run.
int main(int argc, char** argv) {
  setenv("STCSIM_CONFIG_DIR", STCSIM_SOURCE_DIR "/configs", /*overwrite=*/1);
  testing::InitGoogleMock(&argc, argv);
  sc_core::sc_report_handler::set_handler(report_to_test);
  return RUN_ALL_TESTS();
}
