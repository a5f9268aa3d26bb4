#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/config_field.hpp"
#include "common/data_type.hpp"
#include "common/gemm.hpp"
#include "models/accelerator/accelerator_config.hpp"
#include "sim/config/kernel_config.hpp"
#include "sim/config/power.hpp"

namespace stcsim {

/// The fastest of those that an estimate puts first, each timed; and what a library takes itself.
inline constexpr const char* kBySearch = "search";
inline constexpr const char* kByRule = "rule";

/// A kernel of a library, and the GEMMs the library considers it for.
struct LibraryKernel {
  KernelConfig kernel;
  /// Only for operands of these types; none: all that the machine multiplies.
  std::vector<DataType> dtypes;
  /// Only where the reduction axis is contiguous in both operands (true) or not in both (false).
  std::optional<bool> k_contiguous;
  /// Only for reductions of these lengths.
  std::int64_t min_k = 1;
  std::int64_t max_k = std::numeric_limits<std::int64_t>::max();
  /// Only for C of at most so many rows, and of so many columns.
  std::int64_t max_m = std::numeric_limits<std::int64_t>::max();
  std::int64_t min_n = 1;
  std::int64_t max_n = std::numeric_limits<std::int64_t>::max();
  /// Only for grids of at most so many waves; 0 = any.
  std::int64_t max_waves = 0;
  /// May cut the reduction axis, as the machine's split_k says,
  bool splits_k = false;
  /// into slices at least so long,
  std::int64_t min_k_per_split = 1;
  /// and at most so many. Where the grid leaves SMs idle; from a reduction of this length on any
  /// grid.
  std::int64_t most_splits = std::numeric_limits<std::int64_t>::max();
  std::int64_t splits_any_grid_from_k = std::numeric_limits<std::int64_t>::max();
  /// As many slices as fill one wave; where that is one slice, as fill up to so many. 0: as the
  /// machine's split_k says.
  std::int64_t fills_waves = 0;
  /// Only for these passes of convolutions; none: for any product.
  std::vector<Phase> passes = {};
  /// Only for filters of at most so many taps, and for images of at least and of at most so many
  /// channels.
  std::int64_t max_taps = std::numeric_limits<std::int64_t>::max();
  std::int64_t min_channels = 1;
  std::int64_t max_channels = std::numeric_limits<std::int64_t>::max();
  /// Only kBySearch finds it, or only the library's own kByRule takes it; "" is both.
  std::string chosen_by;

  static void complete_schema(nlohmann::ordered_json& one) { KernelConfig::complete_schema(one); }

  static void visit_fields(auto& self, auto& visitor) {
    using field::elements;
    constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kMostWaves = 1'000'000;
    KernelConfig::visit_fields(self.kernel, visitor);
    visitor.field(field::types("dtypes", "only for operands of these types", operand_data_types())
                      .omitted("all"),
                  self.dtypes, {});
    visitor.field(field::flag("k_contiguous",
                              "only where K is contiguous in both operands (true), or not in both "
                              "(false)")
                      .omitted("any"),
                  self.k_contiguous, std::nullopt);
    visitor.field(
        elements("min_k", "only for reductions at least so long").from(1, kAny).omitted(""),
        self.min_k, 1);
    visitor.field(elements("max_k", "only for reductions at most so long")
                      .from(self.min_k, kAny)
                      .omitted("none"),
                  self.max_k, kAny);
    visitor.field(
        elements("max_m", "only for C of at most so many rows").from(1, kAny).omitted("none"),
        self.max_m, kAny);
    visitor.field(
        elements("min_n", "only for C of at least so many columns").from(1, kAny).omitted(""),
        self.min_n, 1);
    visitor.field(elements("max_n", "only for C of at most so many columns")
                      .from(self.min_n, kAny)
                      .omitted("none"),
                  self.max_n, kAny);
    visitor.field(field::count("max_waves", "only for grids of at most so many waves; 0 = any")
                      .from(0, kMostWaves)
                      .omitted(""),
                  self.max_waves, 0);
    visit_splits(self, visitor);
    visit_convolutions(self, visitor);
  }

  friend bool operator==(const LibraryKernel&, const LibraryKernel&) = default;

 private:
  static void visit_splits(auto& self, auto& visitor) {
    using field::elements;
    constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
    visitor.field(
        field::flag("splits_k", "may cut the k axis as the machine's `split_k` says").optional(),
        self.splits_k);
    visitor.field(
        elements("min_k_per_split", "into slices at least so long").from(1, kAny).omitted(""),
        self.min_k_per_split, 1);
    visitor.field(field::text("chosen_by",
                              "`search`: only a search finds it; `rule`: only the library's own "
                              "rule takes it (and a search beside it)")
                      .omitted("both"),
                  self.chosen_by, "");
    visitor.field(field::count("most_splits", "and at most so many").from(1, kAny).omitted("any"),
                  self.most_splits, kAny);
    visitor.field(elements("splits_any_grid_from_k",
                           "cuts reductions at least so long whatever the grid; shorter ones only "
                           "where the grid leaves SMs idle")
                      .from(1, kAny)
                      .omitted("none"),
                  self.splits_any_grid_from_k, kAny);
    visitor.field(
        field::count(
            "fills_waves",
            "with `splits_k`, in place of the machine's `split_k`: as many slices as fill "
            "one wave of CTAs; where that is one, also as fill two, ... or so many; 0 = as "
            "`split_k` says")
            .from(0, 64)
            .more_is(Effect::either)
            .omitted(""),
        self.fills_waves, 0);
  }
  static void visit_convolutions(auto& self, auto& visitor) {
    using field::elements;
    constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
    visitor.field(field::some_of("passes", "only for these passes of convolutions", Phase::wgrad)
                      .omitted("any product"),
                  self.passes, {});
    visitor.field(elements("max_taps", "only for filters of at most so many taps (height x width)")
                      .from(1, kAny)
                      .omitted("any"),
                  self.max_taps, kAny);
    visitor.field(elements("min_channels", "only for images of at least so many channels")
                      .from(1, kAny)
                      .omitted(""),
                  self.min_channels, 1);
    visitor.field(elements("max_channels", "only for images of at most so many channels")
                      .from(self.min_channels, kAny)
                      .omitted("any"),
                  self.max_channels, kAny);
  }
};

/// The kernels a GEMM library has for the machine, and which GEMMs it considers each for.
struct LibraryConfig {
  /// A list may have the names of files of configs/libraries in place of these.
  static constexpr bool kMayBeNamed = true;
  std::string name;
  std::vector<LibraryKernel> kernels;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("name", "unique"), self.name);
    visitor.field(
        field::list(
            "kernels",
            "those the library has, and the GEMMs it considers each for; families as in the "
            "machine's"),
        self.kernels);
  }

  friend bool operator==(const LibraryConfig&, const LibraryConfig&) = default;
};

/// What stands for the machine's own list of kernels where a library could be named.
inline constexpr const char* kOwnKernels = "kernels";
/// Of the kernels considered for a GEMM, the one that an estimate says is fastest.
inline constexpr const char* kByHeuristic = "heuristic";
/// The same by an estimate that counts a last wave that is not full as a whole one.
inline constexpr const char* kByWholeWaves = "whole_waves";
/// The stack that every machine has: its own kernels by search, and what each of its stacks would
/// take, the fastest of all; a sparse GEMM runs dense where that is faster.
inline constexpr const char* kBestStack = "best";

/// The software users run on the machine: whose kernels multiply dense and sparse operands, and how
/// one of them is chosen.
struct StackConfig {
  /// A list may have the names of files of configs/libraries in place of these.
  static constexpr bool kMayBeNamed = true;
  std::string name;
  /// A library's name, or kOwnKernels.
  std::string dense;
  std::string dense_choice;
  std::string sparse;
  std::string sparse_choice;
  /// Of dense products of convolutions; "": as of other dense ones.
  std::string convolutions = {};
  std::string convolutions_choice = {};

  static void visit_fields(auto& self, auto& visitor) {
    constexpr const char* kDefault = "`search` with `kernels`, else `heuristic`";
    const auto usual = [](const std::string& source) {
      return source == kOwnKernels ? kBySearch : kByHeuristic;
    };
    visitor.field(field::text("name", "unique; `best` is every machine's"), self.name);
    visitor.field(field::text("dense",
                              "whose kernels dense GEMMs run with: one of `libraries`, or "
                              "`kernels`, the machine's own list"),
                  self.dense);
    visitor.field(
        field::text(
            "dense_choice",
            "`heuristic`: the one that an estimate says is fastest; `whole_waves`: the same, "
            "where a last wave that is not full counts as a whole one; `search`: the "
            "fastest of those that the estimate puts first, each timed")
            .omitted(kDefault),
        self.dense_choice, usual(self.dense));
    visitor.field(field::text("sparse", "the same for GEMMs on sparse tensor cores"), self.sparse);
    visitor.field(field::text("sparse_choice", "as `dense_choice`").omitted(kDefault),
                  self.sparse_choice, usual(self.sparse));
    visitor.field(field::text("convolutions",
                              "the same for convolutions whose GEMM runs dense: a library of "
                              "kernels and of a choice of its own (cuDNN)")
                      .omitted("`dense`"),
                  self.convolutions, "");
    visitor.field(field::text("convolutions_choice", "as `dense_choice`").omitted(kDefault),
                  self.convolutions_choice,
                  self.convolutions.empty() ? "" : usual(self.convolutions));
  }

  friend bool operator==(const StackConfig&, const StackConfig&) = default;
};

/// A file of configs/libraries: software that machine files name.
struct LibraryFile {
  std::string description;
  std::vector<KernelConfig> kernels;
  std::vector<LibraryConfig> libraries;
  std::vector<StackConfig> stacks;

  static void visit_fields(auto& self, auto& visitor) {
    const auto part = [&](const char* key, auto& list) {
      visitor.field(
          field::list(key, "as a machine's: for those that name this file there").omitted("none"),
          list, {});
    };
    visitor.field(
        field::text("description", "one line, for `stcsim list libraries`").omitted("none"),
        self.description, "");
    part("kernels", self.kernels);
    part("libraries", self.libraries);
    part("stacks", self.stacks);
  }
};

/// A machine file: hardware, clock, and the software that runs on it.
struct MachineConfig {
  static constexpr std::int64_t kMostMhz = 100'000;
  std::string name;
  std::string description;
  /// The clock the machine runs at where power does not limit it; cycles are stated at it.
  double clock_mhz = 0;
  /// What the board draws; without it the clock is held whatever runs.
  PowerConfig power;
  AcceleratorConfig accelerator;
  std::vector<KernelConfig> kernels;
  /// Of a file that extends another, beside the other's. They are among `kernels` once it is read.
  std::vector<KernelConfig> more_kernels;
  /// Libraries whose choice of kernels is known; stacks name them.
  std::vector<LibraryConfig> libraries;
  /// What users run; the first is the default. Empty: kBestStack is.
  std::vector<StackConfig> stacks;
  /// Stacks that were written for other hardware: they run where they are named.
  std::vector<StackConfig> other_stacks = {};
  /// Numbers of k slices a kernel may cut the reduction axis into; 1 where none of them is
  /// possible.
  std::vector<std::int64_t> split_k;
  /// What a user should know of how the file was read.
  std::vector<std::string> notes;
  /// See all_kernels() for its kernels.
  KernelSpaceConfig kernel_space = {};

  /// Kernels, and who takes them when.
  static void visit_software(auto& self, auto& visitor) {
    visitor.field(field::list("kernels",
                              "tilings of the GEMM library, or `[mapped]`: made for each GEMM, as "
                              "where none of them fits. With `tiles`, a "
                              "list as `[64x128x32_s6]` or a map from these to `warps`, instead of "
                              "`tile` and `stages`, an entry is a family: a kernel for each, which "
                              "has its tile for the `*` of the `name`. Here, in `libraries` and "
                              "in `stacks`, a name is a file of `configs/libraries` and stands for "
                              "what that has"),
                  self.kernels);
    visitor.field(
        field::list("more_kernels", "tilings beside these, for a file that extends another")
            .omitted("none"),
        self.more_kernels, {});
    visitor.field(field::map("kernel_space",
                             "tilings beside these to search: every combination whose warps divide "
                             "the tile, at most 16 of them, dense and sparse. What does not fit "
                             "into shared memory or registers is no candidate")
                      .omitted("none"),
                  self.kernel_space, {});
    visitor.field(field::list("libraries",
                              "what is known of libraries: their kernels and when they take them")
                      .omitted("none"),
                  self.libraries, {});
    visitor.field(field::list("stacks",
                              "software that users run: where its kernels come from. The first is "
                              "the default, `best` if there is none")
                      .omitted("none"),
                  self.stacks, {});
    visitor.field(
        field::list("other_stacks",
                    "stacks of other hardware, which run where they are named: those that "
                    "a file inherits and whose hardware it changes are put here")
            .omitted("none"),
        self.other_stacks, {});
  }

  static void visit_fields(auto& self, auto& visitor) {
    constexpr std::int64_t kMostSplits = 1024;
    visitor.field(field::text("name", "what results are filed under"), self.name);
    visitor.field(field::text("description", "one line, for `stcsim list arch`").omitted("none"),
                  self.description, "");
    visitor.field(field::of("clock_mhz", "MHz, a number",
                            "clock of the SMs and the L2 cache where `power` does not limit it; "
                            "all cycles of this file are of this clock")
                      .from(1, kMostMhz)
                      .more_is(Effect::faster),
                  self.clock_mhz);
    visitor.field(field::map("power",
                             "what the board may draw and what draws it: large GEMMs run at the "
                             "clock that follows")
                      .omitted("none: the clock is held"),
                  self.power, {});
    visitor.field(field::map("accelerator", "the hardware"), self.accelerator);
    visitor.field(
        field::list("split_k",
                    "numbers of slices of the k axis `kernel: auto` may try; begins with 1 "
                    "and ascends")
            .from(1, kMostSplits),
        self.split_k);
    visit_software(self, visitor);
  }

  friend bool operator==(const MachineConfig&, const MachineConfig&) = default;

  /// True if the tensor cores multiply this type.
  [[nodiscard]] bool supports(DataType dtype) const;
  [[nodiscard]] std::vector<std::string> library_names() const;
  /// The default first, kBestStack, those of other hardware last.
  [[nodiscard]] std::vector<std::string> stack_names() const;
  /// Null for kBestStack, and if there is none of that name.
  [[nodiscard]] const StackConfig* find_stack(const std::string& stack) const;
  /// The first of `names` that is a stack of this hardware, else the default.
  [[nodiscard]] std::string preferred_stack(const std::vector<std::string>& names) const;
  /// Stacks of the same libraries that choose in another way, and kBestStack: what else users of
  /// `stack` could have run.
  [[nodiscard]] std::vector<std::string> stacks_beside(const std::string& stack) const;
};

/// Every combination of the space whose warps divide its tile, at most 16 of them, dense ones
/// first; named after what they are: "sparse_128x64x32_s3_w64x32". None of an empty space.
[[nodiscard]] std::vector<KernelConfig> kernels_of(const KernelSpaceConfig& space);

/// The machine's own kernels: those it lists, then those of its space that have other names.
[[nodiscard]] std::vector<KernelConfig> all_kernels(const MachineConfig& machine);

}  // namespace stcsim
