#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "cli/base/arguments.hpp"

namespace stcsim {

/// Which GEMM, on which machine, with which kernels.
struct GemmTable {
  Option arch = kCommon.arch.as("NAME", "machine: a shipped one, or a path (required)");
  Option m = Option{"m", "M", "rows of A and C (required without --layer)"}.not_with(&layer);
  Option n = Option{"n", "N", "columns of B and C (required without --layer)"}.not_with(&layer);
  Option k = Option{"k", "K", "columns of A, rows of B: the reduction (required without --layer)"}
                 .not_with(&layer);
  Option layer = Option{"layer", "NETWORK:LAYER",
                        "a layer's GEMM instead of M, N and K, e.g. resnet50:layer3.0.conv2"}
                     .refusing("has no effect with --layer, which says it");
  Option phase = kCommon.phase.as(
      "NAME", "phase of --layer: forward (default), backward (dgrad) or update (wgrad)", &layer);
  Option scheme =
      kCommon.scheme.as("NAME", "scheme that makes --layer sparse (default dense)", &layer);
  Option batch = kCommon.batch.as("N", "samples of --layer (default: its network's)", &layer);
  Option part{"part", "I", "which GEMM, where a phase of --layer is several", &layer};
  Option batch_count =
      Option{"batch-count", "COUNT", "independent GEMMs of that shape (default 1)"}.not_with(
          &layer);
  Option sparsity{"sparsity", "N:M",
                  "pattern of A, n kept out of m, 'N:M pairs', neighbours together, or V:2:M; "
                  "'N:M outputs': n of m results of each row of C (default dense)"};
  Option dtype = kCommon.dtype.as(
      "TYPE", "fp16, bf16, tf32, int8, int4, fp8_e4m3, fp8_e5m2 or nvfp4 (default fp16)");
  Option kernel{"kernel", "NAME",
                "kernel of the machine's list, one as a profiler names it (nvjet_sm90_..., "
                "sm90_xmma_sparse_gemm_...), or auto (default)"};
  Option stack{"stack", "NAME",
               "software whose kernels auto chooses from, one of the machine's 'stacks', or best: "
               "the fastest of these and of all the machine's kernels (default: the machine's "
               "first)"};
  Option candidates =
      kCommon.candidates
          .as("N",
              "how many kernels auto simulates to find the fastest (default: where the stack "
              "searches 3, of large GEMMs 1; with best, so many of each stack)")
          .not_in_next();
  Option where = Option{"where", "always|faster",
                        "run sparse also where dense is faster (always, default), or dense where "
                        "the gain does not exceed what gains are off"}
                     .not_in_next();
  Option layout = Option{"layout", "tn|nn|nt|tt",
                         "A and B as BLAS names them: t is k contiguous for A, n is k contiguous "
                         "for B (default tn)"}
                      .not_with(&layer);
  Option c_layout =
      Option{"c-layout", "row|column", "which axis of C comes row by row (default row)"}.not_with(
          &layer);
  Option set = kCommon.set.like("accelerator.num_sms=16");
};
inline constexpr GemmTable kGemm;

/// At which clock, with which values, in which detail.
struct ValueTable {
  Option clock = kCommon.clock.of_eval();
  Option values =
      Option{"values", "random|zeros", "operands, for the board's power (default random)"}
          .of_eval();
  Option functional = kCommon.functional.as("", "carry values and compare C with a reference GEMM")
                          .refusing("goes without --functional");
  Option seed = kCommon.seed.as("S", "seed of the values of --functional (default 1)", &functional);
  Option prune{
      "prune", "SCHEME",
      "scheme of 'stcsim prune' that prunes A in --functional (default: largest magnitudes)",
      &functional};
  Option operand_a{"operand-a", "FILE",
                   "A's numbers for --functional, a NumPy file of M x K; they have to "
                   "satisfy --sparsity unless --prune is given",
                   &functional};
  Option operand_b{"operand-b", "FILE", "the same for B, of K x N", &functional};
  Option a_zeros{"a-zeros", "SHARE",
                 "make so many of A's kept values zeros, for --functional (default 0)",
                 &functional};
  Option b_zeros{"b-zeros", "SHARE", "the same of B's values, as ReLU does (default 0)",
                 &functional};
  Option detail{"detail", "closed|stages",
                "simulate the stages of sub-cores in closed form or event by event (default: as "
                "the machine's file says)"};
  Option fast_forward = kCommon.fast_forward;
};
inline constexpr ValueTable kValues;

/// How `gemm` simulates it: ways of timing, those, sampling.
struct SimulationTable {
  Option method =
      Option{
          "method", "NAME",
          "time it that way: loop, loop50, loop50_h100, loop50_rtx4090, graph, kernel, events or "
          "host (default: launch after launch, nothing added)"}
          .of_eval();
  ValueTable values;
  Option draws =
      kCommon.draws.as("N",
                       "simulate so many draws of values for --functional, seed after seed, and "
                       "say what the GEMM takes in the mean, at least and at most (default 1)",
                       &values.functional);
  Option flip_metadata_bit{
      "flip-metadata-bit", "I",
      "flip a bit of the metadata of kept values, to see --functional fail; by "
      "stages where the metadata buffer holds it",
      &values.functional};
  Option timeline = Option{"timeline", "FILE",
                           "write what each unit of an SM does, cycle by cycle, for "
                           "ui.perfetto.dev"}
                        .not_with(&values.functional);
  Option timeline_cycles{"timeline-cycles", "N", "from the launch's beginning (default 20000)",
                         &timeline};
  Option explain = kCommon.explain.as("", "say below why, as `stcsim explain` does");
  Option no_spread = kCommon.no_spread.not_with(&values.functional);
  Option framework =
      kCommon.framework.as("NAME", "say what one call by it takes, with the host's part");
  Option sampled = Option{"sampled", "",
                          "answer from a part of grids whose waves never recur, with a bound on "
                          "the cycles (default: exact)"}
                       .of_eval();
};
inline constexpr SimulationTable kSimulation;

/// What a command does with its data.
struct OutputTable {
  Option format = kCommon.format;
  Option output = kCommon.output;
  Option html = kCommon.html;
  Option svg = kCommon.svg;
};
inline constexpr OutputTable kOutput;
/// The writers of a report, in the order of the words of --format.
template <class Report>
using Writers = std::array<std::string (*)(const Report& report, std::size_t width), 3>;

/// The plain arguments M N K.
[[nodiscard]] inline Options plain_sizes() {
  return {kGemm.m.optional(), kGemm.n.optional(), kGemm.k.optional()};
}

}  // namespace stcsim
