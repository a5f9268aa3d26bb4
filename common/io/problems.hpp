#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.hpp"

namespace stcsim {

/// What is wrong with a file, all of it: readers go on after a problem, and fail at the end.
class Problems {
 public:
  /// @param taken_for what the file was recognised as: "Hugging Face config"
  Problems(std::string file, std::string taken_for)
      : file_(std::move(file)), taken_for_(std::move(taken_for)) {}

  /// Equal ones count once.
  void add(const std::string& problem);
  [[nodiscard]] bool any() const { return !problems_.empty(); }
  /// @throws ConfigError with all of them, if there are any
  void refuse() const;
  /// Adds `problem` and fails.
  [[noreturn]] void fail(const std::string& problem);

 private:
  /// Of so many a message says how many more there are.
  static constexpr std::size_t kMostShown = 12;

  std::string file_;
  std::string taken_for_;
  std::vector<std::string> problems_;
  std::size_t more_ = 0;
};

/// The words of a text, with blanks between them.
[[nodiscard]] std::vector<std::string_view> words_in(std::string_view text);

/// The errors that one is made of; of any other its what(), line breaks blank.
[[nodiscard]] std::vector<std::string> lines_of(const ConfigError& error);

/// Errors of a file, so that a reader goes on after one and tells all in the end.
class ConfigErrors {
 public:
  /// Equal ones count once.
  void add(const ConfigError& error);
  [[nodiscard]] bool any() const { return !lines_.empty(); }
  /// @throws ConfigError whose what() has a line for each error, if there are any
  void refuse() const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace stcsim
