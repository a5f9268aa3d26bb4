#include "common/io/yaml_json.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

std::string json_of(const std::string& text) {
  return canonical_json(parse_yaml(text, "f.yaml").root);
}

TEST(CanonicalJson, KeepsTypesAndSortsKeys) {
  EXPECT_EQ(json_of("b: 1\na: [x, 2.50, true, \"3\", \"true\", ~]\nc: {z: -0.5, y: 1e3}\n"),
            R"({"a":["x",2.5,true,"3","true",null],"b":1,"c":{"y":1000.0,"z":-0.5}})");
  EXPECT_EQ(json_of("p: 2:4\nq: 010\nr: 0x10\ns: .5\nt: 'x \"y\"'\nu: \xC3\xA9\n"),
            "{\"p\":\"2:4\",\"q\":\"010\",\"r\":\"0x10\",\"s\":\".5\",\"t\":\"x \\\"y\\\"\","
            "\"u\":\"\xC3\xA9\"}");
  EXPECT_EQ(json_of("big: 42949672960\nhuge: 9223372036854775808\n"),
            R"({"big":42949672960,"huge":9.223372036854776e+18})");
}

TEST(CanonicalJson, DoesNotDependOnHowItWasWritten) {
  EXPECT_EQ(json_of("a: {x: 1.50, y: [1, 2]}\nb: s\n"),
            json_of("# comment\nb: 's'\na:\n  y:\n    - 1\n    - 2\n  x: 1.5\n"));
}

TEST(CanonicalJson, ReadsBackAsItself) {
  const std::string json =
      json_of("a: [x, 2.50, true, \"3\", ~, 1e300, -7]\nb: {c: \"l1\\nl2\", d: [], e: {}}\n");
  EXPECT_EQ(json_of(json), json);
}

}  // namespace
}  // namespace stcsim
