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
  /// The machine of a GEMM, and its values that are replaced, each "key=value"; the space.
  std::string name;
  std::vector<std::string> set;

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

/// What lines of GEMMs, and of steps, may say.
[[nodiscard]] boost::program_options::options_description gemm_line_options();
[[nodiscard]] boost::program_options::options_description step_line_options();

}  // namespace stcsim
