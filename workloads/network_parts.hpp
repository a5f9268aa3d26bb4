#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "common/config_field.hpp"
#include "workloads/operation.hpp"

namespace stcsim {

/// What the products of one repeat of a layer took on a GPU, in nanoseconds; 0: not measured.
struct MeasuredTimes {
  std::int64_t forward_ns = 0;
  std::int64_t dgrad_ns = 0;
  std::int64_t wgrad_ns = 0;

  friend auto operator<=>(const MeasuredTimes&, const MeasuredTimes&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    const auto time = [&](std::string_view key, auto& member) {
      visitor.field(field::not_negative(key, "of one repeat, in ns; 0: not measured").omitted("0"),
                    member, 0);
    };
    time("forward_ns", self.forward_ns);
    time("dgrad_ns", self.dgrad_ns);
    time("wgrad_ns", self.wgrad_ns);
  }
};

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

/// What goes into a network: images, or tokens that are embedded.
struct NetworkInput {
  /// Most of each of these sizes.
  static constexpr std::int64_t kMostSize = std::int64_t{1} << 20;

  // Images: channels and pixels. Tokens: features of the embedding, height = tokens, width = 1.
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  /// Different tokens there are; 0: images.
  std::int64_t vocabulary = 0;
  /// Operations on the embedded tokens.
  std::vector<StreamOp> after;

  [[nodiscard]] bool is_tokens() const { return vocabulary > 0; }

  static void visit_fields(auto& self, auto& visitor) {
    const auto size = [](std::string_view key, std::string_view help) {
      return field::of(key, "count", help).from(1, kMostSize);
    };
    visitor.field(size("vocabulary", "tokens there are").omitted("none: images"), self.vocabulary,
                  0);
    visitor.only(self.is_tokens(), "tokens", [&] {
      visitor.field(size("tokens", "of a sample"), self.height);
      visitor.field(size("features", "of the embedding"), self.channels);
      visitor.field(field::some_of("after", "operations on the embedded tokens", kLastStreamOp)
                        .optional("none"),
                    self.after);
    });
    visitor.only(!self.is_tokens(), "images", [&] {
      visitor.field(size("channels", "of an image"), self.channels);
      visitor.field(size("pixels", "`[rows, columns]` or one number").or_one(),
                    std::tie(self.height, self.width));
    });
  }
};

/// Adapters of low rank beside layers whose weights are frozen.
struct Lora {
  std::int64_t rank = 1;
  /// Names of layers, `*` for any part; empty: all linear ones but classifiers.
  std::vector<std::string> layers;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::positive("rank", "features between an adapter's products"), self.rank);
    visitor.field(
        field::list("layers", "their names, `*` for any part").optional("all linear ones"),
        self.layers);
  }
};

}  // namespace stcsim
