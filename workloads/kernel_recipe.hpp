#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/config_field.hpp"
#include "workloads/operation.hpp"

namespace stcsim {

/// A tensor that a kernel reads or writes; how large it is depends on where the recipe stands.
enum class PassTensor : std::uint8_t {
  /// Of an operation: its input, the gradient of that and a second input as large. Of a layer: its
  /// input (of a batched product: the left operand).
  x,
  dx,
  z,
  dz,
  /// The output and its gradient.
  y,
  dy,
  /// As many elements as x, of one byte if nothing else is said.
  mask,
  /// Of a batched product: its operands.
  a,
  b,
  /// Parameters (of a layer, in an optimizer all of them), their gradients and what the optimizer
  /// keeps beside them.
  w,
  g,
  m,
  v,
  u,
  /// The gradient of the input pixels that a strided convolution's dgrad never reaches.
  untouched,
  /// An element for every channel of the output, as a bias has: of weights only if the layer has
  /// one.
  channel
};

[[nodiscard]] std::string_view to_string(PassTensor tensor);

/// One or more passes over a tensor.
struct Pass {
  double times = 1;
  PassTensor tensor = PassTensor::x;
  /// "fp32", "fp16", "int64", "int32", "byte" or "bit"; "" for the type that GEMMs write.
  std::string type;

  friend bool operator==(const Pass&, const Pass&) = default;
};

/// Reads "2 x + dy.fp32 + mask"; "" has none. Nothing if the text is not of that form.
[[nodiscard]] std::optional<std::vector<Pass>> passes_from_string(std::string_view text);
[[nodiscard]] std::string to_string(const std::vector<Pass>& passes);

/// What `saved` says if nothing is.
inline constexpr const char* kNothingSaved = "none";

/// Texts of a framework's file (config_field.hpp).
struct PassText {
  [[nodiscard]] static auto read(std::string_view text) { return passes_from_string(text); }
  [[nodiscard]] static auto write(const std::vector<Pass>& passes) { return to_string(passes); }
};
struct SavedText {
  [[nodiscard]] static std::optional<std::vector<Pass>> read(std::string_view text) {
    return text == kNothingSaved ? std::vector<Pass>() : passes_from_string(text);
  }
  [[nodiscard]] static std::string write(const std::optional<std::vector<Pass>>& saved) {
    if (!saved) return "";
    return saved->empty() ? kNothingSaved : to_string(*saved);
  }
};

/// Bits per element of a type by the name that passes give it; nothing for an unknown one.
[[nodiscard]] constexpr std::optional<int> bits_of_stored(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, int>, 6> kBits{
      {{"fp32", 32}, {"fp16", 16}, {"int64", 64}, {"int32", 32}, {"byte", 8}, {"bit", 1}}};
  for (const auto& [name, bits] : kBits) {
    if (name == type) return bits;
  }
  return std::nullopt;
}

/// A kernel that a framework launches.
struct KernelRecipe {
  static constexpr std::int64_t kMostColumns = 1'000'000'000;

  std::string name;
  StreamKind kind = StreamKind::layout;
  std::vector<Pass> reads;
  std::vector<Pass> writes;
  /// Vector operations per element of x (of an optimizer: per parameter) and of y.
  double ops = 0;
  double ops_per_output = 0;
  /// Optimizers: parameter tensors, and parameters, that one launch handles at most; 0 for all.
  std::int64_t tensors_per_launch = 0;
  std::int64_t parameters_per_launch = 0;
  /// One CTA for so many channels, over the whole batch, or for each row; neither: as many CTAs as
  /// the bytes ask for.
  std::int64_t channels_per_cta = 0;
  bool cta_per_row = false;
  /// With channels_per_cta: rows of a CTA, of which several share a column, and the most that do;
  /// 0 rows: one has all, 0 CTAs: until the machine is full.
  std::int64_t rows_per_cta = 0;
  std::int64_t most_row_ctas = 0;
  /// Threads of such a CTA that have rows of the same channels.
  std::int64_t row_threads = 1;
  /// Instructions of each thread of a CTA beside what elements take.
  std::int64_t ops_per_thread = 0;
  /// Of such a CTA; and how many elements of every tensor that it reads each of its threads has
  /// under way.
  std::int64_t cta_threads = 512;
  std::int64_t elements_in_flight = 1;
  /// The same of what is left of a row when no more of its threads can have so many, and of the
  /// first elements of rows that do not lie on 16 bytes; 0: no different.
  std::int64_t tail_in_flight = 0;
  /// Launched only where rows have so many columns; of an embedding, where so many are looked up.
  std::int64_t least_columns = 1;
  std::int64_t most_columns = kMostColumns;
  /// So many of them, one after the other.
  std::int64_t launches = 1;

  friend bool operator==(const KernelRecipe&, const KernelRecipe&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    constexpr std::int64_t kMostOps = 1'000'000;
    const auto ops = [](std::string_view key, std::string_view help) {
      return field::of(key, "ops/element", help).from(0, kMostOps).omitted("0");
    };
    visitor.field(field::text("name", "what its rows are called"), self.name);
    visitor.field(field::one_of("kind", "what it is there for", StreamKind::launches)
                      .optional("that of the first operation; `layout` around layers, `casts` of "
                                "weights, `optimizer` of an optimizer"),
                  self.kind);
    visitor.text(field::optional_text("reads", "passes over what it reads"), self.reads,
                 PassText());
    visitor.text(field::optional_text("writes", "passes over what it writes"), self.writes,
                 PassText());
    visitor.field(ops("ops", "vector operations per element of x, or per parameter"), self.ops,
                  0.0);
    visitor.field(ops("ops_per_output", "vector operations per element of y"), self.ops_per_output,
                  0.0);
    visit_launch(self, visitor);
  }

 private:
  static void visit_launch(auto& self, auto& visitor) {
    visitor.field(field::of("tensors_per_launch", "tensors",
                            "optimizers: parameter tensors one launch handles at most; 0 for all")
                      .from(0, 1'000'000)
                      .omitted("0"),
                  self.tensors_per_launch, 0);
    visitor.field(field::of("parameters_per_launch", "parameters",
                            "optimizers: parameters one launch handles at most; 0 for all")
                      .from(0, 1'000'000'000'000)
                      .omitted("0"),
                  self.parameters_per_launch, 0);
    visitor.field(field::of("channels_per_cta", "channels",
                            "of operations: one CTA for so many channels, over the whole batch; 0: "
                            "as many CTAs as the bytes ask for")
                      .from(0, 65536)
                      .omitted("0"),
                  self.channels_per_cta, 0);
    visit_shares(self, visitor);
    visit_ctas(self, visitor);
  }
  static void visit_shares(auto& self, auto& visitor) {
    visitor.field(field::of("rows_per_cta", "rows",
                            "with `channels_per_cta`: CTAs share the rows, each at least so many, "
                            "and the last adds up; 0: one has all")
                      .from(0, kMostColumns)
                      .omitted("0"),
                  self.rows_per_cta, 0);
    visitor.field(field::of("most_row_ctas", "CTAs",
                            "the most that share rows; 0: as many as the machine runs at a time")
                      .from(0, kMostColumns)
                      .omitted("0"),
                  self.most_row_ctas, 0);
    visitor.field(field::of("row_threads", "threads",
                            "of a CTA, that have rows of the same channels and share the adding up")
                      .from(1, 1024)
                      .omitted("1"),
                  self.row_threads, 1);
    visitor.field(field::of("ops_per_thread", "instructions",
                            "of each thread of such a CTA, beside what elements take")
                      .from(0, 1'000'000)
                      .omitted("0"),
                  self.ops_per_thread, 0);
  }
  static void visit_ctas(auto& self, auto& visitor) {
    visitor.field(field::flag("cta_per_row",
                              "of operations: one CTA for each row, which softmax and layer "
                              "normalisation go along")
                      .omitted("false"),
                  self.cta_per_row, false);
    visitor.field(field::of("cta_threads", "threads", "of such a CTA, a multiple of 32")
                      .from(32, 1024)
                      .omitted("512"),
                  self.cta_threads, 512);
    visitor.field(field::of("elements_in_flight", "elements",
                            "of every tensor that it reads: how many each of its threads has under "
                            "way at a time")
                      .from(1, 64)
                      .omitted("1"),
                  self.elements_in_flight, 1);
    visitor.field(field::of("tail_in_flight", "elements",
                            "the same of the rest of a row that gives not all threads as many, and "
                            "of the first elements of a row that is not aligned to 16 bytes")
                      .from(0, 64)
                      .omitted("`elements_in_flight`"),
                  self.tail_in_flight, 0);
    visitor.field(field::of("least_columns", "columns",
                            "of operations: launched for rows that are no shorter")
                      .from(1, kMostColumns)
                      .omitted("1"),
                  self.least_columns, 1);
    visitor.field(
        field::of("most_columns", "columns", "of operations: launched for rows that are no longer")
            .from(1, kMostColumns)
            .omitted("any"),
        self.most_columns, kMostColumns);
    visitor.field(
        field::positive("launches", "so many of them run, one after the other").omitted("1"),
        self.launches, 1);
  }
};

}  // namespace stcsim
