#include "sim/kernel/kernel_choice.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/column_gather.hpp"
#include "sim/kernel/kernel_candidate.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/mapper.hpp"

namespace stcsim {
namespace {

using Candidates = std::vector<KernelCandidate>;

/// K-steps of all CTAs of a large GEMM: more than two full waves of 128x128 tiles with k = 1024
/// have on a hundred SMs.
constexpr std::int64_t kManySteps = 16'384;
/// And so close, they are the same.
constexpr double kSame = 1.0005;

bool is_large(const KernelLaunch& launch) {
  return launch.ctas() * launch.k_steps / launch.splits > kManySteps;
}

/// Candidates that a search simulates, if it is not said how many. Of large GEMMs estimates tell
/// enough.
constexpr std::int64_t kCandidates = 3;
constexpr std::int64_t kManyCandidates = 12;

/// It is simulated quickly, whatever it runs.
bool has_one_sm(const MachineConfig& machine) {
  return machine.accelerator.num_sms == 1;
}

/// More of those that are made for the machine: there are hundreds of them, many of a kind.
std::int64_t usual_candidates(const MachineConfig& machine, const Candidates& ranked) {
  const bool is_mapped = ranked.front().kernel.config.name.starts_with(kMapped);
  return is_mapped || has_one_sm(machine) ? kManyCandidates : kCandidates;
}

/// Large GEMMs run with tiles that have an SM for themselves, as libraries do it, unless that is
/// estimated to be clearly slower: CTAs that share an SM drift against each other, so that their
/// launches hardly ever recur and take minutes to simulate. Tiles that could share it have it for
/// themselves only if that costs nothing. Expects the best-ranked first.
/// @return the first of those that were put last
Candidates::iterator put_shared_sms_last(Candidates& candidates) {
  const double best = candidates.front().estimated_cycles;
  const auto shares = [&](const KernelCandidate& one) {
    const bool gives_up_slots = one.kernel.most_ctas_per_sm > one.kernel.ctas_per_sm;
    return one.launch.main_loops_per_sm() > 1 ||
           (gives_up_slots && one.estimated_cycles > best * kSame);
  };
  const auto alone = std::find_if_not(candidates.begin(), candidates.end(), shares);
  if (alone == candidates.end()) return alone;
  const double close = alone->estimated_cycles / kCloseEstimates;
  return std::stable_partition(
      candidates.begin(), candidates.end(), [&](const KernelCandidate& one) {
        return !shares(one) || !is_large(one.launch) || one.estimated_cycles < close;
      });
}

void rank(Candidates::iterator first, Candidates::iterator last) {
  std::stable_sort(first, last, is_ranked_before);
}
void rank(Candidates& candidates) {
  rank(candidates.begin(), candidates.end());
}

/// Those of a search, by the time that they are estimated to take, each at its own clock. Whether
/// CTAs share an SM is a matter of cycles.
void rank_for_search(const MachineConfig& machine, const EstimatedTime& time,
                     Candidates& candidates) {
  const bool is_alone = has_one_sm(machine);
  const auto last = is_alone ? candidates.end() : put_shared_sms_last(candidates);
  if (!time) return;
  for (KernelCandidate& one : candidates) {
    one.estimated_cycles = time(one.launch, one.estimated_cycles);
  }
  rank(candidates.begin(), last);
  rank(last, candidates.end());
}

/// Adds behind the others what is seldom faster: other numbers of k slices, fewer fragment buffers.
void add_the_rest(const MachineConfig& machine, const GemmProblem& problem,
                  const std::vector<Pattern>& hardware, const EstimatedTime& time,
                  Candidates& candidates) {
  const auto usual = static_cast<std::ptrdiff_t>(candidates.size());
  for (KernelCandidate& one : every_candidate(machine, problem, hardware)) {
    if (time) one.estimated_cycles = time(one.launch, one.estimated_cycles);
    const bool is_usual =
        std::any_of(candidates.begin(), candidates.begin() + usual,
                    [&](const KernelCandidate& known) { return known.launch == one.launch; });
    if (!is_usual) candidates.push_back(std::move(one));
  }
}

/// "1:8, 2:8, dense".
std::string names(const std::vector<Pattern>& hardware) {
  std::string text;
  for (const Pattern pattern : hardware) text += (text.empty() ? "" : ", ") + pattern.to_string();
  return text;
}

/// Why the first of a library's kernels that are meant for it does not fit, or the smallest of
/// those that are made for the machine; "" if there is none.
std::string first_misfit(const MachineConfig& machine, const StackConfig& stack,
                         const GemmProblem& problem, const std::vector<Pattern>& hardware) {
  std::string why_not;
  for (const Pattern pattern : hardware) {
    const LibraryConfig* const library =
        library_named(machine, source_of(stack, problem, pattern).kernels);
    if (library == nullptr) {
      const auto instruction = instruction_for(machine.accelerator.sm, problem.dtype, pattern);
      if (!instruction) return "; it has no instruction for that";
      return "; one of them must fit, but " + why_unmapped(machine, *instruction);
    }
    for (const LibraryKernel& one : library->kernels) {
      if (one.kernel.sparse == pattern.of_a().is_dense()) continue;
      if (fit_kernel(machine, one.kernel, problem.dtype, pattern, why_not)) continue;
      return fmt::format("; one of them must fit, but '{}': {}", one.kernel.name, why_not);
    }
  }
  return "";
}

/// The kernels that the library itself would take, by either of its rules.
Candidates rules_of_library(const KernelTask& task, const LibraryConfig& library) {
  Candidates taken;
  for (const Waves waves : {Waves::as_they_are, Waves::whole}) {
    Candidates ranked = candidates_of_library(task, library, Chooser::rule, waves);
    rank(ranked);
    if (!ranked.empty()) taken.push_back(std::move(ranked.front()));
  }
  return taken;
}

/// A stack's kernels for a GEMM.
struct Offer {
  Candidates candidates;
  /// Those that the own rules of a library would take, where it is searched.
  Candidates rules;
  bool is_own_list = true;
  bool is_search = true;
};

Offer offer_of(const MachineConfig& machine, const GemmProblem& problem,
               const std::vector<Pattern>& hardware, const KernelPolicy& policy) {
  const StackConfig stack = stack_named(machine, policy.stack);
  Offer offer;
  for (const Pattern pattern : hardware) {
    const KernelTask task(machine, problem, {pattern});
    const auto [source, choice] = source_of(stack, problem, pattern);
    const LibraryConfig* const library = library_named(machine, source);
    offer.is_own_list = offer.is_own_list && library == nullptr;
    const bool is_search = choice == kBySearch;
    offer.is_search = offer.is_search && is_search;
    const Chooser chooser = is_search ? Chooser::search : Chooser::rule;
    const Waves waves = choice == kByWholeWaves ? Waves::whole : Waves::as_they_are;
    const auto more = library == nullptr ? candidates_of_machine(task)
                                         : candidates_of_library(task, *library, chooser, waves);
    offer.candidates.insert(offer.candidates.end(), more.begin(), more.end());
    const bool keeps_rules = library != nullptr && is_search && !policy.candidates;
    if (keeps_rules) offer.rules = rules_of_library(task, *library);
  }
  return offer;
}

/// What a stack has for a GEMM, ranked; no candidates if none of its kernels can run it.
KernelRanking rank_offer(const MachineConfig& machine, const GemmProblem& problem,
                         const std::vector<Pattern>& hardware, const KernelPolicy& policy,
                         const EstimatedTime& time) {
  auto [candidates, rules, is_own_list, is_search] = offer_of(machine, problem, hardware, policy);
  if (candidates.empty()) return {};
  rank(candidates);
  if (is_own_list) rank_for_search(machine, is_search ? time : EstimatedTime(), candidates);
  const bool is_one_enough = !is_search || (is_own_list && is_large(candidates.front().launch));
  if (is_own_list && policy.candidates > std::ssize(candidates)) {
    add_the_rest(machine, problem, hardware, time, candidates);
  }
  const std::int64_t most =
      policy.candidates.value_or(is_one_enough ? 1 : usual_candidates(machine, candidates));
  const bool has_space = is_own_list && machine.kernel_space != KernelSpaceConfig();
  KernelRanking ranking =
      has_space ? cut_each(machine, std::move(candidates), most) : cut(std::move(candidates), most);
  ranking.is_search = is_search;
  keep_rules(rules, ranking);
  return ranking;
}

/// Adds another stack's kernels behind those of `all`. Rules of libraries have estimates of their
/// own: here all have the same.
void add_stack(const MachineConfig& machine, const GemmProblem& problem, const EstimatedTime& time,
               KernelRanking of_stack, KernelRanking& all) {
  for (Candidates* const ranked : {&of_stack.candidates, &of_stack.left_out}) {
    for (KernelCandidate& one : *ranked) {
      const double cycles =
          best_split(machine, one.kernel, problem, {one.launch.splits}).estimated_cycles;
      one.estimated_cycles = time ? time(one.launch, cycles) : cycles;
    }
  }
  if (!all.candidates.empty()) all.of_stacks.push_back(all.candidates.size());
  std::move(of_stack.candidates.begin(), of_stack.candidates.end(),
            std::back_inserter(all.candidates));
  std::move(of_stack.left_out.begin(), of_stack.left_out.end(), std::back_inserter(all.left_out));
}

/// Of kBestStack: the machine's own kernels are searched, and every stack's as that stack does it.
KernelRanking of_all_stacks(const MachineConfig& machine, const GemmProblem& problem,
                            const std::vector<Pattern>& hardware, const KernelPolicy& policy,
                            const EstimatedTime& time) {
  KernelRanking all = rank_offer(machine, problem, hardware, policy, time);
  all.is_search = true;
  const std::vector<StackSide> sides = sides_of_stacks(machine, problem, hardware);
  for (const StackSide& side : sides) {
    KernelPolicy of_side = policy;
    of_side.stack = side.stack;
    KernelRanking ranked = rank_offer(machine, problem, side.hardware, of_side, time);
    if (!ranked.candidates.empty()) add_stack(machine, problem, time, std::move(ranked), all);
  }
  if (sides.empty()) return all;
  std::erase_if(all.left_out,
                [&](const KernelCandidate& one) { return all.simulates(one.launch); });
  rank(all.left_out);
  return all;
}

KernelRanking automatic(const MachineConfig& machine, const GemmProblem& problem,
                        const std::vector<Pattern>& hardware, const KernelPolicy& policy,
                        const EstimatedTime& time) {
  const bool is_best = stack_named(machine, policy.stack).name == kBestStack;
  KernelRanking ranking = is_best ? of_all_stacks(machine, problem, hardware, policy, time)
                                  : rank_offer(machine, problem, hardware, policy, time);
  if (!ranking.candidates.empty()) return ranking;
  const std::string source = sources_of(machine, policy.stack, problem, hardware.back()).front();
  const std::string whose =
      library_named(machine, source) == nullptr ? machine.name : source + " on " + machine.name;
  throw ConfigError(fmt::format(
      "none of the kernels of {} can run {} {}{}", whose, to_string(problem.dtype), names(hardware),
      first_misfit(machine, stack_named(machine, policy.stack), problem, hardware)));
}

KernelRanking named(const MachineConfig& machine, const GemmProblem& problem,
                    const std::vector<Pattern>& hardware, const KernelPolicy& policy) {
  const KernelTask task(machine, problem, hardware);
  std::vector<KernelConfig> kernels = task.kernels;
  for (const MmaInstruction& one : task.instructions) {
    if (!policy.kernel.starts_with(kMapped)) break;
    for (const GemmProblem* const of : {&problem, static_cast<const GemmProblem*>(nullptr)}) {
      for (const KernelConfig& kernel : mapped_kernels(machine, one, of)) kernels.push_back(kernel);
    }
  }
  const auto config = std::ranges::find(kernels, policy.kernel, &KernelConfig::name);
  if (config == kernels.end()) {
    throw ConfigError(
        fmt::format("{} has no kernel '{}'; its kernels are listed by "
                    "'stcsim list kernels --arch {}'",
                    machine.name, policy.kernel, machine.name));
  }
  std::string why_not = "no instruction for " + names(hardware);
  Candidates candidates;
  for (const MmaInstruction& one : task.instructions) {
    if (!may_run(*config, one.pattern, problem)) {
      if (config->cta_pair) why_not = "its CTAs multiply in pairs, and rows of tiles are odd";
      continue;
    }
    const auto kernel = fit_kernel(machine, *config, one, why_not);
    if (kernel) candidates.push_back(best_split(machine, *kernel, problem, machine.split_k));
  }
  if (candidates.empty()) {
    throw ConfigError(fmt::format("kernel '{}' cannot be used: {}", policy.kernel, why_not));
  }
  rank(candidates);
  const std::int64_t most = policy.candidates.value_or(usual_candidates(machine, candidates));
  return cut(std::move(candidates), most);
}

}  // namespace

std::vector<KernelCandidate> kernel_candidates(const MachineConfig& machine,
                                               const GemmProblem& problem,
                                               const std::vector<Pattern>& hardware,
                                               const KernelPolicy& policy) {
  return rank_kernels(machine, problem, hardware, policy).candidates;
}

KernelRanking rank_kernels(const MachineConfig& machine, const GemmProblem& problem,
                           const std::vector<Pattern>& hardware, const KernelPolicy& policy,
                           const EstimatedTime& time) {
  if (policy.kernel != "auto") return named(machine, problem, hardware, policy);
  return automatic(machine, problem, hardware, policy, time);
}

}  // namespace stcsim
