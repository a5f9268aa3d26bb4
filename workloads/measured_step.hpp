#pragma once

#include <cstdint>
#include <string>

#include "common/config_field.hpp"

namespace stcsim {

/// A network's training step as a profile has it, in nanoseconds: beside its layers' products
/// (Layer::measured), all that ran on the GPU, and the host.
struct MeasuredStep {
  /// "NVIDIA H200"; "": the step's time is all that is known.
  std::string gpu;
  /// From the first event on the GPU to the end of the last one, or as somebody measured it.
  std::int64_t span_ns = 0;
  /// Kernels of the optimizer, other kernels beside the products, copies and fills.
  std::int64_t optimizer_ns = 0;
  std::int64_t others_ns = 0;
  std::int64_t copies_ns = 0;
  std::int64_t fills_ns = 0;
  /// What ran on the GPU, and the time that launching it took the host: from the first call to the
  /// last, less waits.
  std::int64_t launches = 0;
  std::int64_t host_ns = 0;

  friend bool operator==(const MeasuredStep&, const MeasuredStep&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::optional_text("gpu", "card of the profile; none: only the span is known"),
                  self.gpu, "");
    const auto count = [&](std::string_view key, std::string_view help, auto& member) {
      visitor.field(field::not_negative(key, help).omitted("0"), member, 0);
    };
    count("span_ns", "from the first event on the GPU to the end of the last one", self.span_ns);
    count("optimizer_ns", "kernels of the optimizer", self.optimizer_ns);
    count("others_ns", "other kernels beside the products", self.others_ns);
    count("copies_ns", "copies", self.copies_ns);
    count("fills_ns", "fills", self.fills_ns);
    count("launches", "kernels, copies and fills", self.launches);
    count("host_ns", "from the first launch to the last, less waits", self.host_ns);
  }
};

}  // namespace stcsim
