#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/program_options/options_description.hpp>
#include <nlohmann/json.hpp>

namespace stcsim {

/// What a line of `stcsim eval` asks for, a JSON object: its keys are the options of a command.
struct EvalLine {
  enum class Kind : std::uint8_t {
    /// As `gemm`: m, n and k, or a layer, on a machine.
    gemm,
    /// A loop of a matrix instruction on an SM of a machine.
    instruction,
    /// A kernel beside the products, of a tensor of rows and columns, on a machine.
    stream,
    /// What GPUs of a system exchange.
    collective,
    /// As `run`: a network or an experiment.
    step,
    /// A machine of a space and the space's work.
    design
  };
  Kind kind = Kind::gemm;
  /// Comes back with the answer; null if there is none.
  nlohmann::ordered_json id;
  /// The others: "--m=256". For a design those of "set" alone, each "axis=value".
  std::vector<std::string> words;
  /// The machine, and its values that are replaced, each "key=value"; the space, the experiment.
  std::string name;
  std::vector<std::string> set;
  /// An experiment that the line has in itself, in JSON; "" if it names one.
  std::string experiment;

  /// Whether it is of a machine's, which a process elaborates once.
  [[nodiscard]] bool is_of_machine() const { return kind <= Kind::stream; }
  /// Lines that one process can answer have the same.
  [[nodiscard]] std::string group() const;
};

/// @throws ConfigError at what is no such object
[[nodiscard]] EvalLine read_eval_line(const std::string& text);
/// The line's id, null if there is none or the line is no object; does not throw.
[[nodiscard]] nlohmann::ordered_json id_of_line(const std::string& text);

/// A command's message in a line's words, where options are keys: "m is '0'" of "error: --m is
/// '0'".
[[nodiscard]] std::string message_of_line(std::string text);

/// What lines of a kind may say; nothing of a design.
[[nodiscard]] boost::program_options::options_description line_options(EvalLine::Kind kind);

}  // namespace stcsim
