#pragma once

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>
#include <zlib.h>

#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {

/// Writes a profile as Kineto does.
class TraceWriter {
 public:
  /// @param is_new categories as since PyTorch 1.12
  explicit TraceWriter(bool is_new = true) : is_new_(is_new) {}

  /// An operator; its "External id" is returned, which kernels name.
  int op(const std::string& name, int thread, double start, double length, nlohmann::json args) {
    args["External id"] = ++last_id_;
    events_.push_back(
        {{"ph", "X"},
         {"cat", is_new_ ? "cpu_op" : "Operator"},
         {"name", name},
         {"pid", 1},
         {"tid", is_new_ ? nlohmann::json(thread) : nlohmann::json(std::to_string(thread))},
         {"ts", start},
         {"dur", length},
         {"args", std::move(args)}});
    return last_id_;
  }
  /// After the one before; it starts so many microseconds `early`, before that one's end.
  void kernel(const std::string& name, int op, double length, double early = 0) {
    const double start = kernels_end_ - early;
    kernels_end_ = std::max(kernels_end_, start + length);
    events_.push_back({{"ph", "X"},
                       {"cat", is_new_ ? "kernel" : "Kernel"},
                       {"name", name},
                       {"ts", start},
                       {"dur", length},
                       {"args", {{is_new_ ? "External id" : "external id", op}}}});
  }
  void step(int number, double start, double length) {
    events_.push_back({{"ph", "X"},
                       {"cat", is_new_ ? "user_annotation" : "Operator"},
                       {"name", "ProfilerStep#" + std::to_string(number)},
                       {"tid", 1},
                       {"ts", start},
                       {"dur", length}});
  }
  [[nodiscard]] std::string text() const {
    return nlohmann::json{{"deviceProperties", nlohmann::json::array()}, {"traceEvents", events_}}
        .dump();
  }

 private:
  bool is_new_;
  int last_id_ = 0;
  double kernels_end_ = 2500;
  nlohmann::json events_ = nlohmann::json::array();
};

/// A convolution as cuDNN runs it, forward at `start` on thread 1, backward at `start` + 1000 on 2.
inline void write_convolution(TraceWriter& trace, int sequence, double start,
                              const nlohmann::json& input, const nlohmann::json& weight,
                              const nlohmann::json& output, bool has_dgrad,
                              std::array<double, 3> times) {
  const auto forward = [&](const char* name, double from) {
    return trace.op(name, 1, start + from, 20 - 2 * from,
                    {{"Sequence number", sequence}, {"Input Dims", {input, weight}}});
  };
  forward("aten::conv2d", 0);
  forward("aten::convolution", 1);
  forward("aten::_convolution", 2);
  trace.kernel("cudnn_kernel", forward("aten::cudnn_convolution", 3), times[0]);
  const double back = start + 1000;
  trace.op("CudnnConvolutionBackward", 2, back, 20,
           {{"Sequence number", sequence}, {"Fwd thread id", 1}, {"Input Dims", {output}}});
  trace.op("aten::cudnn_convolution_backward", 2, back + 1, 18,
           {{"Input Dims", {input, output, weight}}});
  if (has_dgrad) {
    trace.kernel("dgrad_engine",
                 trace.op("aten::cudnn_convolution_backward_input", 2, back + 2, 5,
                          {{"Input Dims", {nlohmann::json::array(), output, weight}}}),
                 times[1]);
  }
  trace.kernel("wgrad_engine",
               trace.op("aten::cudnn_convolution_backward_weight", 2, back + 9, 5,
                        {{"Input Dims", {nlohmann::json::array(), output, input}}}),
               times[2]);
}

/// Two steps of a network of three convolutions, two of them equal, and a linear layer. The first
/// has a convolution more.
inline TraceWriter small_training_step(bool is_new) {
  using nlohmann::json;
  TraceWriter trace(is_new);
  trace.step(7, 0, 2000);
  trace.step(8, 2000, 3000);
  write_convolution(trace, 3, 50, json{4, 3, 16, 16}, json{16, 3, 3, 3}, json{4, 16, 8, 8}, true,
                    {1, 1, 1});
  write_convolution(trace, 5, 2110, json{4, 3, 16, 16}, json{16, 3, 3, 3}, json{4, 16, 8, 8}, false,
                    {50, 0, 60});
  write_convolution(trace, 6, 2140, json{4, 16, 8, 8}, json{32, 16, 3, 3}, json{4, 32, 4, 4}, true,
                    {10, 20, 7});
  write_convolution(trace, 7, 2170, json{4, 16, 8, 8}, json{32, 16, 3, 3}, json{4, 32, 4, 4}, true,
                    {30, 40, 9});
  trace.op("aten::linear", 1, 2200, 20,
           {{"Sequence number", 8}, {"Input Dims", {{4, 32}, {10, 32}, {10}}}});
  const int addmm =
      trace.op("aten::addmm", 1, 2201, 15,
               {{"Sequence number", 9}, {"Input Dims", {{10}, {4, 32}, {32, 10}, json::array()}}});
  trace.kernel("gemm", addmm, 5);
  trace.op("AddmmBackward", 2, 3000, 30,
           {{"Sequence number", 9}, {"Fwd thread id", 1}, {"Input Dims", {{4, 10}}}});
  trace.kernel("gemm", trace.op("aten::mm", 2, 3001, 5, {{"Input Dims", {{4, 10}, {10, 32}}}}), 6);
  trace.kernel("gemm", trace.op("aten::mm", 2, 3011, 5, {{"Input Dims", {{10, 4}, {4, 32}}}}), 7);
  trace.kernel("relu_kernel", trace.op("aten::relu", 1, 2230, 5, {{"Input Dims", {{4, 16, 8, 8}}}}),
               3);
  trace.kernel("ncclAllReduce(float*)", 99999, 100);
  return trace;
}

/// The text as gzip has it.
inline std::string compressed(const std::string& text) {
  const ScratchFolder folder;
  gzFile stream = gzopen(folder.at("text.gz").c_str(), "wb1");
  gzwrite(stream, text.data(), static_cast<unsigned>(text.size()));
  gzclose(stream);
  std::ifstream file(folder.at("text.gz"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace stcsim
