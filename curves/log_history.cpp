#include "curves/log_history.hpp"

#include <limits>

namespace stcsim::curves {

bool LogHistory::string(string_t& value) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (!in_entry()) return true;
  if (value.empty()) return number(std::numeric_limits<double>::quiet_NaN());
  if (value == "inf") return number(kInfinite);
  if (value == "-inf") return number(-kInfinite);
  return true;
}

bool LogHistory::start_object(std::size_t /*elements*/) {
  ++depth_;
  if (in_entry()) entry_.clear();
  return true;
}

bool LogHistory::key(string_t& name) {
  // Of what is not wanted, names need not be kept.
  if (depth_ == 1 || in_entry()) key_ = std::move(name);
  return true;
}

bool LogHistory::end_object() {
  if (in_entry()) take_(entry_);
  --depth_;
  return true;
}

bool LogHistory::start_array(std::size_t /*elements*/) {
  if (depth_ == 1 && key_ == "log_history") inside_ = found_ = true;
  ++depth_;
  return true;
}

bool LogHistory::end_array() {
  --depth_;
  if (depth_ == 1) inside_ = false;
  return true;
}

bool LogHistory::number(double value) {
  if (in_entry()) entry_.emplace_back(key_, value);
  return true;
}

}  // namespace stcsim::curves
