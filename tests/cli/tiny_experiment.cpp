#include "tests/cli/tiny_experiment.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace stcsim {
namespace {

constexpr const char* kExperiment = R"(description: two layers on two SMs
machines: [{extends: a100, name: two_sms, accelerator: {num_sms: 2}}]
networks: [./net.yaml]
schemes: [dense, asp]
kernel_candidates: 1
framework: ideal
sparse_where: always
)";

constexpr const char* kTinyNetwork = R"(name: tiny
description: two linear layers
batch: 2
optimizer: adam
layers:
  - {name: first, type: linear, in_features: 64, out_features: 128, tokens: 64, dgrad: false}
  - {name: second, type: linear, in_features: 128, out_features: 64, tokens: 64, after: [gelu]}
)";

}  // namespace

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::vector<std::string> files_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TinyExperiment::TinyExperiment() {
  write_text(path("tiny.yaml"), kExperiment);
  write_text(path("net.yaml"), kTinyNetwork);
}

}  // namespace stcsim
