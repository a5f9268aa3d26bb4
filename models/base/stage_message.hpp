#pragma once

#include <cstdint>

#include "models/base/mma_instruction.hpp"
#include "models/base/time.hpp"

namespace stcsim {

class InstructionValues;

/// What the data of an instruction make of it: the parts of its work that its stages do. Without
/// data, all of it.
struct InstructionWork {
  /// Bytes of A's kept values, of B, and of A's metadata.
  std::int64_t a_bytes = 0;
  std::int64_t b_bytes = 0;
  std::int64_t metadata_bytes = 0;
  /// Times that the multipliers take the values of a slot of every row, and how often they would if
  /// no slot were skipped.
  std::int64_t slots = 1;
  std::int64_t all_slots = 1;
  /// Times that the selector's multiplexers look at a part of a group, and groups; 0 without data:
  /// as often as a group has parts.
  std::int64_t looks = 0;
  std::int64_t groups = 1;

  friend bool operator==(const InstructionWork&, const InstructionWork&) = default;
};

/// An instruction on its way through the stages of a sub-core: what moves from one to the next are
/// the fragments of A and B and the words of metadata that are still to be used, as bytes or with
/// their values. It comes with its first byte.
struct StageMessage {
  /// The warp, by its place in the scheduler, and whether it is the first or the last of a group of
  /// that warp's instructions.
  std::int64_t warp = 0;
  bool opens_group = false;
  bool closes_group = false;
  /// What the multipliers wait before it, because it directly follows one of the same warp.
  Cycles bubble;
  InstructionWork work;
  /// Its words, if values are carried.
  InstructionValues* values = nullptr;
  /// When its first byte is there, and its last.
  Cycle first;
  Cycle last;
};

/// Describes it to a visitor (state_visitor.hpp). Of its bytes it matters only how many there are.
template <class Visitor>
void visit_message(Visitor& visitor, StageMessage& message) {
  visitor.value(message.warp);
  visitor.value(message.opens_group);
  visitor.value(message.closes_group);
  visitor.value(message.bubble);
  for (std::int64_t InstructionWork::*part :
       {&InstructionWork::a_bytes, &InstructionWork::b_bytes, &InstructionWork::metadata_bytes,
        &InstructionWork::slots, &InstructionWork::all_slots, &InstructionWork::looks,
        &InstructionWork::groups}) {
    visitor.value(message.work.*part);
  }
  visitor.time(message.first);
  visitor.deadline(message.last);
}

/// Stage → warp scheduler: what has become of a group of a warp's instructions.
struct GroupProgress {
  enum class Kind : std::uint8_t { fragments_read, first_result, last_result };
  std::int64_t warp = 0;
  Kind kind = Kind::fragments_read;
};

}  // namespace stcsim
