// Fitted machines predict GEMMs that they were not fitted to.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/io/csv_table.hpp"
#include "common/io/yaml_json.hpp"
#include "sim/config/experiment_entry.hpp"
#include "tests/cli/fit_check.hpp"

namespace stcsim {
namespace {

/// An A100 with what the RTX 3090's data sheet and guides say, and its libraries; the rest is the
/// A100's.
std::string card_of_a_data_sheet() {
  const ordered_json card = to_json(load_by_name(ConfigKind::machine, "rtx3090"));
  ordered_json like{{"extends", "a100"}, {"name", "like_3090"}};
  for (const char* const key :
       {"/clock_mhz", "/power", "/kernels", "/libraries", "/stacks", "/accelerator/num_sms",
        "/accelerator/sm/max_ctas", "/accelerator/sm/max_warps", "/accelerator/sm/registers",
        "/accelerator/sm/vector_lanes_per_sub_core", "/accelerator/sm/tensor_core",
        "/accelerator/sm/shared_memory/capacity_bytes",
        "/accelerator/sm/shared_memory/max_bytes_per_cta", "/accelerator/l2_cache/capacity_bytes",
        "/accelerator/dram/capacity_bytes", "/accelerator/dram/channels",
        "/accelerator/dram/bytes_per_clk"}) {
    like[ordered_json::json_pointer(key)] = card.at(ordered_json::json_pointer(key));
  }
  return like.dump();
}

TEST(Fit, PredictsHalfOfTheRtx3090sSparseTimesFromTheOther) {
  const CsvTable table = CsvTable::read(STCSIM_SOURCE_DIR "/configs/validation/gemm.csv");
  const auto of = [&](const CsvTable::Row& row, const char* name) {
    return row[table.column(name)].text;
  };
  std::vector<Gemm> known;
  std::vector<Gemm> others;
  for (const CsvTable::Row& row : table.rows()) {
    if (of(row, "gpu") != "RTX3090" || of(row, "stack") != "cuda11_rule") continue;
    std::vector<Gemm>& half = known.size() > others.size() ? others : known;
    half.push_back({std::stoll(of(row, "M")), std::stoll(of(row, "N")), std::stoll(of(row, "K")),
                    of(row, "pattern"), 1000 * std::stod(of(row, "sparse_value"))});
  }
  ASSERT_EQ(known.size() + others.size(), 46U);
  const TemporaryDirectory folder;
  write_text(folder.path() / "card.yaml", card_of_a_data_sheet());
  const std::string machine = (folder.path() / "mine.yaml").string();
  const ProgramResult result = fit(table_of(known, ",stack,clock", ",cuda11_rule,1395"),
                                   (folder.path() / "card.yaml").string(), machine);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const ordered_json how{{"stack", "cuda11_rule"}, {"clock", 1395}};
  EXPECT_LE(mean_error(times_of(others, machine, ordered_json::object(), how), others), 0.05)
      << result.out;
}

}  // namespace
}  // namespace stcsim
