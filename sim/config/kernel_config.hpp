#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/config_field.hpp"
#include "common/counts.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// In place of a machine's list: kernels that sim/kernel/mapper.hpp makes, whose names begin so.
inline constexpr const char* kMapped = "mapped";

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
  /// For operands or a C whose rows are not aligned to 16 bytes: all accesses are as wide as the
  /// least aligned of the three allows (access_bytes()).
  bool any_alignment = false;
  /// Warps load metadata straight into registers, past shared memory.
  bool metadata_in_registers = false;
  /// A CTA stays on its SM and takes one tile after the other.
  bool persistent = false;
  /// Two CTAs, one above the other, multiply together: each keeps half of B.
  bool cta_pair = false;
  /// Accumulators become elements of C before they go through shared memory, and not behind it.
  bool stages_output_type = false;
  /// Two groups of so many warps take turns: while one multiplies its tile, the other stores its
  /// own.
  bool ping_pong = false;
  /// Elements of C that its warps convert, address and move in a clk; 0: what the machine says.
  std::int64_t epilogue_elements_per_clk = 0;
  /// What the multipliers wait between two instructions of its main loop, whichever warps' they
  /// are; 0: what the machine says.
  Millicycles bubble;
  /// CTAs of a cluster that one read of the L2 cache serves: of any operand where those below do
  /// not say otherwise, of A to CTAs side by side, of B to CTAs one above the other.
  std::int64_t multicast = 1;
  std::int64_t multicast_a = 1;
  std::int64_t multicast_b = 1;
  /// Of one index of a column that a pattern V:2:m selects; 0: it gathers no rows of B.
  std::int64_t column_index_bytes = 0;
  /// Indices it loads at a time.
  std::int64_t column_indices_at_a_time = 512;

  /// Its threads copy, instead of TMA.
  bool copies_by_threads = false;
  /// Channels of a convolution's image, of which a kernel before it makes a multiple of so many:
  /// what its widest access has. 1: it pads none.
  std::int64_t pads_channels_to = 1;
  /// A k-step of a convolution lies within one tap of the filter, however few channels that has.
  bool steps_within_taps = false;
  /// A kernel before it writes A anew, rounded to what it multiplies.
  bool converts_a = false;

  /// Columns of B that a CTA keeps in shared memory.
  [[nodiscard]] std::int64_t columns_kept() const {
    return cta_pair ? ceil_div(tile_n, std::int64_t{2}) : tile_n;
  }

  /// A list may have families, and names of files of configs/libraries, in place of kernels
  /// (kernel_family.hpp).
  static constexpr bool kMayBeNamed = true;
  static void complete_schema(nlohmann::ordered_json& kernel);

  static void visit_fields(auto& self, auto& visitor) {
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
  static void visit_ways_of_data(auto& self, auto& visitor) {
    visitor.field(field::flag("raster_along_m",
                              "CTAs go down all rows of C before the next column (no swizzle), "
                              "instead of in the blocks that share the most operands")
                      .omitted(""),
                  self.raster_along_m, false);
    visitor.field(field::flag("any_alignment",
                              "loads and stores as the least aligned rows of A, B and C allow; a "
                              "library takes it for rows not aligned to 16 bytes, and only for "
                              "these. One that has none takes its others for them")
                      .omitted(""),
                  self.any_alignment, false);
    visitor.field(field::flag("metadata_in_registers",
                              "warps load metadata straight into registers, past shared memory")
                      .omitted(""),
                  self.metadata_in_registers, false);
    visitor.field(field::flag("copies_by_threads",
                              "threads copy (cp.async), zeros too, instead of TMA, at "
                              "`thread_bytes_per_clk`, through the port that reads use")
                      .omitted(""),
                  self.copies_by_threads, false);
    visitor.field(field::flag("persistent",
                              "a CTA stays on its SM and takes one tile after the other: copies "
                              "for the next run while the epilogue of the one before stores")
                      .omitted(""),
                  self.persistent, false);
    visitor.field(field::flag("cta_pair",
                              "CTAs one above the other multiply in pairs, each keeping half of "
                              "their B in shared memory (tcgen05 with cta_group::2)")
                      .omitted(""),
                  self.cta_pair, false);
    visitor.field(field::flag("stages_output_type",
                              "accumulators are converted to C's type before they pass shared "
                              "memory on their way out (stmatrix), instead of behind it")
                      .omitted(""),
                  self.stages_output_type, false);
    visit_paces(self, visitor);
    visit_multicast(self, visitor);
    visit_gathering(self, visitor);
  }
  /// How its warps go along.
  static void visit_paces(auto& self, auto& visitor) {
    visitor.field(field::flag("ping_pong",
                              "two groups of its `warps` take turns: one multiplies a tile while "
                              "the other stores its own. `persistent` kernels only")
                      .omitted(""),
                  self.ping_pong, false);
    visitor.field(field::of("epilogue_elements_per_clk", "elements/clk",
                            "elements of C that its warps convert, address and move in a clk; 0 = "
                            "the machine's `epilogue.elements_per_clk`")
                      .from(0, field::kMostBytesPerClk)
                      .more_is(Effect::either)
                      .omitted(""),
                  self.epilogue_elements_per_clk, 0);
    visitor.field(field::cycles("bubble_cycles",
                                "what the multipliers wait, in the mean, between two instructions "
                                "of its main loop, also of different warps; up to three decimals. "
                                "0 = the machine's `same_warp_bubble_cycles`, of one warp only")
                      .omitted(""),
                  self.bubble, Millicycles());
  }
  static void visit_multicast(auto& self, auto& visitor) {
    constexpr std::int64_t kMostCtas = 64;
    visitor.field(field::count("multicast",
                               "CTAs of a cluster that one read of the L2 cache serves, of either "
                               "operand (2 for clusters of 2x2)")
                      .from(1, kMostCtas)
                      .omitted(""),
                  self.multicast, 1);
    visitor.field(
        field::count("multicast_a", "the same of A and its metadata, which CTAs side by side share")
            .from(1, kMostCtas)
            .omitted("`multicast`"),
        self.multicast_a, self.multicast);
    visitor.field(field::count("multicast_b",
                               "the same of B, which CTAs one above the other share (2, and 1 of "
                               "A, for clusters of 2x1)")
                      .from(1, kMostCtas)
                      .omitted("`multicast`"),
                  self.multicast_b, self.multicast);
  }
  static void visit_gathering(auto& self, auto& visitor) {
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
    visit_channels(self, visitor);
  }
  static void visit_channels(auto& self, auto& visitor) {
    constexpr std::int64_t kMostChannels = 1024;
    visitor.field(field::count("pads_channels_to",
                               "channels of a convolution's image that fill its accesses: kernels "
                               "before it copy images whose channels are no multiple of that into "
                               "zeros (8 for CUTLASS' align8). 1 = it pads none")
                      .from(1, kMostChannels)
                      .more_is(Effect::either)
                      .omitted(""),
                  self.pads_channels_to, 1);
    visitor.field(
        field::flag("steps_within_taps",
                    "a k-step of a convolution lies within one tap of the filter, however "
                    "few channels that has")
            .omitted(""),
        self.steps_within_taps, false);
    visitor.field(field::flag("converts_a",
                              "a kernel before it writes A anew, rounded to the type it multiplies "
                              "(tf32 in memory)")
                      .omitted(""),
                  self.converts_a, false);
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

  static void visit_fields(auto& self, auto& visitor) {
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

}  // namespace stcsim
