#include "reports/papers/gemm_row.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "reports/claims/claim_file.hpp"
#include "reports/claims/gemm_claims.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::pair<std::string_view, GemmQuantity>, 3> kGemmQuantities{
    {{"gain", GemmQuantity::gain}, {"tflops", GemmQuantity::tflops}, {"us", GemmQuantity::us}}};

constexpr double kFlopsPerMac = 2;
/// Operations per microsecond in a TFLOP/s.
constexpr double kFlopsPerUs = 1e6;

double gemm_value(const GemmRow& row, const LaunchResult& run, const LaunchResult& against) {
  switch (row.quantity) {
    case GemmQuantity::gain:
      return against.time_us() / run.time_us();
    case GemmQuantity::tflops:
      return kFlopsPerMac * static_cast<double>(row.problem.macs()) / run.time_us() / kFlopsPerUs;
    case GemmQuantity::us:
      return run.time_us();
  }
  return 0;
}

}  // namespace

GemmRow read_gemm_row(MapReader& map) {
  GemmRow row;
  row.problem = read_plain_gemm(map);
  row.against = row.problem;
  row.against.a_pattern = map.get_pattern_or("against", kDense);
  row.against.dtype = map.get_dtype_or("against_dtype", row.problem.dtype);
  row.quantity = map.get_enum("quantity", kGemmQuantities);
  for (const char* const key : {"against", "against_dtype"}) {
    if (map.has(key) && row.quantity != GemmQuantity::gain) {
      map.fail(key, std::string("'") + key + "' has no effect but on quantity: gain");
    }
  }
  map.finish();
  validate(row.problem, "a row's GEMM");
  return row;
}

PaperQuantity quantity_of(const GemmRow& row) {
  switch (row.quantity) {
    case GemmQuantity::gain:
      return {"gain of the GEMM", PaperUnit::ratio, 1};
    case GemmQuantity::tflops:
      return {"throughput", PaperUnit::tflops, std::nullopt};
    case GemmQuantity::us:
      return {"time of the GEMM", PaperUnit::us, std::nullopt};
  }
  return {};
}

std::vector<GemmProblem> gemms_of(const GemmRow& row) {
  if (row.quantity != GemmQuantity::gain) return {row.problem};
  return {row.problem, row.against};
}

PaperAnswer answer_of(const GemmRow& row, const PaperColumn& column, const MachineConfig& machine,
                      std::span<const std::shared_ptr<const GemmRun>> runs) {
  const LaunchResult& run = runs.front()->result;
  PaperAnswer answer;
  answer.column = column.name;
  answer.where = column.machine + ", " + column.stack;
  answer.value = answer.low = answer.high = gemm_value(row, run, runs.back()->result);
  answer.because = gemm_limits(machine, run);
  return answer;
}

}  // namespace stcsim
