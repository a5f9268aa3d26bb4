#include <algorithm>
#include <cstdio>
#include <random>
#include <string_view>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "common/io/yaml_json.hpp"
#include "sim/config/machine_config.hpp"
#include "tests/unit/config/sample_configs.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

constexpr unsigned kSeed = 20240607;
constexpr int kRounds = 1000;

/// `text` with up to three bytes or pieces deleted, repeated or replaced.
std::string mutated(std::string text, std::mt19937& random) {
  constexpr std::string_view kBytes = "{}[]:,-'\"#&*!|>%@`~?=.\n\t 0123456789eE+_abxz\x01\x7F\xC3";
  const auto below = [&random](std::size_t limit) { return random() % limit; };
  for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
    const std::size_t at = below(text.size());
    const std::size_t length = 1 + below(12);
    const std::string piece = text.substr(at, length);
    switch (below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(below(text.size() + 1), piece);
        break;
      case 2:
        text[at] = kBytes[below(kBytes.size())];
        break;
      default:
        text.insert(at, 1, kBytes[below(kBytes.size())]);
        break;
    }
    if (text.empty()) text = "x";
  }
  return text;
}

/// True if `message` is "f.yaml:LINE:COLUMN: error: ..." on one line, the place inside the text.
bool is_well_formed(const std::string& message, const std::string& text) {
  int line = 0;
  int column = 0;
  if (std::sscanf(message.c_str(), "f.yaml:%d:%d: error: ", &line, &column) != 2) return false;
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  return line >= 1 && line <= lines && column >= 1;
}

/// Whatever a file says, it is read or refused with its place; nothing else happens.
template <class Read>
void expect_read_or_refused(const std::string& sample, Read read) {
  std::mt19937 random(kSeed);
  int refused = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string text = mutated(sample, random);
    try {
      const YamlDocument document = parse_yaml(text, "f.yaml");
      const std::string json = canonical_json(document.root);
      EXPECT_EQ(canonical_json(parse_yaml(json, "json").root), json);
      MapReader map(document);
      (void)read(map);
    } catch (const ConfigError& error) {
      ++refused;
      EXPECT_TRUE(is_well_formed(error.what(), text))
          << "seed " << kSeed << " round " << round << ": " << error.what();
    }
  }
  EXPECT_GT(refused, kRounds / 4);
  EXPECT_LT(refused, kRounds);
}

TEST(Mutation, MachinesAreReadOrRefused) {
  expect_read_or_refused(kSampleMachine, [](MapReader& map) { return read_machine(map); });
}

TEST(Mutation, NetworksAreReadOrRefused) {
  expect_read_or_refused(kSampleNetwork, &read_network);
}

TEST(Mutation, SchemesAreReadOrRefused) {
  expect_read_or_refused(kSampleScheme, &read_scheme);
}

}  // namespace
}  // namespace stcsim
