#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "workloads/files/trace_events.hpp"
#include "workloads/files/trace_products.hpp"

namespace stcsim {

/// A PyTorch profile, and what ran on the GPU in its last step with products.
struct Profile {
  TraceEvents events;
  TraceStep step;
};

/// A step's time in microseconds, from its first event on the GPU to its last one's end, and its
/// parts: span = kernels + copies + fills + idle.
struct ProfileTimes {
  double span = 0;
  double kernels = 0;
  double copies = 0;
  double fills = 0;
  double idle = 0;  // what is left: gaps, less what ran beside something else
  double overlapping = 0;
};

/// @throws ConfigError that names the file: it is no profile, has no shapes, ran nothing on a GPU
[[nodiscard]] Profile read_profile(const std::filesystem::path& path);

[[nodiscard]] ProfileTimes times_of(const Profile& profile);

/// The step as a network keeps it: others_ns are all kernels but the optimizer's, those of products
/// among them.
[[nodiscard]] MeasuredStep measured_step_of(const Profile& profile);

/// "forward", "backward" or "optimizer": the mark phase:... that the launch lies in, whatever its
/// thread; without such marks by autograd's nodes around the operator and the optimizer's calls.
[[nodiscard]] std::string_view phase_of(const Profile& profile, const TraceLaunch& launch);

/// The outermost operator around a launch's, an autograd node by its name; "" if none is known.
[[nodiscard]] std::string_view outermost_of(const Profile& profile, const TraceLaunch& launch);

/// `stcsim.profile/1` (docs/evidence.md): the step's times, and each thing that ran.
[[nodiscard]] std::string profile_to_json(const Profile& profile);

}  // namespace stcsim
