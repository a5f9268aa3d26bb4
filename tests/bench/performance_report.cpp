// Writes results/performance.md: what the simulator takes, measured on the machine it runs on.
// SystemC's library refers to sc_main() from its own main(), which ours replaces.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/bench_problems.hpp"
#include "tests/bench/ticker.hpp"
#include "tests/support/resnet50.hpp"

namespace stcsim::bench {

/// What a process took.
struct ProcessEffort {
  double cpu_seconds = 0;
  double peak_mib = 0;
};

namespace {

double seconds(const timeval& time) {
  constexpr double kMicro = 1e-6;
  return static_cast<double>(time.tv_sec) + kMicro * static_cast<double>(time.tv_usec);
}

[[noreturn]] void become(const std::vector<std::string>& command) {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

}  // namespace

/// Runs a program without its output and waits for it. Throws std::runtime_error if it fails.
ProcessEffort measure_process(const std::vector<std::string>& command) {
  const pid_t child = ::fork();
  if (child == 0) become(command);
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) < 0 || status != 0) {
    throw std::runtime_error("failed: " + command.front());
  }
  constexpr double kKibPerMib = 1024.0;
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) / kKibPerMib};
}

namespace {

constexpr double kMega = 1e6;

/// Seconds since the last call, or since construction.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> took = now - std::exchange(since_, now);
    return took.count();
  }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

struct Effort {
  double seconds = 0;
  std::int64_t events = 0;
  std::int64_t instructions = 0;
  std::int64_t cycles = 0;
  double macs = 0;
};

Effort simulate(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy,
                bool fast_forward) {
  runner.set_fast_forward(fast_forward);
  Stopwatch watch;
  const LaunchResult result = run_gemm(runner, problem, policy).result;
  return {watch.lap(), result.events, result.mma_instructions, result.cycles,
          static_cast<double>(problem.macs())};
}

Effort resnet50(MachineRunner& runner, Pattern pattern, bool fast_forward) {
  Effort sum;
  for (const GemmProblem& problem : test::resnet50_gemms(pattern)) {
    const Effort one = simulate(runner, problem, best_ranked_kernel(), fast_forward);
    sum = {sum.seconds + one.seconds, sum.events + one.events, sum.instructions + one.instructions,
           sum.cycles + one.cycles, sum.macs + one.macs};
  }
  return sum;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "an unknown processor";
}

/// Of each program.
constexpr int kRuns = 5;

/// Lines of `eval`: small GEMMs, all different.
std::string lines_of_small_gemms(int count) {
  std::string lines;
  for (int at = 0; at < count; ++at) {
    lines += fmt::format(
        "{{\"arch\": \"a100\", \"m\": {}, \"n\": {}, \"k\": {}, \"pattern\": \"2:4\"}}\n",
        8 * (1 + at * 37 % 128), 8 * (1 + at * 53 % 127), 8 * (1 + at * 71 % 125));
  }
  return lines;
}

/// A process counts what this one has in memory when it begins: to be called before machines are
/// built.
void print_programs(const std::string& program) {
  const std::vector<std::string> gemm_command{program, "gemm", "--arch", "a100"};
  const std::string lines = (std::filesystem::temp_directory_path() / "lines.jsonl").string();
  std::ofstream(lines) << lines_of_small_gemms(2000);
  const auto with = [&](std::vector<std::string> rest) {
    rest.insert(rest.begin(), gemm_command.begin(), gemm_command.end());
    return rest;
  };
  const std::vector<std::pair<std::string, std::vector<std::string>>> rows{
      {"start-up: `gemm` 128 x 128 x 64", with({"--m", "128", "--n", "128", "--k", "64"})},
      {"`list arch`: all shipped machines are read", {program, "list", "arch"}},
      {"`gemm` 1024 x 8192 x 1024, auto", with({"--m", "1024", "--n", "8192", "--k", "1024"})},
      {"`gemm` 8192 x 8192 x 8192, auto", with({"--m", "8192", "--n", "8192", "--k", "8192"})},
      {"`gemm` 7936 x 12544 x 2688, auto: waves do not recur",
       with({"--m", "7936", "--n", "12544", "--k", "2688"})},
      {"`gemm` 12092 x 16040 x 2461, auto: nor here",
       with({"--m", "12092", "--n", "16040", "--k", "2461"})},
      {"`gemm` 65536 x 65536 x 65536, auto",
       with({"--m", "65536", "--n", "65536", "--k", "65536"})},
      {"`gemm` 4096 x 8192 x 1024, 2:4 and dense, auto",
       with({"--m", "4096", "--n", "8192", "--k", "1024", "--sparsity", "2:4"})},
      {"`gemm --functional` 512 x 512 x 512",
       with({"--m", "512", "--n", "512", "--k", "512", "--functional"})},
      {"`gemm --functional` 1024 x 1024 x 1024, 2:4",
       with({"--m", "1024", "--n", "1024", "--k", "1024", "--sparsity", "2:4", "--functional"})},
      {"`eval`: 2,000 different GEMMs of up to 1024, 2:4 and dense", {program, "eval", lines}},
      {"`run resnet50_dense`: ResNet-50, batch 256, dense, auto",
       {program, "run", "resnet50_dense", "--jobs", "1"}},
      {"`run demo`: ResNet-50 and BERT-Large, all schemes, auto",
       {program, "run", "demo", "--jobs", "1"}},
  };
  fmt::print("| program | CPU time, least of {} | peak memory |\n|---|---:|---:|\n", kRuns);
  for (const auto& [name, command] : rows) {
    ProcessEffort least = measure_process(command);
    for (int run = 1; run < kRuns; ++run) {
      const ProcessEffort effort = measure_process(command);
      least.cpu_seconds = std::min(least.cpu_seconds, effort.cpu_seconds);
    }
    fmt::print("| {} | {:.3f} s | {:.0f} MiB |\n", name, least.cpu_seconds, least.peak_mib);
  }
}

void print_effort(const std::string& name, const Effort& effort) {
  fmt::print("| {} | {:.3f} M | {:.2f} s | {:.1f} M | {:.1f} M | {:.2f} T |\n", name,
             static_cast<double>(effort.events) / kMega, effort.seconds,
             static_cast<double>(effort.events) / effort.seconds / kMega,
             static_cast<double>(effort.cycles) / effort.seconds / kMega,
             effort.macs / effort.seconds / kMega / kMega);
}

void print_on_off(MachineRunner& runner) {
  fmt::print(
      "\n| ResNet-50, batch 256, three phases, best-ranked kernels | events | CPU time | events/s "
      "| "
      "simulated cycles/s | MAC/s |\n|---|---:|---:|---:|---:|---:|\n");
  for (const Pattern pattern : {kDense, Pattern{2, 4}}) {
    const Effort on = resnet50(runner, pattern, true);
    const Effort off = resnet50(runner, pattern, false);
    print_effort(pattern.to_string() + ", fast-forward on", on);
    print_effort(pattern.to_string() + ", fast-forward off", off);
    fmt::print("| {}: off / on | {:.0f} x | {:.0f} x | | cycles {} | |\n", pattern.to_string(),
               static_cast<double>(off.events) / static_cast<double>(on.events),
               off.seconds / on.seconds, on.cycles == off.cycles ? "equal" : "DIFFERENT");
  }
}

void print_cost_of_events(MachineRunner& runner, double notifications_per_s) {
  const Effort off = simulate(runner, gemm(4096, 4096, 4096), best_ranked_kernel(), false);
  fmt::print(
      "\n4096 x 4096 x 4096, dense, fast-forward off: {:.4f} events for one mma instruction, "
      "{:.1f} M "
      "events/s.\nThe bare SystemC kernel does {:.1f} M timed notifications/s on the same core.\n",
      static_cast<double>(off.events) / static_cast<double>(off.instructions),
      static_cast<double>(off.events) / off.seconds / kMega, notifications_per_s / kMega);
}

double bare_notifications_per_s(Ticker& ticker) {
  constexpr std::int64_t kTicks = 5'000'000;
  Stopwatch watch;
  ticker.run(kTicks);
  return static_cast<double>(kTicks) / watch.lap();
}

void print_curve(const std::string& title, const std::string& axis,
                 const std::vector<std::pair<std::int64_t, Effort>>& points) {
  fmt::print("\n### {}\n\n| {} | simulated cycles | events | CPU time |\n|---:|---:|---:|---:|\n",
             title, axis);
  for (const auto& [at, effort] : points) {
    fmt::print("| {} | {} | {} | {:.1f} ms |\n", at, effort.cycles, effort.events,
               effort.seconds * 1e3);
  }
}

/// A100s with other numbers of SMs, and as much of the caches and memories for each.
std::map<std::int64_t, std::unique_ptr<MachineRunner>> machines_of_sizes() {
  std::map<std::int64_t, std::unique_ptr<MachineRunner>> machines;
  for (std::int64_t sms = 1; sms <= 256; sms *= 2) {
    MachineConfig machine = load_machine("a100").config;
    const auto scale = [&](std::int64_t& whole) {
      whole = whole * sms / machine.accelerator.num_sms;
    };
    scale(machine.accelerator.l2_cache.capacity_bytes);
    scale(machine.accelerator.l2_cache.read_bytes_per_clk);
    scale(machine.accelerator.l2_cache.write_bytes_per_clk);
    scale(machine.accelerator.dram.bytes_per_clk);
    scale(machine.accelerator.dram.write_queue_bytes);
    machine.accelerator.num_sms = sms;
    machines[sms] = std::make_unique<MachineRunner>(machine);
  }
  return machines;
}

void print_curves(MachineRunner& a100,
                  std::map<std::int64_t, std::unique_ptr<MachineRunner>>& sizes) {
  std::vector<std::pair<std::int64_t, Effort>> batches;
  for (std::int64_t batch = 1; batch <= 4096; batch *= 4) {
    batches.emplace_back(batch,
                         simulate(a100, gemm(batch * 56 * 56, 64, 576), KernelPolicy(), true));
  }
  print_curve("A 3 x 3 convolution of ResNet-50 (64 channels, 56 x 56), forward, over the batch",
              "batch", batches);
  std::vector<std::pair<std::int64_t, Effort>> lengths;
  for (std::int64_t k = 64; k <= 1'048'576; k *= 4) {
    lengths.emplace_back(k, simulate(a100, gemm(2048, 2048, k), KernelPolicy(), true));
  }
  print_curve("2048 x 2048 x K", "K", lengths);
  std::vector<std::pair<std::int64_t, Effort>> sms;
  for (auto& [count, machine] : sizes) {
    sms.emplace_back(count, simulate(*machine, gemm(8192, 8192, 2048), KernelPolicy(), true));
  }
  print_curve("8192 x 8192 x 2048 over the number of SMs", "SMs", sms);
}

int report(const std::string& program) {
  fmt::print("Measured on one core of: {}.\n\n", processor());
  print_programs(program);
  Ticker ticker("ticker");
  MachineRunner a100(load_machine("a100").config);
  auto sizes = machines_of_sizes();
  const double notifications_per_s = bare_notifications_per_s(ticker);
  print_on_off(a100);
  print_cost_of_events(a100, notifications_per_s);
  print_curves(a100, sizes);
  return 0;
}

}  // namespace

}  // namespace stcsim::bench

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: performance_report PATH/TO/stcsim\n", stderr);
    return 2;
  }
  return stcsim::bench::report(arguments[1]);
}
