#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace stcsim {

/// What an expression has for names and functions.
class ExpressionScope {
 public:
  using Value = nlohmann::ordered_json;

  ExpressionScope() = default;
  ExpressionScope(const ExpressionScope&) = delete;
  ExpressionScope& operator=(const ExpressionScope&) = delete;
  virtual ~ExpressionScope() = default;

  [[nodiscard]] virtual Value value_of(const std::string& name) = 0;
  /// Of a function that expressions have not themselves.
  [[nodiscard]] virtual Value call(const std::string& function,
                                   const std::vector<Value>& arguments) = 0;
};

/// What is wrong with an expression or its values, without a place.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The value of an expression as Python writes them: whole numbers, numbers, 'texts', [lists],
/// true, false, null; names and functions of the scope; + - * / % (of whole numbers / rounds down,
/// + joins texts and lists), == != < <= > >= in, and, or, not, `a if condition else b`, list[i],
/// and min, max, len, sum, count (len and count of texts, too), int, round_up (to a multiple),
/// starts_with, cut (a text's first n). Only the branch that counts is evaluated.
/// @throws ExpressionError for what is no expression, unknown names, values that do not fit an
///         operator, division by zero, whole numbers beyond 63 bits
[[nodiscard]] nlohmann::ordered_json evaluate_expression(std::string_view text,
                                                         ExpressionScope& scope);

/// Whether a value counts as true: not false, null, zero or empty.
[[nodiscard]] bool is_true(const nlohmann::ordered_json& value);

/// A value as part of a text: texts without quotes.
[[nodiscard]] std::string as_text(const nlohmann::ordered_json& value);

}  // namespace stcsim
