#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stcsim::pruning {

/// A header behind its length.
inline std::string framed(const std::string& header) {
  std::string text;
  for (int byte = 0; byte < 8; ++byte) {
    text += static_cast<char>(header.size() >> (8 * byte) & 255U);
  }
  return text + header;
}

/// Writes safetensors files.
class CheckpointWriter {
 public:
  void add(const std::string& name, const std::string& type, const std::vector<std::int64_t>& shape,
           const std::string& bytes) {
    add(name, type, shape, bytes.size());
    data_ += bytes;
  }
  /// Only the header's entry.
  void add(const std::string& name, const std::string& type, const std::vector<std::int64_t>& shape,
           std::size_t bytes) {
    header_ += fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                           header_.empty() ? "" : ",", name, type, fmt::join(shape, ","), size_,
                           size_ + bytes);
    size_ += bytes;
  }
  [[nodiscard]] std::string head() const {
    return framed(R"({"__metadata__":{"format":"pt"},)" + header_ + "}");
  }
  [[nodiscard]] std::string text() const { return head() + data_; }

 private:
  std::string header_;
  std::string data_;
  std::size_t size_ = 0;
};

/// 1, 2, 3, ...
inline std::vector<float> ramp(int count) {
  std::vector<float> values;
  for (int at = 1; at <= count; ++at) values.push_back(static_cast<float>(at));
  return values;
}

}  // namespace stcsim::pruning
