#pragma once

#include "pruning/schemes.hpp"

namespace stcsim::pruning {

/// The schemes as the table of schemes() calls them: from planes and options to the functions that
/// do the work.

void run_random(const SchemeInput& in, SchemeOutput& out);
void run_magnitude(const SchemeInput& in, SchemeOutput& out);
void run_rescaled(const SchemeInput& in, SchemeOutput& out);
void run_mvue(const SchemeInput& in, SchemeOutput& out);
void run_mvue_pairs(const SchemeInput& in, SchemeOutput& out);
void run_approximate_mvue(const SchemeInput& in, SchemeOutput& out);
void run_transposable(const SchemeInput& in, SchemeOutput& out);
void run_transport(const SchemeInput& in, SchemeOutput& out);
void run_transposable_exactly(const SchemeInput& in, SchemeOutput& out);
void run_greedy_keep(const SchemeInput& in, SchemeOutput& out);
void run_greedy_prune(const SchemeInput& in, SchemeOutput& out);
void run_exhaustive(const SchemeInput& in, SchemeOutput& out);
void run_bi_mask(const SchemeInput& in, SchemeOutput& out);
void run_slope(const SchemeInput& in, SchemeOutput& out);
void run_sr_ste(const SchemeInput& in, SchemeOutput& out);
void run_s_ste(const SchemeInput& in, SchemeOutput& out);
void run_adaprune(const SchemeInput& in, SchemeOutput& out);
void run_asp_permuted(const SchemeInput& in, SchemeOutput& out);

}  // namespace stcsim::pruning
