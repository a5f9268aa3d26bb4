#pragma once

#include <cstdint>
#include <string>

#include "rtl/verilog.hpp"

namespace stcsim::rtl {

/// Verilog of `clocked_MODULE`: the combinational module between `in_valid`/`in_ready` and
/// `out_valid`/`out_ready`, with registers behind it in a row, as many as the parameter DEPTH says
/// (ElasticRegisters of models/base/clocked_beats.hpp), `clk`, and `rst`, which empties them. Where
/// in the logic they stand is left to synthesis (retiming).
/// @param depth  DEPTH unless said otherwise
[[nodiscard]] std::string clocked_verilog(const std::string& module, const Ports& ports,
                                          std::int64_t depth);

/// Verilog of `metadata_buffer`: a queue of ENTRIES words of WIDTH bits, by valid and ready. A word
/// that leaves makes room in the same clock.
[[nodiscard]] std::string metadata_buffer_verilog(std::int64_t width, std::int64_t entries);

}  // namespace stcsim::rtl
