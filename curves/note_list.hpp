#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"

namespace stcsim::curves {

/// Something a reader did that its user ought to know.
struct Note {
  SourceLocation where;
  std::string text;
};

/// Notes of a file, the first hundred of them.
class NoteList {
 public:
  void add(SourceLocation where, std::string text) {
    if (notes_.size() < kMost)
      notes_.push_back({std::move(where), std::move(text)});
    else
      ++untold_;
  }
  [[nodiscard]] bool empty() const { return notes_.empty(); }
  [[nodiscard]] const Note& front() const { return notes_.front(); }

  /// The notes, with a last one that says how many there were besides.
  [[nodiscard]] std::vector<Note> take(const std::string& file) {
    if (untold_ > 0) notes_.push_back({{file}, "and " + std::to_string(untold_) + " more notes"});
    return std::move(notes_);
  }

 private:
  static constexpr std::size_t kMost = 100;
  std::vector<Note> notes_;
  std::size_t untold_ = 0;
};

}  // namespace stcsim::curves
