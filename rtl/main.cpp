#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/csv_table.hpp"
#include "rtl/clocked.hpp"
#include "rtl/verilog.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim::rtl {
namespace {

constexpr const char* kUsage =
    "usage: stcsim_rtl selector PATTERN [crossbar|ordered|butterfly|INPUTS] [case|part] [BITS]\n"
    "       stcsim_rtl decoder PATTERN [index|enumerated|bitmask]\n"
    "       stcsim_rtl clocked DEPTH selector|decoder ...\n"
    "       stcsim_rtl buffer BITS ENTRIES\n"
    "       stcsim_rtl machine NAME\n"
    "prints Verilog of the selector of one group (INPUTS: of windows of so many places), of its\n"
    "metadata decoder, of one of them with DEPTH registers behind it, by valid and ready, of a\n"
    "metadata buffer, or of selectors and decoders for every pattern of a machine file\n";

Pattern pattern_of(const std::string& text) {
  const auto pattern = pattern_from_string(text);
  if (pattern && !pattern->is_dense() && !pattern->selects_columns()) return *pattern;
  throw ConfigError("'" + text + "' must be a pattern of hardware, e.g. 2:4");
}

/// @param what  may stand there: the number, or something else
std::int64_t count_of(const std::string& text, const std::string& what) {
  constexpr std::int64_t kMost = 1024;
  const auto count = to_whole_number(text);
  if (count && *count >= 1 && *count <= kMost) return *count;
  throw ConfigError(fmt::format("'{}' must be {} from 1 to {}", text, what, kMost));
}

Selector selector_of(const std::vector<std::string>& words) {
  Selector selector;
  selector.pattern = pattern_of(words[1]);
  const std::string lanes = words.size() > 2 ? words[2] : "crossbar";
  if (lanes == "ordered") selector.lanes = Lanes::ordered;
  if (lanes == "butterfly") selector.lanes = Lanes::butterfly;
  if (lanes != "ordered" && lanes != "crossbar" && lanes != "butterfly") {
    selector.lanes = Lanes::window;
    selector.inputs = count_of(lanes, "crossbar, ordered, butterfly, or a number of places");
  }
  if (words.size() > 3 && words[3] == "part") selector.style = Style::part_select;
  if (words.size() > 4) selector.value_bits = count_of(words[4], "a number of bits");
  return selector;
}

std::string name_of(const char* what, Pattern pattern) {
  std::string name = fmt::format("{}_{}", what, pattern.to_string());
  for (char& one : name) {
    if (one == ':' || one == ' ') one = '_';
  }
  return name;
}

/// What the file's selector looks at, and how its metadata are coded.
std::string machine_verilog(const std::string& name) {
  const MachineConfig machine = load_machine(name).config;
  const OperandSelectorConfig& config = machine.accelerator.sm.operand_selector;
  std::string text;
  for (const Pattern& pattern : config.native_patterns) {
    Selector selector;
    selector.pattern = pattern;
    const bool is_window = !pattern.is_composed() && config.passes(pattern) > 1;
    if (is_window) {
      selector.lanes = Lanes::window;
      selector.inputs = config.lane_inputs;
    }
    text += selector_verilog(name_of("selector", pattern), selector);
    if (pattern.is_composed()) continue;
    text += decoder_verilog(name_of("decoder", pattern), pattern, config.metadata_format());
  }
  return text;
}

MetadataFormat format_of(const std::vector<std::string>& words) {
  MetadataFormat format;
  if (words.size() < 3) return format;
  const auto coding = metadata_coding_from_string(words[2]);
  if (!coding) throw ConfigError("'" + words[2] + "' must be index, enumerated or bitmask");
  format.coding = *coding;
  return format;
}

std::string verilog_of(const std::vector<std::string>& words) {
  if (words.size() < 2) throw ConfigError(kUsage);
  if (words[0] == "machine") return machine_verilog(words[1]);
  if (words[0] == "selector") return selector_verilog("selector", selector_of(words));
  if (words[0] == "decoder") {
    return decoder_verilog("decoder", pattern_of(words[1]), format_of(words));
  }
  if (words.size() < 3) throw ConfigError(kUsage);
  const std::int64_t count = count_of(words[1], "a number");
  if (words[0] == "buffer") return metadata_buffer_verilog(count, count_of(words[2], "a number"));
  const std::vector<std::string> inner(words.begin() + 2, words.end());
  const bool is_selector = inner[0] == "selector";
  if (words[0] != "clocked" || inner.size() < 2 || (!is_selector && inner[0] != "decoder")) {
    throw ConfigError(kUsage);
  }
  const Ports ports = is_selector ? selector_ports(selector_of(inner))
                                  : decoder_ports(pattern_of(inner[1]), format_of(inner));
  return verilog_of(inner) + clocked_verilog(inner[0], ports, count);
}

}  // namespace
}  // namespace stcsim::rtl

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    fmt::print("{}", stcsim::rtl::verilog_of(words));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "stcsim_rtl: {}\n", error.what());
    return 2;
  }
}
