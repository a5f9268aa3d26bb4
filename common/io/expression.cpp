#include "common/io/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace stcsim {
namespace {

using Value = ExpressionScope::Value;

[[noreturn]] void fail(const std::string& what) {
  throw ExpressionError(what);
}

/// A node of a parsed expression: what it is, by its operator, and what it consists of.
struct Node {
  std::string op;  // "constant", "name", "call", "list", "index", "if" or an operator
  std::string name;
  Value constant;
  std::vector<Node> parts;
};

/// Reads an expression, the loosest operators first.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Node parse() {
    Node node = conditional();
    if (!token().empty()) fail(fmt::format("'{}' is not expected", token()));
    return node;
  }

 private:
  static constexpr int kDeepest = 100;
  static constexpr std::array<std::string_view, 4> kLongTokens{"==", "!=", "<=", ">="};

  static bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.';
  }

  /// The next word, number, quoted text or sign; "" at the end.
  std::string_view token() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string_view rest = text_.substr(at_);
    if (rest.empty()) return rest;
    if (rest[0] == '\'') return rest.substr(0, std::min(rest.find('\'', 1), rest.size() - 1) + 1);
    const auto end = std::ranges::find_if_not(rest, is_word) - rest.begin();
    if (end > 0) return rest.substr(0, static_cast<std::size_t>(end));
    const bool is_long = std::ranges::find(kLongTokens, rest.substr(0, 2)) != kLongTokens.end();
    return rest.substr(0, is_long ? 2 : 1);
  }
  std::string take() {
    const std::string_view next = token();
    at_ += next.size();
    return std::string(next);
  }
  bool takes(std::string_view expected) {
    const bool is_next = token() == expected;
    if (is_next) at_ += expected.size();
    return is_next;
  }
  void need(std::string_view expected) {
    if (!takes(expected)) fail(fmt::format("'{}' is missing", expected));
  }

  Node conditional() {
    if (++depth_ > kDeepest) fail("it is too deep");
    Node node = chain(0);
    if (takes("if")) {
      Node condition = chain(0);
      need("else");
      Node other = conditional();
      node = {"if", "", {}, {std::move(condition), std::move(node), std::move(other)}};
    }
    --depth_;
    return node;
  }

  /// Operators of one rank, from left to right.
  Node chain(std::size_t rank) {
    static const std::vector<std::vector<std::string_view>> ranks{
        {"or"}, {"and"}, {"==", "!=", "<", "<=", ">", ">=", "in"}, {"+", "-"}, {"*", "/", "%"}};
    if (rank == ranks.size()) return unary();
    Node node = chain(rank + 1);
    while (std::ranges::find(ranks[rank], token()) != ranks[rank].end()) {
      std::string op = take();
      Node right = chain(rank + 1);
      node = {std::move(op), "", {}, {std::move(node), std::move(right)}};
    }
    return node;
  }

  Node unary() {
    if (++depth_ > kDeepest) fail("it is too deep");
    Node node;
    if (takes("not")) {
      // Binds less than comparisons do.
      node = {"not", "", {}, {chain(2)}};
    } else if (takes("-")) {
      node = {"-", "", {}, {{"constant", "", 0, {}}, unary()}};
    } else {
      node = operand();
      while (takes("[")) {
        Node index = conditional();
        need("]");
        node = {"index", "", {}, {std::move(node), std::move(index)}};
      }
    }
    --depth_;
    return node;
  }

  std::vector<Node> until(std::string_view end) {
    std::vector<Node> nodes;
    while (!takes(end)) {
      if (!nodes.empty()) need(",");
      nodes.push_back(conditional());
    }
    return nodes;
  }

  Node operand() {
    if (takes("(")) {
      Node node = conditional();
      need(")");
      return node;
    }
    if (takes("[")) return {"list", "", {}, until("]")};
    std::string word = take();
    if (word.empty()) fail("a value is missing");
    if (word[0] == '\'') {
      if (word.size() < 2 || word.back() != '\'') fail(fmt::format("{} has no end", word));
      return {"constant", "", word.substr(1, word.size() - 2), {}};
    }
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word == "true" ||
        word == "false" || word == "null") {
      Value constant = Value::parse(word, nullptr, false);
      if (constant.is_discarded()) fail(fmt::format("'{}' is no number", word));
      return {"constant", "", std::move(constant), {}};
    }
    if (!is_word(word[0])) fail(fmt::format("'{}' is not expected", word));
    if (takes("(")) return {"call", std::move(word), {}, until(")")};
    return {"name", std::move(word), {}, {}};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

std::int64_t whole(const Value& value) {
  const bool is_large =
      value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (!value.is_number_integer() || is_large) fail(as_text(value) + " is no whole number");
  return value.get<std::int64_t>();
}

double number(const Value& value) {
  if (!value.is_number()) fail(as_text(value) + " is no number");
  return value.get<double>();
}

Value arithmetic(char op, const Value& a, const Value& b) {
  if (a.is_number_integer() && b.is_number_integer()) {
    const std::int64_t left = whole(a);
    const std::int64_t right = whole(b);
    std::int64_t result = 0;
    bool is_too_large = false;
    if (op == '+') is_too_large = __builtin_add_overflow(left, right, &result);
    if (op == '-') is_too_large = __builtin_sub_overflow(left, right, &result);
    if (op == '*') is_too_large = __builtin_mul_overflow(left, right, &result);
    if (op == '/' || op == '%') {
      if (right <= 0 || left < 0) fail(fmt::format("{} {} {} is not defined", left, op, right));
      result = op == '/' ? left / right : left % right;
    }
    if (is_too_large) fail(fmt::format("{} {} {} is too large", left, op, right));
    return result;
  }
  const double left = number(a);
  const double right = number(b);
  if (op == '/' && right == 0) fail("a division by 0");
  switch (op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    default:
      return std::fmod(left, right);
  }
}

const Value& item(const Value& list, const Value& index) {
  const std::int64_t at = whole(index);
  if (!list.is_array()) fail(as_text(list) + " is no list");
  if (at < 0 || at >= static_cast<std::int64_t>(list.size())) {
    fail(fmt::format("a list of {} has no item {}", list.size(), at));
  }
  return list[static_cast<std::size_t>(at)];
}

bool is_in(const Value& one, const Value& list) {
  if (list.is_string() && one.is_string()) {
    return list.get_ref<const std::string&>().find(one.get_ref<const std::string&>()) !=
           std::string::npos;
  }
  return list.is_array() && std::ranges::find(list, one) != list.end();
}

Value binary(const std::string& op, const Value& a, const Value& b) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "in") return is_in(a, b);
  if (op == "<") return number(a) < number(b);
  if (op == "<=") return number(a) <= number(b);
  if (op == ">") return number(a) > number(b);
  if (op == ">=") return number(a) >= number(b);
  if (op == "+" && (a.is_string() || b.is_string())) return as_text(a) + as_text(b);
  if (op == "+" && a.is_array() && b.is_array()) {
    Value both = a;
    both.insert(both.end(), b.begin(), b.end());
    return both;
  }
  return arithmetic(op[0], a, b);
}

/// Functions of one list; of a text its length.
Value of_list(const std::string& name, const Value& list) {
  if (name == "len" && list.is_string()) return list.get_ref<const std::string&>().size();
  if (!list.is_array() && !list.is_object()) fail(as_text(list) + " is no list");
  if (name == "len") return list.size();
  Value sum = 0;
  for (const Value& one : list) sum = arithmetic('+', sum, one);
  return sum;
}

/// How often a text has a letter.
std::int64_t letters(const std::string& text, const std::string& letter) {
  if (letter.size() != 1) fail("count() takes one letter of a text");
  return std::ranges::count(text, letter.front());
}

Value of_two(const std::string& name, const Value& a, const Value& b) {
  if (name == "min") return number(b) < number(a) ? b : a;
  if (name == "max") return number(b) > number(a) ? b : a;
  if (name == "count" && !a.is_string()) return std::ranges::count(a, b);
  if (name == "round_up") {
    return arithmetic('*', arithmetic('/', whole(a) + whole(b) - 1, b), b);
  }
  const std::string text = as_text(a);
  if (name == "count") return letters(text, as_text(b));
  if (name == "starts_with") return text.starts_with(as_text(b));
  return text.substr(std::min<std::size_t>(text.size(), static_cast<std::size_t>(whole(b))));
}

class Evaluator {
 public:
  explicit Evaluator(ExpressionScope& scope) : scope_(scope) {}

  Value evaluate(const Node& node) {
    if (node.op == "constant") return node.constant;
    if (node.op == "name") return scope_.value_of(node.name);
    if (node.op == "call") return call(node);
    if (node.op == "if") return evaluate(node.parts[is_true(evaluate(node.parts[0])) ? 1 : 2]);
    if (node.op == "not") return !is_true(evaluate(node.parts[0]));
    if (node.op == "list") return Value(all(node.parts));
    Value left = evaluate(node.parts[0]);
    if (node.op == "and" || node.op == "or") {
      return is_true(left) == (node.op == "or") ? left : evaluate(node.parts[1]);
    }
    const Value right = evaluate(node.parts[1]);
    return node.op == "index" ? item(left, right) : binary(node.op, left, right);
  }

 private:
  std::vector<Value> all(const std::vector<Node>& nodes) {
    std::vector<Value> values;
    for (const Node& node : nodes) values.push_back(evaluate(node));
    return values;
  }

  Value call(const Node& node) {
    static constexpr std::array<std::string_view, 2> kOfList{"len", "sum"};
    static constexpr std::array<std::string_view, 6> kOfTwo{"min",      "max",         "count",
                                                            "round_up", "starts_with", "cut"};
    const std::vector<Value> values = all(node.parts);
    const auto is_one_of = [&](const auto& names, std::size_t arguments) {
      if (std::ranges::find(names, node.name) == names.end()) return false;
      if (values.size() == arguments) return true;
      fail(fmt::format("{}() takes {} values", node.name, arguments));
    };
    if (is_one_of(kOfList, 1)) return of_list(node.name, values[0]);
    if (is_one_of(kOfTwo, 2)) return of_two(node.name, values[0], values[1]);
    if (is_one_of(std::array<std::string_view, 1>{"int"}, 1)) {
      const double rounded = std::floor(number(values[0]));
      constexpr double kMost = 9e15;
      if (std::abs(rounded) > kMost) fail(as_text(values[0]) + " is too large");
      return static_cast<std::int64_t>(rounded);
    }
    return scope_.call(node.name, values);
  }

  ExpressionScope& scope_;
};

}  // namespace

bool is_true(const Value& value) {
  if (value.is_null() || value == false) return false;
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.is_structured() || !value.empty();
}

std::string as_text(const Value& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, Value::error_handler_t::replace);
}

Value evaluate_expression(std::string_view text, ExpressionScope& scope) {
  static thread_local std::unordered_map<std::string, std::shared_ptr<const Node>> parsed;
  std::shared_ptr<const Node>& node = parsed[std::string(text)];
  if (node == nullptr) node = std::make_shared<const Node>(Parser(text).parse());
  const std::shared_ptr<const Node> kept = node;
  return Evaluator(scope).evaluate(*kept);
}

}  // namespace stcsim
