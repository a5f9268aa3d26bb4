#include "common/io/expression.hpp"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stcsim {
namespace {

using Value = ExpressionScope::Value;

class Names : public ExpressionScope {
 public:
  Value value_of(const std::string& name) override {
    static const std::map<std::string, Value> kNames{
        {"a", 7},         {"b", 2}, {"half", 0.5}, {"word", "silu"}, {"list", {3, 4, 5}},
        {"none", nullptr}};
    const auto found = kNames.find(name);
    if (found == kNames.end()) throw ExpressionError("'" + name + "' is not defined");
    return found->second;
  }
  Value call(const std::string& function, const std::vector<Value>& arguments) override {
    if (function != "twice") throw ExpressionError(function + "() is not known");
    return arguments.at(0).get<int>() * 2;
  }
};

std::string evaluated(const std::string& text) {
  Names names;
  try {
    return evaluate_expression(text, names).dump();
  } catch (const ExpressionError& error) {
    return error.what();
  }
}

TEST(Expression, IsWhatPythonSays) {
  for (const auto& [text, value] : std::vector<std::pair<const char*, const char*>>{
           {"1 + 2 * 3 - 4", "3"},
           {"(1 + 2) * 3", "9"},
           {"10 - 3 - 2", "5"},
           {"a / b", "3"},
           {"a % b", "1"},
           {"-a + 1", "-6"},
           {"a * half", "3.5"},
           {"int(a * half)", "3"},
           {"not a == 7 or b < 3", "true"},
           {"not b == 7 and a >= 7", "true"},
           {"b if a > 9 else a if b != 2 else 1", "1"},
           {"list[1] + list[b]", "9"},
           {"[a, 'x'][1] + b", R"("x2")"},
           {"[1] + list", "[1,3,4,5]"},
           {"4 in list and not 'gelu' in word and 'si' in word", "true"},
           {"min(a, b) + max(a, b) + len(list) + sum(list) + count(list, 4)", "25"},
           {"round_up(a, 4) + twice(b)", "12"},
           {"starts_with(word, 'si')", "true"},
           {"cut(word, 2)", R"("lu")"},
           {"len(word) + count(word, 'l')", "5"},
           {"none == null", "true"},
           {"none or 'other'", R"("other")"},
           // Only what counts is evaluated.
           {"a if true else missing", "7"},
           {"false and missing", "false"}}) {
    EXPECT_EQ(evaluated(text), value) << text;
  }
}

TEST(Expression, WhatIsWrongIsSaid) {
  for (const auto& [text, error] : std::vector<std::pair<std::string, const char*>>{
           {"", "a value is missing"},
           {"a +", "a value is missing"},
           {"(a", "')' is missing"},
           {"a b", "'b' is not expected"},
           {"a if b", "'else' is missing"},
           {"'x", "'x has no end"},
           {"1x", "'1x' is no number"},
           {"missing", "'missing' is not defined"},
           {"other(1)", "other() is not known"},
           {"len(a)", "7 is no list"},
           {"count(word, 'lu')", "count() takes one letter of a text"},
           {"min(a)", "min() takes 2 values"},
           {"a / 0", "7 / 0 is not defined"},
           {"9223372036854775807 + 1", "9223372036854775807 + 1 is too large"},
           {"word * 2", "silu is no number"},
           {"list[3]", "a list of 3 has no item 3"},
           {std::string(200, '(') + "1" + std::string(200, ')'), "it is too deep"}}) {
    EXPECT_EQ(evaluated(text), error) << text;
  }
}

}  // namespace
}  // namespace stcsim
