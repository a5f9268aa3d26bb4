#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/data_type.hpp"
#include "models/accelerator/accelerator_config.hpp"
#include "models/base/config_field.hpp"
#include "models/base/time.hpp"
#include "sim/config/power.hpp"

namespace stcsim {

/// One entry of a machine's kernel list: a tiling a GEMM library is compiled with. Stated for
/// 16-bit elements and, if sparse, for 2:4; other element sizes and patterns scale tile_k so that a
/// stage holds the same bytes of A.
struct KernelConfig {
  std::string name;
  bool sparse = false;
  /// CTA tile; tile_k is logical (uncompressed).
  std::int64_t tile_m = 0;
  std::int64_t tile_n = 0;
  std::int64_t tile_k = 0;
  std::int64_t stages = 0;
  /// Warps along m and n; warp tile = CTA tile / warps.
  std::int64_t warps_m = 0;
  std::int64_t warps_n = 0;
  /// Warps that share one read of the B fragment from shared memory (4 for wgmma, else 1).
  std::int64_t b_shared_by_warps = 1;
  /// Most CTAs an SM runs at a time (the launch bounds it is compiled with); 0 = all that fit.
  std::int64_t max_ctas_per_sm = 0;
  /// Reads C before it writes it, whatever beta is.
  bool reads_c = false;
  /// CTAs go down all rows of C before the next column, instead of in blocks that share the most.
  bool raster_along_m = false;
  /// Warps load metadata straight into registers, past shared memory.
  bool metadata_in_registers = false;
  /// Accumulators become elements of C before they go through shared memory, and not behind it.
  bool stages_output_type = false;
  /// What the multipliers wait between two instructions of its main loop, whichever warps' they
  /// are; 0: what the machine says.
  Millicycles bubble;
  /// CTAs of a cluster that one read of the L2 cache serves, in the mean of all operands.
  std::int64_t multicast = 1;
  /// Of one index of a column that a pattern V:2:m selects; 0: it gathers no rows of B.
  std::int64_t column_index_bytes = 0;
  /// Indices it loads at a time.
  std::int64_t column_indices_at_a_time = 512;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    using field::count;
    constexpr std::int64_t kLargestTile = 4096;
    visitor.field(field::text("name", "unique"), self.name);
    visitor.field(field::flag("sparse", "for sparse tensor cores").optional(), self.sparse);
    visitor.field(
        field::elements("tile", "the CTA's `[m, n, k]`; k is logical").from(1, kLargestTile),
        std::tie(self.tile_m, self.tile_n, self.tile_k));
    visitor.field(count("stages", "buffers of A and B in shared memory").from(1, 64), self.stages);
    visitor.field(count("warps", "`[along m, along n]`; must divide the tile").from(1, 64),
                  std::tie(self.warps_m, self.warps_n));
    visitor.field(count("b_shared_by_warps",
                        "warps along m that share one read of B from shared memory (4 for wgmma); "
                        "divides the warps along m")
                      .from(1, 64)
                      .optional(),
                  self.b_shared_by_warps);
    visitor.field(
        count("max_ctas_per_sm", "most CTAs an SM runs at a time (launch bounds); 0 = all that fit")
            .from(0, 64)
            .optional(),
        self.max_ctas_per_sm);
    visitor.field(
        field::flag("reads_c", "reads C before it writes it, whatever beta is").optional(),
        self.reads_c);
    visit_ways_of_data(self, visitor);
  }

  friend bool operator==(const KernelConfig&, const KernelConfig&) = default;

 private:
  /// How operands come and results go.
  template <class Self, class Visitor>
  static void visit_ways_of_data(Self& self, Visitor& visitor) {
    visitor.field(field::flag("raster_along_m",
                              "CTAs go down all rows of C before the next column (no swizzle), "
                              "instead of in the blocks that share the most operands")
                      .omitted(""),
                  self.raster_along_m, false);
    visitor.field(field::flag("metadata_in_registers",
                              "warps load metadata straight into registers, past shared memory")
                      .omitted(""),
                  self.metadata_in_registers, false);
    visitor.field(field::flag("stages_output_type",
                              "accumulators are converted to C's type before they pass shared "
                              "memory on their way out (stmatrix), instead of behind it")
                      .omitted(""),
                  self.stages_output_type, false);
    visitor.field(field::cycles("bubble_cycles",
                                "what the multipliers wait, in the mean, between two instructions "
                                "of its main loop, also of different warps; up to three decimals. "
                                "0 = the machine's `same_warp_bubble_cycles`, of one warp only")
                      .omitted(""),
                  self.bubble, Millicycles());
    visitor.field(
        field::count("multicast",
                     "CTAs of a cluster that one read of the L2 cache serves, in the mean of "
                     "all operands (2 for clusters of 2x2)")
            .from(1, 64)
            .omitted(""),
        self.multicast, 1);
    visit_gathering(self, visitor);
  }
  template <class Self, class Visitor>
  static void visit_gathering(Self& self, Visitor& visitor) {
    visitor.field(
        field::bytes("column_index_bytes",
                     "of an index of a column that a pattern V:2:m selects. The kernel "
                     "gathers the rows of B that belong to them, if its tiles' rows divide "
                     "V. 0 = it gathers none")
            .from(0, 8)
            .more_is(Effect::either)
            .omitted(""),
        self.column_index_bytes, 0);
    visitor.field(field::count("column_indices_at_a_time",
                               "indices it loads at a time, with room for twice as many in shared "
                               "memory; a CTA waits for the first before its first copy")
                      .from(1, 65536)
                      .more_is(Effect::either)
                      .omitted(""),
                  self.column_indices_at_a_time, 512);
  }
};

/// Tilings that are searched where nobody has compiled any: every combination of these that
/// divides, dense and sparse.
struct KernelSpaceConfig {
  std::vector<std::int64_t> tile_m;
  std::vector<std::int64_t> tile_n;
  std::vector<std::int64_t> tile_k;
  std::vector<std::int64_t> stages;
  /// Rows and columns of one warp's part of the tile.
  std::vector<std::int64_t> warp_m;
  std::vector<std::int64_t> warp_n;
  std::int64_t b_shared_by_warps = 1;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    using field::list;
    constexpr std::int64_t kLargestTile = 4096;
    visitor.field(list("tile_m", "rows of the CTA's tile").from(1, kLargestTile), self.tile_m);
    visitor.field(list("tile_n", "columns of the CTA's tile").from(1, kLargestTile), self.tile_n);
    visitor.field(list("tile_k", "k-steps, logical, as those of `kernels`").from(1, kLargestTile),
                  self.tile_k);
    visitor.field(list("stages", "buffers of A and B in shared memory").from(1, 64), self.stages);
    visitor.field(list("warp_m", "rows of a warp's part of the tile").from(1, kLargestTile),
                  self.warp_m);
    visitor.field(list("warp_n", "columns of a warp's part of the tile").from(1, kLargestTile),
                  self.warp_n);
    visitor.field(field::count("b_shared_by_warps", "as of `kernels`").from(1, 64).optional(),
                  self.b_shared_by_warps);
  }

  friend bool operator==(const KernelSpaceConfig&, const KernelSpaceConfig&) = default;
};

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
  /// Only for C of at most so many rows and columns.
  std::int64_t max_m = std::numeric_limits<std::int64_t>::max();
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
  /// For operands whose rows are not aligned to 16 bytes, and only for these.
  bool any_alignment = false;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
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
        elements("max_n", "only for C of at most so many columns").from(1, kAny).omitted("none"),
        self.max_n, kAny);
    visitor.field(field::count("max_waves", "only for grids of at most so many waves; 0 = any")
                      .from(0, kMostWaves)
                      .omitted(""),
                  self.max_waves, 0);
    visit_splits(self, visitor);
  }

  friend bool operator==(const LibraryKernel&, const LibraryKernel&) = default;

 private:
  template <class Self, class Visitor>
  static void visit_splits(Self& self, Visitor& visitor) {
    using field::elements;
    constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
    visitor.field(
        field::flag("splits_k", "may cut the k axis as the machine's `split_k` says").optional(),
        self.splits_k);
    visitor.field(
        elements("min_k_per_split", "into slices at least so long").from(1, kAny).omitted(""),
        self.min_k_per_split, 1);
    visitor.field(field::flag("any_alignment",
                              "for operands whose rows are not aligned to 16 bytes, and only for "
                              "these; a library that has none takes its others for them")
                      .omitted(""),
                  self.any_alignment, false);
    visitor.field(field::count("most_splits", "and at most so many").from(1, kAny).omitted("any"),
                  self.most_splits, kAny);
    visitor.field(elements("splits_any_grid_from_k",
                           "cuts reductions at least so long whatever the grid; shorter ones only "
                           "where the grid leaves SMs idle")
                      .from(1, kAny)
                      .omitted("none"),
                  self.splits_any_grid_from_k, kAny);
  }
};

/// The kernels a GEMM library has for the machine, and which GEMMs it considers each for.
struct LibraryConfig {
  std::string name;
  std::vector<LibraryKernel> kernels;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.field(field::text("name", "unique"), self.name);
    visitor.field(
        field::list("kernels", "those the library has, and the GEMMs it considers each for"),
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
/// The fastest of those that the estimate puts first, each timed.
inline constexpr const char* kBySearch = "search";
/// The stack that every machine has: all its kernels, by search; a sparse GEMM runs dense where
/// that is faster.
inline constexpr const char* kBestStack = "best";

/// The software users run on the machine: whose kernels multiply dense and sparse operands, and how
/// one of them is chosen.
struct StackConfig {
  std::string name;
  /// A library's name, or kOwnKernels.
  std::string dense;
  std::string dense_choice;
  std::string sparse;
  std::string sparse_choice;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
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
  }

  friend bool operator==(const StackConfig&, const StackConfig&) = default;
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
  /// Numbers of k slices a kernel may cut the reduction axis into; 1 where none of them is
  /// possible.
  std::vector<std::int64_t> split_k;
  /// What a user should know of how the file was read.
  std::vector<std::string> notes;
  /// See all_kernels() for its kernels.
  KernelSpaceConfig kernel_space = {};

  /// Kernels, and who takes them when.
  template <class Self, class Visitor>
  static void visit_software(Self& self, Visitor& visitor) {
    visitor.field(field::list("kernels", "tilings of the GEMM library, at least one dense"),
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
  }

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
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
  /// Those of the file and kBestStack, the default first.
  [[nodiscard]] std::vector<std::string> stack_names() const;
};

}  // namespace stcsim
