#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "models/base/mma_instruction.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// Shared-memory bytes a warp reads for one group of instructions.
struct FragmentBytes {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t metadata = 0;

  [[nodiscard]] std::int64_t total() const { return a + b + metadata; }
  friend auto operator<=>(const FragmentBytes&, const FragmentBytes&) = default;
};

/// A part of a warp's k-step in kernels that do more in it than add up one product: groups of
/// matrix instructions, or vector work on their results, which begins when the last is there.
struct WarpPhase {
  std::int64_t groups = 1;
  /// Of a group: matrix instructions, or vector instructions.
  std::int64_t instructions = 0;
  /// Of a vector group beside these: instructions of the special function units.
  std::int64_t exponentials = 0;
  FragmentBytes fragments;
  bool is_vector = false;

  friend auto operator<=>(const WarpPhase&, const WarpPhase&) = default;
};

/// The work of one warp in every k-step; its pace, the hardware knows.
struct WarpProgram {
  static constexpr std::size_t kMostPhases = 6;

  /// Groups of independent instructions; each group needs one set of fragments.
  std::int64_t groups_per_step = 1;
  std::int64_t instructions_per_group = 0;
  /// The kind of all of them; nothing: vector instructions, an operation for each thread.
  std::optional<MmaInstruction> instruction;
  FragmentBytes fragments;
  /// Read and written before the first group of a k-step: the warp's share of operands that have to
  /// be turned for its instructions.
  std::int64_t turned_bytes = 0;
  /// Instructions begin when their A is there; B comes while they multiply (tcgen05).
  bool streams_b = false;
  /// Two CTAs, one above the other, multiply together: each has its rows of A and half of B.
  bool of_cta_pair = false;
  std::int64_t fragment_buffers = 2;
  /// The wait of the multipliers, in the mean, between two instructions of a group, whichever
  /// warps' they are; 0: as the hardware says, between two of the same warp.
  Millicycles bubble;
  /// What the groups of a k-step are, one after the other, if they are not alike. Then
  /// `groups_per_step` counts them all, `instructions_per_group` is the mean of the matrix
  /// instructions, rounded down, and `fragments` are the first group's.
  std::array<WarpPhase, kMostPhases> phases{};
  std::int64_t phase_count = 0;
  /// Warps wait for each other: groups of matrix instructions are issued whole.
  bool takes_turns = false;
  /// Warps of a sub-core go in step: no vector work of one beside matrix instructions of another.
  bool in_step = false;

  [[nodiscard]] bool has_phases() const { return phase_count > 0; }
  [[nodiscard]] std::span<const WarpPhase> all_phases() const {
    return std::span(phases).first(static_cast<std::size_t>(phase_count));
  }
  /// The phase of a group, counted from the first of a CTA; there are phases.
  [[nodiscard]] const WarpPhase& phase_of(std::int64_t group) const {
    std::int64_t left = group % groups_per_step;
    std::size_t at = 0;
    while (left >= phases.at(at).groups) left -= phases.at(at++).groups;
    return phases.at(at);
  }
  [[nodiscard]] const FragmentBytes& fragments_of(std::int64_t group) const {
    return has_phases() ? phase_of(group).fragments : fragments;
  }
  [[nodiscard]] bool turns_before(std::int64_t group) const {
    return turned_bytes > 0 && group % groups_per_step == 0;
  }
  /// What passes the port of shared memory for a group.
  [[nodiscard]] std::int64_t port_bytes(std::int64_t group) const {
    return fragments_of(group).total() + (turns_before(group) ? turned_bytes : 0);
  }
  [[nodiscard]] bool is_vector(std::int64_t group) const {
    return has_phases() ? phase_of(group).is_vector : !instruction.has_value();
  }
  [[nodiscard]] bool multiplies() const { return has_phases() || instruction.has_value(); }
  /// Matrix instructions of a warp in a k-step; vector instructions where there are no others.
  [[nodiscard]] std::int64_t instructions_per_step() const {
    if (!has_phases()) return groups_per_step * instructions_per_group;
    std::int64_t sum = 0;
    for (const WarpPhase& phase : all_phases()) {
      sum += phase.is_vector ? 0 : phase.groups * phase.instructions;
    }
    return sum;
  }

  /// Bytes without which the instructions of a group, the first unless another is given, do not
  /// begin.
  [[nodiscard]] std::int64_t awaited_bytes(std::int64_t group = 0) const {
    return port_bytes(group) - (streams_b && !has_phases() ? fragments.b : 0);
  }
  friend auto operator<=>(const WarpProgram&, const WarpProgram&) = default;
};

}  // namespace stcsim
