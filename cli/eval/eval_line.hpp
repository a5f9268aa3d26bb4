#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/run/experiment_options.hpp"

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
    /// Attention in one kernel, forward and backward, on a machine.
    attention,
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
  [[nodiscard]] bool is_of_machine() const { return kind <= Kind::attention; }
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

/// What is said of the kinds of lines that are like no command.
struct InstructionTable {
  Option arch = kCommon.arch.as("NAME", "");
  Option instruction{"instruction", "NAME"};
  Option dtype = kCommon.dtype.as("TYPE", "");
  Option shape{"shape", "SHAPE"};
  Option warps{"warps", "N"};
  Option chains{"chains", "N"};
  Option sparse{"sparse"};
};
inline constexpr InstructionTable kInstruction;

struct StreamTable {
  Option arch = kCommon.arch.as("NAME", "");
  Option op{"op", "NAME"};
  Option rows{"rows", "N"};
  Option columns{"columns", "N"};
  Option dtype = kCommon.dtype.as("fp16|bf16|fp32", "");
  Option backward{"backward"};
  Option framework = kExperiment.framework;
};
inline constexpr StreamTable kStream;

struct AttentionTable {
  Option arch = kCommon.arch.as("NAME", "");
  Option attention{"attention", "flash2|cudnn"};
  Option batch = kCommon.batch.as("N", "");
  Option heads{"heads", "N"};
  Option kv_heads{"kv-heads", "N"};
  Option tokens = kSizes.tokens.as("N", "");
  Option head_size{"head-size", "N"};
  Option causal{"causal"};
  Option dropout{"dropout"};
  Option dtype = kCommon.dtype.as("fp16|bf16", "");
};
inline constexpr AttentionTable kAttention;

struct CollectiveTable {
  Option collective{"collective", "NAME"};
  Option bytes{"bytes", "BYTES"};
  Option gpus = kExperiment.gpus;
  Option nodes{"nodes", "N"};
  Option system = kExperiment.system;
};
inline constexpr CollectiveTable kCollective;

struct StepTable {
  ExperimentTable experiment;
  Option set = kCommon.set;
  SchemeWorkTable scheme_work;
  Option rows = kStream.rows.as("", "");
};
inline constexpr StepTable kSteps;

/// What lines of a kind may say; nothing of a design.
[[nodiscard]] Options line_options(EvalLine::Kind kind);

}  // namespace stcsim
