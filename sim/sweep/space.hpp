#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/config_field.hpp"
#include "common/io/yaml_node.hpp"

namespace stcsim {

/// A value that an axis can have, and the text that stands for it in results.
struct AxisValue {
  YamlNode node;
  std::string label;

  /// Infinite for `unlimited`; nothing for what is no number.
  [[nodiscard]] std::optional<double> number() const;
};
using AxisValuePointer = std::shared_ptr<const AxisValue>;

/// All numbers from one to another. Whole if both ends are written as whole numbers.
struct ValueRange {
  double from = 0;
  double to = 0;
  bool is_log = false;
  bool is_whole = false;
  SourceLocation where;

  /// The number that this share of the range, 0 to 1, lies below.
  [[nodiscard]] AxisValuePointer at(double share) const;
};

/// Something that differs between the points of a space.
struct Axis {
  /// "machine.accelerator.num_sms", "dtype"; or "machine", "gemm", ..., the space's own lists.
  std::string name;
  /// Where the name is written.
  SourceLocation where;
  /// In order. Empty if values are drawn.
  std::vector<AxisValuePointer> values;
  std::optional<ValueRange> drawn;

  /// What the name begins with, and what follows the first dot; "" if there is none.
  [[nodiscard]] std::string root() const { return name.substr(0, name.find('.')); }
  [[nodiscard]] std::string key() const;
};

/// Reads an axis's values:
///
///   [54, 108]                            these
///   {from: 54, to: 216, step: 54}        54, 108, 162, 216
///   {from: 16, to: 128, factor: 2}       16, 32, 64, 128
///   {from: 10, to: 1000, points: 3}      10, 505, 1000;  with scale: log  10, 100, 1000
///   {from: 10, to: 1000}                 drawn, by a space that has `sample`; also with scale: log
///
/// Where `from`, `to` and `step` are written as whole numbers, so are the values (rounded, each
/// once).
/// @throws ConfigError at what is wrong
[[nodiscard]] Axis read_axis(const std::string& name, const SourceLocation& where,
                             const YamlNode& node);

[[nodiscard]] std::vector<std::string> names_of(const std::vector<Axis>& axes);
/// The place of the axis of that name; nothing if there is none.
[[nodiscard]] std::optional<std::size_t> find_axis(const std::vector<Axis>& axes,
                                                   std::string_view name);

/// The shortest ending of an axis's name, cut at its dots, that no other of `names` has:
/// "dram.bytes_per_clk" where another axis ends in "l2_cache.bytes_per_clk".
[[nodiscard]] std::string short_name(const std::string& name,
                                     const std::vector<std::string>& names);

/// What a point's axes have: one value per axis of the space, null where an axis does not concern
/// points of its kind.
using Assignment = std::vector<AxisValuePointer>;

/// A comparison that points must satisfy: "machine.clock_mhz >= 1000",
/// "machine.accelerator.l2_cache.write_bytes_per_clk <= 0.5 *
/// machine.accelerator.l2_cache.read_bytes_per_clk", "gemm.pattern != 2:4". Words are separated by
/// spaces; each side is an axis or a number, or a product of them, or, beside == and !=, a text
/// that values are called by.
class Constraint {
 public:
  /// @throws ConfigError at `node` if it is no comparison, or of what is no axis of the space
  Constraint(const YamlNode& node, const std::vector<Axis>& axes);

  /// True also where one of its axes does not concern the point. `unlimited` is above all numbers.
  /// @throws ConfigError if values that are no numbers are to be compared by size
  [[nodiscard]] bool holds(const Assignment& values) const;

  /// Whether it has this axis, by its place in the space.
  [[nodiscard]] bool compares(std::size_t axis) const;
  [[nodiscard]] const SourceLocation& where() const { return where_; }

 private:
  using Value = std::variant<double, std::string>;
  struct Side {
    double factor = 1;
    std::vector<std::size_t> axes;
    std::optional<std::string> text;
  };

  [[nodiscard]] Side read_side(const std::vector<std::string>& words,
                               const std::vector<Axis>& axes) const;
  [[nodiscard]] Value value(const Side& side, const Assignment& values) const;
  [[noreturn]] void fail(const std::string& message) const;

  std::string text_;
  SourceLocation where_;
  std::function<bool(const Value&, const Value&)> compare_;
  /// It asks whether both are the same.
  bool may_be_of_texts_ = false;
  std::array<Side, 2> sides_;
};

/// What a point of a space is: a machine and a GEMM, or a machine and a network's step under a
/// scheme.
enum class PointKind : std::uint8_t { gemm, step };

/// How points are drawn from a space, instead of taking all.
struct Sampling {
  enum class Kind : std::uint8_t { random, latin_hypercube };
  Kind kind = Kind::random;
  std::int64_t points = 0;
  std::uint64_t seed = 1;
  SourceLocation where;

  friend constexpr std::string_view to_string(Kind drawn) {
    return drawn == Kind::random ? "random" : "latin_hypercube";
  }

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::one_of("kind", "how they are drawn", Kind::latin_hypercube), self.kind);
    visitor.field(field::of("points", "count", "how many").from(1, 1'000'000), self.points);
    visitor.field(field::not_negative("seed", "of the draws").optional(), self.seed);
  }
};

/// Axes that go together: they have one value each at a time.
struct Dimension {
  /// What the space calls it; "" if it has no name.
  std::string name;
  /// By their place in Space::axes.
  std::vector<std::size_t> axes;
};

/// What is known of the trainings that a space's steps are of; docs/hardware.md.
struct SpaceAccuracy {
  double samples_per_epoch = 0;
  double epochs = 0;
  /// Of the project's own trainings; "" takes published final values.
  std::string task;

  static void visit_fields(auto& self, auto& visitor) {
    constexpr std::int64_t kMost = 1'000'000'000'000;
    visitor.field(field::of("samples_per_epoch", "samples", "in the data").above(0, kMost),
                  self.samples_per_epoch);
    visitor.field(field::of("epochs", "epochs", "of a whole training").above(0, kMost),
                  self.epochs);
    visitor.field(field::text("task",
                              "accuracies are those of own trainings on it "
                              "(configs/papers/trained.csv), not published ones")
                      .optional("published"),
                  self.task);
  }
};

/// A space of machines and work (configs/spaces/*.yaml; format: docs/hardware.md), read but not
/// resolved: machines, networks and GEMMs are read as points are made (sweep_plan.hpp).
struct Space {
  std::string name;
  /// What differs. Machines come first, GEMMs last: neighbours share a machine.
  std::vector<Axis> axes;
  /// Every axis is in exactly one; in order of their first axis. No value of a dimension comes
  /// twice.
  std::vector<Dimension> dimensions;
  std::vector<Constraint> constraints;
  std::optional<Sampling> sampling;
  std::optional<SpaceAccuracy> accuracy;
  /// Plain keys of an experiment, the same for all points.
  std::vector<YamlEntry> settings;
  bool has_gemms = false;
  bool has_steps = false;
  /// The file as JSON, `extends` and `experiment` followed, and its SHA-256.
  std::string resolved_config;
  std::string config_hash;

  [[nodiscard]] bool has(PointKind kind) const {
    return kind == PointKind::gemm ? has_gemms : has_steps;
  }
};

/// What an axis may begin with: what points are made of, and plain keys of experiments.
struct SpaceRoot {
  std::string_view name;
  /// The space's list of them; "" for a plain key.
  std::string_view list;
  std::string_view help;
  bool of_gemms = false;
  bool of_steps = false;

  [[nodiscard]] constexpr bool is_plain() const { return list.empty(); }
  [[nodiscard]] constexpr std::string_view key() const { return is_plain() ? name : list; }
};
/// In the order of the axes.
inline constexpr std::array<SpaceRoot, 16> kSpaceRoots{{
    {"machine", "machines", "as an experiment's", true, true},
    {"dtype", "", "as an experiment's", true, true},
    {"stack", "", "as an experiment's", true, true},
    {"kernel", "", "as an experiment's", true, true},
    {"kernel_candidates", "", "as an experiment's", true, true},
    {"clock_mhz", "", "as an experiment's", true, true},
    {"sampled", "", "as an experiment's", true, true},
    {"sparse_where", "", "as an experiment's", true, true},
    {"phases", "", "as an experiment's", false, true},
    {"stream_kernels", "", "as an experiment's", false, true},
    {"scheme_work", "", "as an experiment's", false, true},
    {"pruning_kernels", "", "as an experiment's", false, true},
    {"framework", "frameworks", "in place of `framework`: several", false, true},
    {"network", "networks", "as an experiment's, with `schemes`", false, true},
    {"scheme", "schemes", "as an experiment's, with `networks`", false, true},
    {"gemm", "gemms", "`MxNxK`, `{m: M, n: N, k: K, pattern: n:m}`", true, false},
}};

/// Null if there is none of that name.
[[nodiscard]] const SpaceRoot* find_root(std::string_view name);

/// A space as its file has it, `experiment` merged in. Nodes are null where the key is not there.
struct SpaceFile {
  std::string description;
  /// The keys of kSpaceRoots.
  std::array<const YamlNode*, kSpaceRoots.size()> roots{};
  const YamlNode* axes = nullptr;
  const YamlNode* zip = nullptr;
  const YamlNode* where = nullptr;
  std::optional<Sampling> sample;
  std::optional<SpaceAccuracy> accuracy;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::optional_text("description", "one line, for `stcsim list spaces`"),
                  self.description, "");
    visitor.field(
        field::text("experiment", "whose keys stand for those that are not here").optional("none"),
        ReadElsewhere());
    for (std::size_t at = 0; at < kSpaceRoots.size(); ++at) {
      const SpaceRoot& root = kSpaceRoots.at(at);
      const Field key = field::of(root.key(), root.is_plain() ? "value" : "list", root.help);
      visitor.field(at == 0 ? key : key.optional("none"), self.roots.at(at));
    }
    visitor.field(field::of("framework", "entry", "as an experiment's").optional("pytorch_2_eager"),
                  ReadElsewhere());
    visitor.field(field::map("axes",
                             "what differs: a key below machine, network, scheme, framework "
                             "or gemm, or a plain key, and its values")
                      .optional("none"),
                  self.axes);
    visitor.field(
        field::list("zip", "axes that go together: a list of them, or a map of such lists by name")
            .optional("none"),
        self.zip);
    visitor.field(field::list("where", "comparisons that points must satisfy").optional("none"),
                  self.where);
    visitor.field(field::map("sample", "points drawn, instead of all").optional("none"),
                  self.sample);
    visitor.field(
        field::map("accuracy", "of the trainings, for `stcsim design --target`").optional("none"),
        self.accuracy);
  }
};

/// @param name  a path, or the name of a shipped space
/// @param overrides  values of --set
/// @throws ConfigError with file:line:column
[[nodiscard]] Space load_space(const std::string& name,
                               const std::vector<std::string>& overrides = {});
/// The same of a text in memory. @param origin stands for the file
[[nodiscard]] Space parse_space(const std::string& text, const std::string& origin);

/// Whether points of a kind have a value of an axis or setting that begins with `root`.
[[nodiscard]] bool concerns(const std::string& root, PointKind kind);

}  // namespace stcsim
