#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stcsim::curves {

/// The part that learning curves need of TensorBoard's message Event
/// (tensorflow/core/util/event.proto).
struct Event {
  struct Scalar {
    std::string tag;
    double value = 0;
  };
  double wall_time = 0;  // seconds since 1970
  std::int64_t step = 0;
  /// "brain.Event:2", of the first event of a file.
  std::string file_version;
  /// The program began, or began again, at this step.
  bool session_start = false;
  /// Values that are one number; histograms, images and tensors of several are left out.
  std::vector<Scalar> scalars;
};

/// @return nothing if the data are no such message
[[nodiscard]] std::optional<Event> parse_event(std::string_view data);

}  // namespace stcsim::curves
