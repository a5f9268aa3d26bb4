#include "workloads/files/import.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/problems.hpp"
#include "common/io/text_file.hpp"
#include "common/suggestion.hpp"
#include "workloads/files/readers.hpp"

namespace stcsim {
namespace fs = std::filesystem;
namespace {

/// What is looked at to tell a file: keys of a profile's trace stand behind its devices.
constexpr std::size_t kHeadBytes = std::size_t{256} << 10U;

std::string head_of(const fs::path& path) {
  std::ifstream file(readable_again(path), std::ios::binary);
  if (!file) {
    throw ConfigError(
        fmt::format("cannot read {}: {}", path.string(), std::generic_category().message(errno)));
  }
  std::string head(kHeadBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (head.starts_with("\xEF\xBB\xBF")) head.erase(0, 3);
  return head;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return text.find(fmt::format("\"{}\"", word)) != std::string_view::npos;
  });
}

ModelFile kind_of_json(std::string_view head) {
  const bool is_execution_trace = has_any(head, {"nodes"}) && has_any(head, {"ctrl_deps", "ctrl"});
  if (is_execution_trace || has_any(head, {"traceEvents", "deviceProperties"})) {
    return ModelFile::trace;  // whose reader says what an execution trace is
  }
  const bool is_model = !has_any(head, {"layers"}) &&
                        has_any(head, {"model_type", "architectures", "text_config", "hidden_size",
                                       "n_embd", "num_attention_heads", "d_model"});
  return is_model ? ModelFile::hugging_face : ModelFile::none;
}

/// Weights alone do not say what is computed with them.
void refuse_weights(const fs::path& path, std::string_view head) {
  constexpr std::size_t kLength = 8;
  const bool is_zip = head.starts_with("PK\x03\x04");
  const bool is_tensors = head.size() > kLength && head[kLength] == '{' &&
                          head.substr(4, 4) == std::string_view("\0\0\0\0", 4);
  if (!is_zip && !is_tensors) return;
  throw ConfigError({path.string()},
                    fmt::format("it is a {}: weights, which do not say what is computed; name the "
                                "model's config.json, its ONNX file or a profile",
                                is_zip ? "PyTorch checkpoint" : "safetensors file"));
}

/// Begins with its version (1 to 31) and the next field of a ModelProto.
bool is_onnx(const fs::path& path, std::string_view head) {
  if (path.extension() == ".onnx") return true;
  constexpr std::string_view kNextFields = "\x12\x1A\x22\x28\x32\x3A\x42\x72";
  return head.size() > 3 && head[0] == '\x08' && head[1] > 0 && head[1] < ' ' &&
         kNextFields.find(head[2]) != std::string_view::npos;
}

/// Names of the columns of the first record, small letters and digits only.
std::vector<std::string> header_of(std::string_view head) {
  head = first_record(head);
  const char separator = separator_of(head);
  std::vector<std::string> columns;
  for (std::size_t at = 0; at <= head.size();) {
    const std::size_t end = std::min(head.find(separator, at), head.size());
    columns.push_back(letters_of(head.substr(at, end - at)));
    at = end + 1;
  }
  return columns;
}

/// Sizes without a line that says what they are.
bool are_sizes(const std::vector<std::string>& columns) {
  constexpr std::size_t kFewest = 3;
  return columns.size() >= kFewest && !columns.front().empty() &&
         std::ranges::all_of(columns, [](const std::string& column) {
           return column.find_first_not_of("0123456789") == std::string::npos;
         });
}

ModelFile kind_of_table(const fs::path& path, std::string_view head) {
  const std::vector<std::string> columns = header_of(head);
  const auto has = [&](std::string_view name) {
    return std::ranges::find(columns, name) != columns.end();
  };
  const bool is_topology = has("layer") || has("layername") || has("ifmapheight");
  if (!is_topology) {
    const bool is_list = path.extension() == ".csv" || (has("m") && has("n") && has("k"));
    return is_list || are_sizes(columns) ? ModelFile::gemm_list : ModelFile::none;
  }
  throw ConfigError({path.string()},
                    fmt::format("it is a SCALE-Sim topology; 'python3 -m stcsim.topology {}' "
                                "writes it as a network",
                                path.string()));
}

/// Standard input, or a pipe that a shell made.
bool is_nameless(const fs::path& path) {
  return path == kStandardStream || path.string().starts_with("/dev/") ||
         path.string().starts_with("/proc/");
}

/// "bert.config.json" is bert; a plain config.json is called after its folder.
std::string name_of(const fs::path& path) {
  if (is_nameless(path)) return "input";
  std::string name = path.filename().string();
  for (bool is_cut = true; is_cut;) {
    is_cut = false;
    for (const std::string_view suffix :
         {".gz", ".json", ".trace", ".pt", ".onnx", ".csv", ".config", ".txt"}) {
      if (name.size() <= suffix.size() || !name.ends_with(suffix)) continue;
      name.resize(name.size() - suffix.size());
      is_cut = true;
    }
  }
  if (name == "config") {
    const std::string folder = fs::absolute(path).parent_path().filename().string();
    if (!folder.empty()) name = folder;
  }
  if (!is_utf8(name)) {
    throw ConfigError({path.string()}, "its name is not UTF-8, must be: it names the network");
  }
  return printable(name);
}

ImportedNetwork import_config(const fs::path& path, const ImportOptions& options) {
  const std::string text = read_text_file(path, "a Hugging Face config", kLargestConfig);
  const nlohmann::ordered_json config = parse_json(text, path.string());
  if (!is_hugging_face(config)) {
    Problems(path.string(), "Hugging Face config").fail("it has none of a model's keys");
  }
  return read_hugging_face(config, path.string(), name_of(path), options);
}

ImportedNetwork import_as(ModelFile kind, const fs::path& path, const ImportOptions& options) {
  if (kind == ModelFile::hugging_face) return import_config(path, options);
  if (kind == ModelFile::onnx) return read_onnx(path, name_of(path), options);
  if (kind == ModelFile::trace) {
    return read_trace(path, name_of(path), options.keeps_times);
  }
  if (kind == ModelFile::gemm_list) return read_gemm_list(path, name_of(path));
  throw ConfigError(
      {path.string()},
      "it is none of: Hugging Face config.json, ONNX graph, PyTorch profile, list of GEMMs");
}

}  // namespace

std::optional<std::int64_t> ImportOptions::size(const std::string& name) const {
  asked.insert(name);
  const auto stated = sizes.find(name);
  return stated == sizes.end() ? std::nullopt : std::optional(stated->second);
}

void ImportOptions::refuse_others(const std::string& where) const {
  for (const auto& [name, size] : sizes) {
    if (asked.contains(name)) continue;
    const std::string known =
        asked.empty() ? "" : fmt::format(", but for {}", fmt::join(asked, ", "));
    throw ConfigError({where}, fmt::format("it asks for no size '{}'{}", name, known));
  }
}

std::string_view first_record(std::string_view table) {
  while (!table.empty() && std::string_view("#\n\r").find(table[0]) != std::string_view::npos) {
    table.remove_prefix(std::min(table.size() - 1, table.find('\n')) + 1);
  }
  return table.substr(0, table.find('\n'));
}

char separator_of(std::string_view record) {
  const std::size_t at = record.find_first_of(",;\t");
  return at == std::string_view::npos ? ',' : record[at];
}

std::string ImportedNetwork::summary() const {
  std::string text = "read as " + recognised;
  if (!left_out.empty()) text += fmt::format("; left out: {}", fmt::join(left_out, ", "));
  if (!assumed.empty()) text += fmt::format("; assumed: {}", fmt::join(assumed, ", "));
  return printable(text);
}

ModelFile recognise(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return ModelFile::none;
  const std::string head = head_of(path);
  refuse_weights(path, head);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return ModelFile::none;
  if (head.starts_with("\x1F\x8B")) return ModelFile::trace;
  if (is_onnx(path, head)) return ModelFile::onnx;
  if (head[first] == '[' && has_any(head, {"ph"})) return ModelFile::trace;
  if (head[first] == '{') return kind_of_json(head);
  return kind_of_table(path, head);
}

ImportedNetwork import_network(const fs::path& path, const ImportOptions& options) {
  const ModelFile kind = recognise(path);
  ImportedNetwork read = import_as(kind, path, options);
  options.refuse_others(path.string());
  std::error_code ignored;
  read.network.note = read.summary();
  if (fs::is_regular_file(path, ignored)) {
    read.network.note += "; to edit it: stcsim import " + printable(path.string()) + " -o " +
                         read.network.name + ".yaml";
  }
  if (options.batch) read.network.batch = *options.batch;
  return read;
}

}  // namespace stcsim
