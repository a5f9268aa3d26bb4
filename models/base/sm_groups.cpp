#include "models/base/sm_groups.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "common/metadata_format.hpp"
#include "models/base/mma_instruction.hpp"

namespace stcsim {

void SmSets::forget() {
  members_.clear();
  numbers_.clear();
  for (std::int32_t sm = 0; sm < sms_; ++sm) members_.push_back({sm});
}

SmSet SmSets::find(const SmNumbers& members) {
  if (members.size() == 1) return alone(members.front());
  const auto [entry, is_new] = numbers_.try_emplace(members, static_cast<SmSet>(members_.size()));
  if (is_new) members_.push_back(members);
  return entry->second;
}

std::size_t SmSets::Hash::operator()(const SmNumbers& members) const {
  std::uint64_t hash = members.size();
  for (const std::int32_t sm : members) {
    hash = (hash ^ static_cast<std::uint64_t>(sm)) * std::uint64_t{0x9e3779b97f4a7c15};
    hash ^= hash >> 29U;
  }
  return static_cast<std::size_t>(hash);
}

void SmGroups::reset(bool together) {
  const auto count = static_cast<std::size_t>(sets_.sms());
  members_.assign(count, SmSet{});
  representative_.resize(count);
  SmNumbers all(count);
  std::iota(all.begin(), all.end(), 0);
  representatives_.clear();
  if (together) {
    representatives_.push_back(0);
    return form(all, 0);
  }
  representatives_.assign(all.begin(), all.end());
  for (const std::int32_t sm : all) form({sm}, sm);
}

void SmGroups::form(const SmNumbers& members, std::int64_t representative) {
  for (const std::int32_t sm : members) {
    representative_[static_cast<std::size_t>(sm)] = representative;
  }
  members_[static_cast<std::size_t>(representative)] = sets_.find(members);
}

std::int64_t SmGroups::split(std::int64_t representative, const SmNumbers& part) {
  const SmNumbers& before = sets_.members(members(representative));
  SmNumbers& rest = at_work_;
  rest.clear();
  std::set_difference(before.begin(), before.end(), part.begin(), part.end(),
                      std::back_inserter(rest));
  const bool stays_in_part = std::binary_search(part.begin(), part.end(), representative);
  const SmNumbers& moved = stays_in_part ? rest : part;
  form(stays_in_part ? part : rest, representative);
  form(moved, moved.front());
  const auto place =
      std::lower_bound(representatives_.begin(), representatives_.end(), moved.front());
  representatives_.insert(place, moved.front());
  return moved.front();
}

void SmGroups::merge(std::int64_t into, std::int64_t from) {
  const SmNumbers& a = sets_.members(members(into));
  const SmNumbers& b = sets_.members(members(from));
  SmNumbers& all = at_work_;
  all.clear();
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  form(all, into);
  representatives_.erase(std::lower_bound(representatives_.begin(), representatives_.end(), from));
}

InstructionOperands operands_of(const MmaInstruction& instruction) {
  const Pattern pattern = instruction.pattern;
  const RowBytes a_row =
      row_bytes(instruction.k, pattern.of_a(), instruction.dtype, instruction.metadata);
  const std::int64_t metadata =
      pattern.of_outputs
          ? row_bytes(instruction.n, pattern, instruction.dtype, instruction.metadata).metadata
          : a_row.metadata;
  const RowBytes b_column = row_bytes(instruction.k, kDense, instruction.dtype);
  return {instruction.m * a_row.values, instruction.n * b_column.values, instruction.m * metadata,
          bytes_of(instruction.accumulator, instruction.m * pattern.outputs_of(instruction.n))};
}

std::int64_t kept_macs(const MmaInstruction& instruction) {
  return instruction.m * instruction.n * instruction.k * instruction.pattern.n /
         instruction.pattern.m;
}

}  // namespace stcsim
