#include "rtl/clocked.hpp"

#include <fmt/format.h>

namespace stcsim::rtl {
namespace {

/// A module that takes words of WIDTH bits and gives them, without its body.
std::string head(const std::string& name, const std::string& parameters) {
  return fmt::format("module {} #(parameter {}) (\n", name, parameters) + R"(  input  wire clk,
  input  wire rst,
  input  wire in_valid,
  output wire in_ready,
  input  wire [WIDTH-1:0] in_data,
  output wire out_valid,
  input  wire out_ready,
  output wire [WIDTH-1:0] out_data
);
)";
}

/// A beat moves into a register that is empty or whose own beat moves on.
constexpr const char* kElastic = R"(  reg [DEPTH-1:0] full;
  reg [DEPTH*WIDTH-1:0] held;
  wire [DEPTH:0] valid = {full, in_valid};
  wire [(DEPTH+1)*WIDTH-1:0] data = {held, in_data};
  wire [DEPTH-1:0] ready;
  assign in_ready = ready[0];
  assign out_valid = valid[DEPTH];
  assign out_data = data[DEPTH*WIDTH +: WIDTH];
  genvar at;
  generate for (at = 0; at < DEPTH; at = at + 1) begin : registers
    assign ready[at] = out_ready || !(&full[DEPTH-1:at]);
    always @(posedge clk) begin
      if (rst) full[at] <= 1'b0;
      else if (ready[at]) full[at] <= valid[at];
      if (ready[at] && valid[at]) held[at*WIDTH +: WIDTH] <= data[at*WIDTH +: WIDTH];
    end
  end endgenerate
endmodule
)";

constexpr const char* kBuffer = R"(  reg [WIDTH-1:0] words [0:ENTRIES-1];
  reg [31:0] first, count;
  wire takes, gives;
  assign out_valid = count != 0;
  assign gives = out_valid && out_ready;
  assign in_ready = count < ENTRIES || gives;
  assign takes = in_valid && in_ready;
  assign out_data = words[first];
  always @(posedge clk) begin
    if (rst) begin
      first <= 32'd0;
      count <= 32'd0;
    end else begin
      if (takes) words[(first + count) % ENTRIES] <= in_data;
      if (gives) first <= (first + 1) % ENTRIES;
      count <= count + (takes ? 32'd1 : 32'd0) - (gives ? 32'd1 : 32'd0);
    end
  end
endmodule
)";

}  // namespace

std::string clocked_verilog(const std::string& module, const Ports& ports, std::int64_t depth) {
  std::string inputs;
  std::string wires;
  for (const Port& port : ports.inputs) {
    inputs += fmt::format("  input  wire [{}:0] {},\n", port.bits - 1, port.name);
    wires += fmt::format(".{0}({0}), ", port.name);
  }
  return head("elastic_registers", "WIDTH = 1, DEPTH = 1") + kElastic +
         fmt::format(
             "module clocked_{0} #(parameter DEPTH = {1}) (\n"
             "  input  wire clk,\n  input  wire rst,\n"
             "  input  wire in_valid,\n  output wire in_ready,\n{2}"
             "  output wire out_valid,\n  input  wire out_ready,\n"
             "  output wire [{3}:0] {4}\n);\n"
             "  wire [{3}:0] logic_out;\n"
             "  {0} circuit ({5}.{4}(logic_out));\n"
             "  elastic_registers #({6}, DEPTH) registers (clk, rst, in_valid, in_ready,\n"
             "    logic_out, out_valid, out_ready, {4});\n"
             "endmodule\n",
             module, depth, inputs, ports.output.bits - 1, ports.output.name, wires,
             ports.output.bits);
}

std::string metadata_buffer_verilog(std::int64_t width, std::int64_t entries) {
  const std::string parameters = fmt::format("WIDTH = {}, ENTRIES = {}", width, entries);
  return head("metadata_buffer", parameters) + kBuffer;
}

}  // namespace stcsim::rtl
