#include "workloads/files/onnx_graph.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#include <unistd.h>

#include "common/io/text_file.hpp"

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
/// Real numbers that matter are factors along axes.
constexpr std::size_t kMostReals = 16;
constexpr int kDeepest = 32;

/// Types of TensorProto.
constexpr std::int64_t kFloat = 1;
constexpr std::int64_t kInt32 = 6;
constexpr std::int64_t kInt64 = 7;
constexpr std::int64_t kBool = 9;

/// Reads the messages of onnx.proto, field by field, by its numbers.
class OnnxReader {
 public:
  OnnxReader(CodedInputStream& input, Problems& problems) : in_(input), problems_(problems) {}

  OnnxGraph model() {
    fields([&](int field) {
      if (field == 7) return graph(graph_);
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

  /// The length of what follows; nothing if the field has none.
  std::optional<int> length() {
    if (wire_ != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) return std::nullopt;
    int length = 0;
    if (!in_.ReadVarintSizeAsInt(&length)) fail();
    return length;
  }

  /// A message within a message; not taken if the field is none.
  template <class Take>
  bool message(Take take) {
    const std::optional<int> size = length();
    if (!size) return false;
    const auto limit = in_.PushLimit(*size);
    fields(take);
    if (in_.BytesUntilLimit() != 0) fail();
    in_.PopLimit(limit);
    return true;
  }

  /// Text, or raw data; what is longer is passed over.
  bool text(std::string& value, int longest = kLongestText) {
    const std::optional<int> size = length();
    if (!size) return false;
    value.clear();
    if (!(*size > longest ? in_.Skip(*size) : in_.ReadString(&value, *size))) fail();
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
      std::int64_t value = 0;
      wire_ = WireFormatLite::WIRETYPE_VARINT;
      if (number(value) && values.size() <= kMostValues) values.push_back(value);
    };
    if (wire_ == WireFormatLite::WIRETYPE_VARINT) {
      take();
      return true;
    }
    const std::optional<int> size = length();
    if (!size) return false;
    const auto limit = in_.PushLimit(*size);
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

  bool graph(OnnxGraph& graph) {
    if (++depth_ > kDeepest) problems_.fail("it has more than 32 graphs within each other");
    const bool taken = message([&](int field) { return graph_field(field, graph); });
    --depth_;
    return taken;
  }

  bool graph_field(int field, OnnxGraph& graph) {
    if (field == 5) return tensor(grown(graph.initializers));
    if (field == 11) return value(grown(graph.inputs));
    if (field == 12) return value(grown(graph.outputs));
    if (field == 13) return value(grown(graph.values));
    if (field != 1) return false;
    if (nodes_++ == kMostNodes) problems_.fail("it has more than 200,000 nodes");
    OnnxNode& node = graph.nodes.emplace_back();
    return message([&](int inner) { return node_field(inner, node); });
  }

  template <class Item>
  Item& grown(std::vector<Item>& items) {
    if (items.size() == kMostTensors) problems_.fail("it has more than 1,000,000 tensors");
    return items.emplace_back();
  }

  bool node_field(int field, OnnxNode& node) {
    if (field == 1) return text(grown(node.inputs));
    if (field == 2) return text(grown(node.outputs));
    if (field == 3) return text(node.name);
    if (field == 4) return text(node.op);
    if (field == 7) return text(node.domain);
    if (field != 5) return false;
    OnnxAttribute attribute;
    std::string name;
    const bool taken = message([&](int inner) {
      if (inner == 1) return text(name);
      if (inner == 2 || inner == 7) return reals(attribute.reals);
      if (inner == 3) return number(attribute.number);
      if (inner == 4) return text(attribute.text);
      if (inner == 5) return tensor(attribute.tensor.emplace());
      if (inner != 6) return inner == 8 && numbers(attribute.numbers);
      const auto inside = std::make_shared<OnnxGraph>();
      attribute.graph = inside;
      return graph(*inside);
    });
    node.attributes[name] = std::move(attribute);
    return taken;
  }

  /// Repeated 32-bit floating-point numbers, packed or one by one; the first 17.
  bool reals(std::vector<double>& values) {
    std::string raw(sizeof(float), '\0');
    const bool is_one = wire_ == WireFormatLite::WIRETYPE_FIXED32;
    if (is_one && !in_.ReadRaw(raw.data(), sizeof(float))) fail();
    if (!is_one && !text(raw, kRawLongest)) return false;
    add_raw(raw, kFloat, values);
    return true;
  }

  static void add_raw(const std::string& raw, std::int64_t type, std::vector<double>& values) {
    const std::size_t size = type == kInt64 ? 8 : type == kBool ? 1 : 4;
    const std::size_t most = type == kFloat ? kMostReals : kMostValues;
    for (std::size_t at = 0; at + size <= raw.size() && values.size() <= most; at += size) {
      std::uint64_t bits = 0;
      for (std::size_t byte = size; byte-- > 0;) {
        bits = bits << 8U | static_cast<unsigned char>(raw[at + byte]);
      }
      const auto word = static_cast<std::uint32_t>(bits);
      values.push_back(type == kInt64   ? static_cast<double>(static_cast<std::int64_t>(bits))
                       : type == kFloat ? double{std::bit_cast<float>(word)}
                                        : static_cast<double>(static_cast<std::int32_t>(word)));
    }
  }

  bool tensor(OnnxTensor& tensor) {
    std::int64_t type = 0;
    std::string raw;
    std::vector<std::int64_t> whole;
    std::vector<double> values;
    const bool taken = message([&](int field) {
      if (field == 1) return numbers(tensor.dims);
      if (field == 2) return number(type);
      if (field == 4) return reals(values);
      if (field == 5 || field == 7) return numbers(whole);
      if (field == 8) return text(tensor.name);
      return field == 9 && text(raw, kRawLongest);  // weights are passed over
    });
    // FLOAT, FLOAT16, DOUBLE, BFLOAT16 and the 8-bit ones.
    tensor.is_float = type == kFloat || type == 10 || type == 11 || (type >= 16 && type <= 20);
    if (type != kFloat && type != kInt32 && type != kInt64 && type != kBool) return taken;
    values.insert(values.end(), whole.begin(), whole.end());
    add_raw(raw, type, values);
    const bool is_empty = std::ranges::find(tensor.dims, 0) != tensor.dims.end();
    const std::size_t most = type == kFloat ? kMostReals : kMostValues;
    if (is_empty || (!values.empty() && values.size() <= most)) tensor.values = values;
    return taken;
  }

  /// ValueInfoProto: a name and a TypeProto, whose tensor_type has a shape of dimensions.
  bool value(OnnxValue& value) {
    const auto dimension = [&](int field) {
      OnnxDim& dim = value.dims.back();
      return field == 1 ? number(dim.size) : field == 2 && text(dim.name);
    };
    const auto shape = [&](int field) {
      if (field != 1) return false;
      grown(value.dims);
      return message(dimension);
    };
    const auto tensor_type = [&](int field) {
      value.has_shape = value.has_shape || field == 2;
      return field == 2 && message(shape);
    };
    const auto type = [&](int field) { return field == 1 && message(tensor_type); };
    return message(
        [&](int field) { return field == 1 ? text(value.name) : field == 2 && message(type); });
  }

  CodedInputStream& in_;
  Problems& problems_;
  OnnxGraph graph_;
  int depth_ = 0;
  std::size_t nodes_ = 0;
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
  const int file = open(readable_again(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) problems.fail("it cannot be read");
  google::protobuf::io::FileInputStream stream(file);
  stream.SetCloseOnDelete(true);
  CodedInputStream input(&stream);
  OnnxGraph graph = OnnxReader(input, problems).model();
  if (graph.nodes.empty()) problems.fail("it has no graph, or one without nodes");
  return graph;
}

}  // namespace stcsim
