#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/eval/eval_line.hpp"
#include "cli/eval/eval_work.hpp"
#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/suggestion.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/job/line_server.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr const char* kEvalNotes =
    "Each line of FILE, or of standard input, is a JSON object whose keys are options of "
    "`gemm` (a\n"
    "GEMM, a layer) or `run` (a network, an experiment), or a space, a loop of instructions, a\n"
    "kernel beside the products, attention, a collective; 'set' replaces values of the machine,\n"
    "the experiment or the space's axes. The answers have the lines' 'id' and order; what is wrong "
    "is\n"
    "an answer too, {\"id\": 1, \"error\": \"...\"}. Figures are called as in `sweep export`.\n\n"
    "  {\"id\": 1, \"arch\": \"a100\", \"m\": 256, \"n\": 512, \"k\": 512, \"pattern\": \"2:4\"}\n"
    "  {\"arch\": \"a100\", \"layer\": \"resnet50:layer3.0.conv2\", \"phase\": \"dgrad\"}\n"
    "  {\"network\": \"resnet18\", \"arch\": \"a100\", \"scheme\": \"asp\"}\n"
    "  {\"arch\": \"a100\", \"instruction\": \"mma.sync\", \"dtype\": \"fp16/fp32\", \"shape\": "
    "\"m16n8k16\"}\n"
    "  {\"arch\": \"a100\", \"op\": \"softmax\", \"rows\": 4096, \"columns\": 1024}\n"
    "  {\"arch\": \"h200\", \"attention\": \"cudnn\", \"heads\": 16, \"tokens\": 4096, "
    "\"head_size\": 128}\n"
    "  {\"system\": \"dgx_h100\", \"collective\": \"all_reduce\", \"bytes\": 1e9, \"gpus\": 8}\n"
    "  {\"space\": \"one_of_eight\", \"set\": {\"accelerator.l2_cache.read_bytes_per_clk\": "
    "7680}}\n";

constexpr struct EvalTable {
  Option figures{"figures", "NAME,...",
                 "figures of the answers, e.g. speedup,time_us,area_mm2, or all (default the usual "
                 "ones)"};
  Option jobs = kCommon.jobs;
} kEval;

/// Figures without --figures, where an answer has them.
constexpr std::array<const char*, 25> kUsualFigures{
    "network",     "scheme",           "time_us",          "dense_time_us", "speedup",
    "kernels_us",  "dense_kernels_us", "kernels_speedup",  "speedup_low",   "speedup_high",
    "bound_by",    "kernel",           "training_speedup", "memory_bytes",  "fits",
    "board_watts", "joules",           "area_mm2",         "clock_mhz",     "reason",
    "steps",       "latency_cycles",   "fma_per_clk",      "forward_us",    "backward_us"};

/// What of an answer's figures is wanted.
class WantedFigures {
 public:
  explicit WantedFigures(const Arguments& arguments) {
    if (arguments.has(kEval.figures)) wanted_ = comma_list(arguments, kEval.figures);
  }

  [[nodiscard]] ordered_json of(const ordered_json& all) const {
    if (all.contains("steps")) {
      ordered_json steps = ordered_json::array();
      for (const ordered_json& step : all.at("steps")) steps.push_back(named(step));
      return {{"steps", steps}};
    }
    if (wanted_.size() == 1 && wanted_.front() == "all") return all;
    ordered_json some = ordered_json::object();
    if (wanted_.empty()) {
      for (const char* const name : kUsualFigures) {
        if (all.contains(name) && !is_empty(all.at(name))) some[name] = all.at(name);
      }
    }
    for (const std::string& name : wanted_) some[name] = figure(all, name);
    return some;
  }

 private:
  /// A step of several, whatever is wanted of it: which it is comes first.
  [[nodiscard]] ordered_json named(const ordered_json& step) const {
    ordered_json some = ordered_json::object();
    for (const char* const name : {"network", "arch", "scheme"}) some[name] = step.at(name);
    some.update(of(step));
    return some;
  }

  static bool is_empty(const ordered_json& value) {
    return value.is_string() && value.get_ref<const std::string&>().empty();
  }

  static const ordered_json& figure(const ordered_json& all, const std::string& name) {
    if (all.contains(name)) return all.at(name);
    std::vector<std::string> known;
    for (const auto& [key, value] : all.items()) known.push_back(key);
    throw ConfigError("no figure is called '" + name + "'" + did_you_mean(name, known));
  }

  std::vector<std::string> wanted_;
};

std::string answer_text(const ordered_json& id, const ordered_json& figures) {
  ordered_json answer = ordered_json::object();
  if (!id.is_null()) answer["id"] = id;
  answer.update(figures);
  return answer.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// What answers lines of a group in a process of its own.
std::function<std::string(const std::string&)> evaluator(const EvalTables& tables,
                                                         const WantedFigures& wanted) {
  auto of_machine = std::make_shared<std::unique_ptr<MachineEvaluator>>();
  return [&tables, &wanted, of_machine](const std::string& text) {
    const EvalLine line = read_eval_line(text);
    ordered_json all;
    if (line.kind == EvalLine::Kind::step) {
      all = evaluate_steps(line, tables);
    } else if (line.kind == EvalLine::Kind::design) {
      all = evaluate_design(line, tables);
    } else if (line.kind == EvalLine::Kind::collective) {
      all = evaluate_collective(line);
    } else {
      if (*of_machine == nullptr) *of_machine = std::make_unique<MachineEvaluator>(line, tables);
      all = (**of_machine)(line);
    }
    return answer_text(line.id, wanted.of(all));
  };
}

int run_eval(const Arguments& arguments) {
  const std::string file = arguments.text_or(kCommon.file, "-");
  const int input = file == "-" ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (input < 0) throw ConfigError("cannot read " + file);
  EvalTables tables{
      load_costs(kDefaultCosts), ValidatedErrors::load(config_directory() / "validation"), {}};
  const WantedFigures wanted(arguments);
  LineServerOptions options;
  options.workers = jobs_of(arguments);
  options.group_of = [&tables](const std::string& text) {
    const EvalLine line = read_eval_line(text);
    if (line.is_of_machine() && tables.machines.count(line.name) == 0) {
      tables.machines[line.name] = load_by_name(ConfigKind::machine, line.name);
    }
    return line.group();
  };
  options.start_worker = [&](const std::string&) { return evaluator(tables, wanted); };
  options.on_failure = [](const std::string& text, const std::string& why) {
    return answer_text(id_of_line(text), {{"error", message_of_line(why)}});
  };
  options.write = &write_data;
  serve_lines(input, options);
  return kExitFine;
}

}  // namespace

Command eval_command() {
  return {"eval",
          "Answer JSON lines: GEMMs, networks and machines, in one process",
          "[FILE] [OPTIONS]",
          kEvalNotes,
          {kCommon.file.optional()},
          options_of<EvalTable>(),
          &run_eval};
}

}  // namespace stcsim
