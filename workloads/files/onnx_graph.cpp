#include "workloads/files/onnx_graph.hpp"

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#include <unistd.h>

namespace stcsim {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr std::size_t kMostNodes = 200'000;
constexpr std::size_t kMostTensors = 1'000'000;
constexpr int kLongestText = 1 << 16;
/// Integers that stand for shapes are few; more are data.
constexpr std::size_t kMostValues = 4096;
constexpr int kRawLongest = 8 * static_cast<int>(kMostValues);

/// Reads the messages of onnx.proto, field by field, by its numbers.
class OnnxReader {
 public:
  OnnxReader(CodedInputStream& input, Problems& problems) : in_(input), problems_(problems) {}

  OnnxGraph model() {
    fields([&](int field) {
      if (field == 7) return message([&](int inner) { return graph_field(inner); });
      if (field == 8) return message([&](int inner) { return opset_field(inner); });
      return false;
    });
    if (domain_.empty()) graph_.opset = std::max(graph_.opset, version_);
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail() { problems_.fail("it is cut off or malformed (as protobuf)"); }

  /// Calls take(number) for every field of the message; one that takes none of it is skipped.
  template <class Take>
  void fields(Take take) {
    while (const std::uint32_t tag = in_.ReadTag()) {
      wire_ = static_cast<int>(tag & 7U);
      if (take(static_cast<int>(tag >> 3U))) continue;
      if (!WireFormatLite::SkipField(&in_, tag)) fail();
    }
    if (!in_.ConsumedEntireMessage()) fail();
  }

  /// A message within a message; not taken if the field is none.
  template <class Take>
  bool message(Take take) {
    if (wire_ != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) return false;
    int length = 0;
    if (!in_.ReadVarintSizeAsInt(&length)) fail();
    const auto limit = in_.PushLimit(length);
    fields(take);
    if (in_.BytesUntilLimit() != 0) fail();
    in_.PopLimit(limit);
    return true;
  }

  bool text(std::string& value) {
    if (wire_ != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) return false;
    int length = 0;
    if (!in_.ReadVarintSizeAsInt(&length)) fail();
    if (length > kLongestText) {
      value.clear();
      if (!in_.Skip(length)) fail();
      return true;
    }
    if (!in_.ReadString(&value, length)) fail();
    return true;
  }

  bool number(std::int64_t& value) {
    if (wire_ != WireFormatLite::WIRETYPE_VARINT) return false;
    std::uint64_t bits = 0;
    if (!in_.ReadVarint64(&bits)) fail();
    value = static_cast<std::int64_t>(bits);
    return true;
  }

  /// Repeated integers, packed or one by one; those beyond the first 4,096 are dropped.
  bool numbers(std::vector<std::int64_t>& values) {
    const auto take = [&] {
      std::uint64_t bits = 0;
      if (!in_.ReadVarint64(&bits)) fail();
      if (values.size() <= kMostValues) values.push_back(static_cast<std::int64_t>(bits));
    };
    if (wire_ == WireFormatLite::WIRETYPE_VARINT) {
      take();
      return true;
    }
    if (wire_ != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) return false;
    int length = 0;
    if (!in_.ReadVarintSizeAsInt(&length)) fail();
    const auto limit = in_.PushLimit(length);
    while (in_.BytesUntilLimit() > 0) take();
    in_.PopLimit(limit);
    return true;
  }

  bool opset_field(int field) {
    if (field == 1) return text(domain_);
    if (field != 2 || !number(version_)) return false;
    if (domain_.empty()) graph_.opset = version_;
    domain_.clear();
    return true;
  }

  bool graph_field(int field) {
    switch (field) {
      case 1: {
        if (graph_.nodes.size() == kMostNodes) problems_.fail("it has more than 200,000 nodes");
        OnnxNode& node = graph_.nodes.emplace_back();
        return message([&](int inner) { return node_field(inner, node); });
      }
      case 5:
        return tensor(grown(graph_.initializers));
      case 11:
        return value(grown(graph_.inputs));
      case 12:
        return value(grown(graph_.outputs));
      case 13:
        return value(grown(graph_.values));
      default:
        return false;
    }
  }

  template <class Item>
  Item& grown(std::vector<Item>& items) {
    if (items.size() == kMostTensors) problems_.fail("it has more than 1,000,000 tensors");
    return items.emplace_back();
  }

  bool node_field(int field, OnnxNode& node) {
    switch (field) {
      case 1:
        return text(grown(node.inputs));
      case 2:
        return text(grown(node.outputs));
      case 3:
        return text(node.name);
      case 4:
        return text(node.op);
      case 5: {
        OnnxAttribute attribute;
        std::string name;
        const bool taken =
            message([&](int inner) { return attribute_field(inner, name, attribute); });
        node.attributes[name] = std::move(attribute);
        return taken;
      }
      case 7:
        return text(node.domain);
      default:
        return false;
    }
  }

  bool attribute_field(int field, std::string& name, OnnxAttribute& attribute) {
    switch (field) {
      case 1:
        return text(name);
      case 3:
        return number(attribute.number);
      case 4:
        return text(attribute.text);
      case 5:
        return tensor(attribute.tensor.emplace());
      case 8:
        return numbers(attribute.numbers);
      default:
        return false;
    }
  }

  bool tensor(OnnxTensor& tensor) {
    std::int64_t type = 0;
    std::string raw;
    std::vector<std::int64_t> values;
    const bool taken = message([&](int field) {
      if (field == 1) return numbers(tensor.dims);
      if (field == 2) return number(type);
      if (field == 5 || field == 7) return numbers(values);
      if (field == 8) return text(tensor.name);
      return field == 9 && raw_data(raw);
    });
    // FLOAT, FLOAT16, DOUBLE, BFLOAT16 and the 8-bit ones; INT64 and INT32 may be shapes.
    constexpr int kInt32 = 6;
    constexpr int kInt64 = 7;
    tensor.is_float = type == 1 || type == 10 || type == 11 || (type >= 16 && type <= 20);
    const std::size_t size = type == kInt64 ? 8 : 4;
    if (type != kInt32 && type != kInt64) return taken;
    for (std::size_t at = 0; at + size <= raw.size(); at += size) {
      std::uint64_t bits = 0;
      for (std::size_t byte = size; byte-- > 0;) {
        bits = bits << 8U | static_cast<unsigned char>(raw[at + byte]);
      }
      values.push_back(size == 8 ? static_cast<std::int64_t>(bits)
                                 : static_cast<std::int32_t>(bits));
    }
    const bool is_empty = std::ranges::find(tensor.dims, 0) != tensor.dims.end();
    if (is_empty || (!values.empty() && values.size() <= kMostValues)) tensor.values = values;
    return taken;
  }

  /// Weights are passed over.
  bool raw_data(std::string& raw) {
    if (wire_ != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) return false;
    int length = 0;
    if (!in_.ReadVarintSizeAsInt(&length)) fail();
    const bool is_read = length > kRawLongest ? in_.Skip(length) : in_.ReadString(&raw, length);
    if (!is_read) fail();
    return true;
  }

  bool value(OnnxValue& value) {
    return message([&](int field) {
      if (field == 1) return text(value.name);
      if (field != 2) return false;
      return message([&](int type) {      // TypeProto
        if (type != 1) return false;      // tensor_type
        return message([&](int inside) {  // its shape
          if (inside != 2) return false;
          value.has_shape = true;
          return message([&](int shape) {
            if (shape != 1) return false;
            OnnxDim& dim = grown(value.dims);
            return message(
                [&](int one) { return one == 1 ? number(dim.size) : one == 2 && text(dim.name); });
          });
        });
      });
    });
  }

  CodedInputStream& in_;
  Problems& problems_;
  OnnxGraph graph_;
  int wire_ = 0;
  std::string domain_;
  std::int64_t version_ = 0;
};

}  // namespace

std::string OnnxNode::to_string() const {
  const std::string& shown = !name.empty() ? name : outputs.empty() ? name : outputs.front();
  return fmt::format("{} '{}'", op, shown);
}

const OnnxAttribute* OnnxNode::find(const char* attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? nullptr : &found->second;
}
std::int64_t OnnxNode::number(const char* attribute, std::int64_t fallback) const {
  return find(attribute) == nullptr ? fallback : find(attribute)->number;
}
std::vector<std::int64_t> OnnxNode::numbers(const char* attribute) const {
  return find(attribute) == nullptr ? std::vector<std::int64_t>() : find(attribute)->numbers;
}
std::string OnnxNode::text(const char* attribute) const {
  return find(attribute) == nullptr ? "" : find(attribute)->text;
}

OnnxGraph read_onnx_graph(const std::filesystem::path& path, Problems& problems) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) problems.fail("it cannot be read");
  google::protobuf::io::FileInputStream stream(file);
  stream.SetCloseOnDelete(true);
  CodedInputStream input(&stream);
  OnnxGraph graph = OnnxReader(input, problems).model();
  if (graph.nodes.empty()) problems.fail("it has no graph, or one without nodes");
  return graph;
}

}  // namespace stcsim
