#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace stcsim {

/// A directory with "gemms.yaml": a space of 24 points that takes a fraction of a second. Two
/// GEMMs, dense and 2:4, on six small machines: 1, 2 or 3 SMs with one of two selectors, of which
/// dense GEMMs see nothing. And "small.yaml", the machine, with 4 SMs.
class TinySweep {
 public:
  explicit TinySweep(const std::string& gemms = "[64x64x256, 64x64x512]");

  /// The text of the space with these GEMMs.
  [[nodiscard]] static std::string text(const std::string& gemms);

  [[nodiscard]] std::string path(const std::string& name) const;
  [[nodiscard]] std::string space() const { return path("gemms.yaml"); }
  [[nodiscard]] std::string results() const { return path("gemms.sqlite"); }
  /// `stcsim sweep ACTION` of it.
  [[nodiscard]] ProgramResult run(const std::string& action,
                                  const std::vector<std::string>& more = {},
                                  const ProgramOptions& options = {}) const;

 private:
  TemporaryDirectory directory_;
};

/// GEMMs enough for a tenth of a second or two.
inline constexpr const char* kManyGemms =
    "[64x64x256, 64x64x512, 64x64x768, 64x128x256, 64x128x512, 64x128x768, 128x64x256, 128x64x512, "
    "128x64x768, 96x96x256, 96x96x512, 96x96x768]";

/// Runs a sweep of kManyGemms and kills it with signal 9 at a random moment, `times` times, with so
/// many workers; then to its end. What it exports.
/// @param number  other moments for each; STCSIM_SEED takes its place
[[nodiscard]] std::string run_killed(int times, int jobs, std::uint64_t number);

}  // namespace stcsim
