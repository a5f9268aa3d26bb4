#include "tests/property/every_number.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "common/io/catalog.hpp"
#include "common/io/yaml_merge.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "tests/support/own_process.hpp"

namespace stcsim::test {
namespace {

/// The time of a launch that the machine refuses.
constexpr double kRefused = std::numeric_limits<double>::infinity();

double time_of(const ProbeLaunch& probe, MachineRunner& runner) {
  try {
    return probe.time(runner);
  } catch (const ConfigError&) {
    return kRefused;
  }
}

/// True if going from `before` to `now`, with a number made larger or smaller, is what its table
/// says. Of a number that was 0, which may stand for no limit, only that it matters.
bool shows(const Number& number, bool larger, double before, double now) {
  if (now == before) return false;
  if (number.field.effect == Effect::either || number.value == 0) return true;
  return (now < before) == ((number.field.effect == Effect::faster) == larger);
}

}  // namespace

std::vector<std::string> other_values(const Number& number) {
  if (number.value == 0) {
    return {"64", number.field.key == "reserved_bytes_per_cta" ? "1048576" : "1024"};
  }
  const bool is_whole = number.value == std::floor(number.value);
  // Few launches leave as much to be written as may wait.
  const bool waits = number.field.key == "write_queue_bytes";
  const double half = std::min(number.value / 2, waits ? 65536.0 : number.value);
  // An instruction may multiply for longer than twice the way to its result.
  const double more = number.field.key == "latency_cycles" ? 16 : 2;
  // Only the clock and the bubbles may have a fraction.
  const bool has_fraction =
      number.field.key == "clock_mhz" || number.field.key.starts_with("same_warp_bubble");
  return {fmt::format("{}", is_whole && !has_fraction ? std::floor(half) : half),
          fmt::format("{}", number.value * more)};
}

/// What came of a changed machine.
struct ChangedMachines::Outcome {
  std::vector<double> times;  // of the launches that ran
  std::string refused;        // by the reader, why
  std::string failed;         // why
};

ChangedMachines::ChangedMachines(const std::string& name)
    : root_(load_by_name(ConfigKind::machine, name)) {
  apply_override(root_, "libraries=" + probe_libraries(read_machine(root_).config));
  apply_override(root_, fmt::format("stacks={}", kProbeStacks));
  apply_override(root_, "other_stacks=[]");
  numbers_ = numbers_of(root_);
  const StreamingMultiprocessorConfig sm = read_machine(root_).config.accelerator.sm;
  std::erase_if(numbers_, [&](const Number& number) {
    // Beside accumulators in tensor memory a thread has registers enough.
    const bool is_ample =
        sm.tensor_memory_bytes > 0 && number.field.key == "max_registers_per_thread";
    return is_ample || !is_hardware(number);
  });
  probes_ = probe_launches(read_machine(root_).config);
  const Outcome as_it_is = run({}, nullptr, 0, true);
  if (!as_it_is.refused.empty() || !as_it_is.failed.empty()) {
    throw std::runtime_error(as_it_is.refused + as_it_is.failed);
  }
  times_ = as_it_is.times;
}

ChangedMachines::Outcome ChangedMachines::run(const std::vector<std::string>& assignments,
                                              const Number* number, int direction,
                                              bool all_launches) const {
  const auto work = [&]() -> std::string {
    try {
      YamlNode root = root_;
      apply_overrides(root, assignments);
      MachineConfig machine;
      try {
        machine = read_machine(root).config;
      } catch (const ConfigError& error) {
        return fmt::format("refused {}", error.what());
      }
      MachineRunner runner(machine);
      std::string times = "times";
      for (std::size_t at = 0; at < probes_.size(); ++at) {
        double time = 0;
        try {
          time = time_of(probes_[at], runner);
        } catch (const std::exception& error) {
          return fmt::format("failed {}: {}", probes_[at].name, error.what());
        }
        times += fmt::format(" {:.17g}", time);
        if (number == nullptr || all_launches) continue;
        if (shows(*number, direction > 0, times_[at], time)) break;
      }
      return times;
    } catch (const std::exception& error) {
      return fmt::format("failed {}", error.what());
    }
  };
  const std::string text = in_own_process(work);
  if (text.starts_with("refused ")) return {{}, text.substr(8), ""};
  if (!text.starts_with("times")) return {{}, "", text};
  Outcome outcome;
  std::istringstream words(text.substr(5));
  for (std::string word; words >> word;) outcome.times.push_back(std::stod(word));
  return outcome;
}

std::string ChangedMachines::check(const Number& number, bool all_launches) const {
  bool shown = false;
  bool refused = true;
  bool changed = false;
  for (const std::string& value : other_values(number)) {
    const std::string assignment = number.path + "=" + value;
    const bool larger = std::stod(value) > number.value;
    const Outcome outcome = run({assignment}, &number, larger ? 1 : -1, all_launches);
    if (!outcome.failed.empty()) return fmt::format("--set {}: {}", assignment, outcome.failed);
    if (!outcome.refused.empty()) {
      const std::string name = fmt::format("'{}'", number.field.key);
      if (outcome.refused.find(name) == std::string::npos ||
          outcome.refused.find("must") == std::string::npos) {
        return fmt::format("does not name the key and what would be right: {}", outcome.refused);
      }
      continue;
    }
    refused = false;
    for (std::size_t at = 0; at < outcome.times.size(); ++at) {
      changed |= outcome.times[at] != times_[at];
      shown |= shows(number, larger, times_[at], outcome.times[at]);
    }
  }
  const bool has_effect = number.field.effect != Effect::none;
  if (!has_effect) return changed ? number.path + " changes a launch" : "";
  if (shown || refused) return "";
  return fmt::format("{} changes {}", number.path,
                     changed ? "launches, but none as its table says" : "no launch");
}

std::vector<std::string> ChangedMachines::check_all(const std::vector<Number>& numbers) const {
  std::vector<const Number*> one_by_one;
  std::vector<const Number*> without_effect;
  for (const Number& number : numbers) {
    (number.field.effect == Effect::none ? without_effect : one_by_one).push_back(&number);
  }
  if (!changes_nothing(without_effect)) {
    one_by_one.insert(one_by_one.end(), without_effect.begin(), without_effect.end());
  }
  std::vector<std::string> wrong;
  for (const Number* const number : one_by_one) {
    const std::string what = check(*number, false);
    if (!what.empty()) wrong.push_back(fmt::format("{}: {}", number->path, what));
  }
  return wrong;
}

bool ChangedMachines::changes_nothing(const std::vector<const Number*>& together) const {
  for (const bool larger : {false, true}) {
    std::vector<std::string> assignments;
    for (const Number* const number : together) {
      const std::vector<std::string> values = other_values(*number);
      assignments.push_back(number->path + "=" + (larger ? values.back() : values.front()));
    }
    const Outcome outcome = run(assignments, nullptr, 0, true);
    if (!outcome.refused.empty() || !outcome.failed.empty() || outcome.times != times_) {
      return false;
    }
  }
  return true;
}

}  // namespace stcsim::test
