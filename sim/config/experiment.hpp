#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/config_field.hpp"
#include "common/data_type.hpp"
#include "common/phase.hpp"
#include "sim/config/machine.hpp"
#include "sim/config/parallel.hpp"
#include "workloads/framework.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

class MapReader;

/// What an experiment says of trainings, their lengths and curves: no part of what is simulated.
inline constexpr const char* kTimeToAccuracyKey = "time_to_accuracy";
/// What an experiment says of training its network: `stcsim train` reads it, nothing of it is
/// simulated.
inline constexpr const char* kTrainingKey = "training";

struct MachineSpec {
  /// Unique in its experiment.
  std::string name;
  MachineConfig config;

  static void visit_fields(auto& self, auto& visitor) {
    MachineConfig::visit_fields(self.config, visitor);
  }
};

/// How files name machines, networks, schemes and a framework: each is written out as a map by the
/// time it is read (expand_entry()). Names in a list must differ.
template <class Value>
struct Entries {
  Value& value;

  void read(MapReader& map, const Field& field);
  [[nodiscard]] nlohmann::json to_json() const;
};
template <class Value>
Entries(Value&) -> Entries<Value>;

/// The phases that are simulated, and whether the pass after training is one.
template <class Phases, class Flag>
struct PhaseNames {
  Phases& phases;
  Flag& inference;

  void read(MapReader& map, const Field& field);
  [[nodiscard]] nlohmann::json to_json() const;
};
template <class Phases, class Flag>
PhaseNames(Phases&, Flag&) -> PhaseNames<Phases, Flag>;

/// Everything a study needs to know: each network's training step under each scheme on each
/// machine. The dense baseline is not part of the list of schemes unless the user names it.
struct Experiment {
  std::vector<MachineSpec> machines;
  std::vector<Network> networks;
  /// Of the training step; empty if only inference is asked for.
  std::vector<Phase> phases;
  /// Run each network as after training too (for_inference()), beside the step.
  bool inference = false;
  std::vector<Scheme> schemes;
  /// Whose kernels run beside the GEMMs.
  Framework framework;
  DataType dtype = DataType::fp16;
  /// "auto", or the name of a kernel every machine has.
  std::string kernel = "auto";
  /// How many kernels the automatic choice simulates.
  std::optional<std::int64_t> kernel_candidates;
  /// A stack every machine has, whose kernels `auto` chooses from; "" for each machine's default.
  std::string stack;
  /// Simulate normalisation, activation and optimizer too.
  bool stream_kernels = true;
  /// Run every GEMM with values, its sparse operand pruned as the scheme says, and check C.
  bool functional = false;
  /// A part of a GEMM's grid may stand for all of it (KernelPolicy).
  bool sampled = false;
  /// Charge what schemes do themselves: choosing, sampling, compressing, decaying.
  bool scheme_work = true;
  /// The experiment as JSON, keys sorted; machines, networks, schemes and every default written
  /// out: the text reads back as the same experiment. And its SHA-256 in hex.
  std::string resolved_config;
  std::string config_hash;
  /// The clock that somebody locked on all machines, whatever their boards draw; DRAM and launches
  /// keep their times. Nothing: what each board's power allows the dense step of each network.
  std::optional<double> clock_mhz;
  /// Which products of schemes that do not say it run sparse.
  SparseWhere where = SparseWhere::always;
  /// Whether pruning is part of the kernels that move the tensors; the framework's if nothing is
  /// said.
  PruningKernels pruning_kernels = PruningKernels::separate;
  /// Steps on several GPUs too, each with the network's batch (sim/parallel).
  std::optional<ParallelConfig> parallel = {};

  /// Whether normalisation, activation and optimizer of a network run.
  [[nodiscard]] bool runs_streams_of(const Network& network) const {
    return stream_kernels && !network.products_only;
  }
  /// Whether schemes are charged for what they do themselves to a network.
  [[nodiscard]] bool charges_schemes_in(const Network& network) const {
    return scheme_work && !network.products_only;
  }

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::optional_text("description", "one line, for `stcsim list experiments`"),
                  ReadElsewhere());
    visitor.field(field::list("machines", "names, paths or maps, at least one"),
                  Entries{self.machines});
    visitor.field(field::list("networks", "the same; a network may be a list of GEMMs (.csv)"),
                  Entries{self.networks});
    visitor.field(field::list("phases",
                              "the GEMMs of a training step to simulate, each at most once, also "
                              "as `fprop`, `backward`, `update`; and `inference`, the pass after "
                              "training")
                      .optional("all of the step"),
                  PhaseNames{self.phases, self.inference});
    visitor.field(
        field::list("schemes", "the same; dense training is always simulated as the baseline"),
        Entries{self.schemes});
    visitor.field(field::map("framework",
                             "whose kernels run beside the matrix products, in the same way; a "
                             "map without a name is merged over the default")
                      .optional("pytorch_2_eager"),
                  Entries{self.framework});
    visitor.field(field::one_of("pruning_kernels",
                                "whether pruning is part of the kernels that write the tensors",
                                PruningKernels::fused)
                      .optional("the framework's"),
                  self.pruning_kernels, self.framework.pruning_kernels);
    visitor.field(field::type("dtype",
                              "of the operands: every machine must multiply it; a scheme may "
                              "choose another for a phase",
                              operand_data_types())
                      .optional(),
                  self.dtype);
    visit_choice(self, visitor);
    visit_work(self, visitor);
    visitor.field(field::map("parallel", "steps on several GPUs too").optional("none"),
                  self.parallel);
    visitor.field(field::map(kTimeToAccuracyKey, "for `stcsim tta` alone").optional("none"),
                  ReadElsewhere());
    visitor.field(field::map(kTrainingKey, "for `stcsim train` alone").optional("none"),
                  ReadElsewhere());
  }

 private:
  static void visit_choice(auto& self, auto& visitor) {
    visitor.field(
        field::text("kernel", "`auto`, or the name of a kernel every machine has").optional("auto"),
        self.kernel);
    visitor.field(field::of("kernel_candidates", "count",
                            "how many kernels the automatic choice simulates, the most promising "
                            "first, with `best` so many of each stack; refused, as `stack` is, "
                            "with a `kernel` that is named")
                      .from(1, 1000)
                      .optional("1 by heuristic; by search 3, of large GEMMs 1"),
                  self.kernel_candidates);
    visitor.field(
        field::text("stack",
                    "the software whose kernels the automatic choice takes: one of the "
                    "stacks that every machine has, or `best`, the fastest of them all and "
                    "of the machine's own list")
            .omitted("each machine's first"),
        self.stack, "");
    visitor.field(field::of("clock_mhz", "MHz",
                            "locks the clock of all machines, whatever their boards draw; DRAM and "
                            "the gap between kernels keep their times")
                      .from(1, MachineConfig::kMostMhz)
                      .optional("what power allows"),
                  self.clock_mhz);
  }
  static void visit_work(auto& self, auto& visitor) {
    visitor.field(field::flag("stream_kernels", "simulate normalisation, activation, optimizer too")
                      .optional(),
                  self.stream_kernels);
    visitor.field(field::flag("functional", "run every GEMM with values and check C").optional(),
                  self.functional);
    visitor.field(field::flag("sampled",
                              "GEMMs whose waves never recur may be answered from a part of the "
                              "grid, with a bound on the cycles; not with `functional`")
                      .omitted("false"),
                  self.sampled, false);
    visitor.field(field::flag("scheme_work",
                              "charge what schemes do themselves: choosing, sampling, compressing")
                      .optional(),
                  self.scheme_work);
    visitor.field(field::one_of("sparse_where",
                                "which products of schemes that do not say `where` run sparse: all "
                                "that can, or those that gain by it",
                                SparseWhere::faster)
                      .optional("faster"),
                  self.where, SparseWhere::faster);
  }
};

}  // namespace stcsim
