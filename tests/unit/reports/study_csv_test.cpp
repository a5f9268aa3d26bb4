#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/csv.hpp"
#include "common/io/json_reader.hpp"
#include "reports/run/study_report.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

const std::string kResultColumns =
    "machine,network,layer,phase,scheme,op,kind,scheme_work,fused_work,repeat,every,m,n,k,batch_"
    "count,gemm_"
    "count,"
    "longest_part,launches,macs,sparse_macs,dtype,pattern,"
    "hardware_pattern,sparse_operand,ran_sparse,reason,cycles,dense_cycles,time_us,dense_time_us,"
    "speedup,"
    "utilization,bound_by,tile,regret_at_most,joules,dense_joules,kernel.name,kernel.tile_m,kernel."
    "tile_n,kernel."
    "tile_k,"
    "kernel.stages,kernel.warps,kernel.instruction,kernel.split_k,kernel.ctas,"
    "kernel.ctas_per_sm,kernel.waves,traffic.shared_memory_read_bytes,"
    "traffic.shared_memory_write_bytes,traffic.l2_read_bytes,traffic.l2_hit_bytes,"
    "traffic.l2_write_bytes,traffic.dram_read_bytes,traffic.dram_write_bytes,"
    "traffic.metadata_bytes";

TEST(StudyCsv, BucketColumnsAreTheSortedUnionOfAllRows) {
  StudyResult study;
  study.rows = {test::stream_row("fc1", "relu", "dense"),
                test::gemm_row("fc1", "forward", "dense", 3000, 3000)};
  study.rows.at(1).regret_at_most = 0.5;
  EXPECT_EQ(
      results_to_csv(study),
      kResultColumns +
          ",dram.busy,dram.instances,tensor_core.busy,tensor_core.idle,tensor_core.instances\r\n"
          "a100,mlp,fc1,other,dense,relu,activation,false,false,1,1,0,0,0,1,1,1,1,0,0,fp16,dense,"
          "dense,"
          "none,false,,"
          "250,"
          "250,"
          "0.25,0.25,1.0,"
          "0.0,dram,,,0.0,0.0,,0,0,0,0,0,,1,0,0,0.0,0,0,0,0,0,0,0,0,250,1,,,\r\n"
          "a100,mlp,fc1,forward,dense,gemm,gemm,false,false,1,1,768,512,3072,1,1,1,1,1207959552,0,"
          "fp16,"
          "dense,"
          "dense,none,false,,"
          "3000,"
          "3000,3.0,3.0,1.0,0.5,tensor_core,128x256x32,0.5,0.0,0.0,dense_128x256x32_s3,128,256,32,"
          "3,8,"
          "mma.m16n8k16,1,12,1,0.125,1,2,3,4,5,6,7,8,,,60,40,432\r\n");
}

/// A row that lacks a counter has an empty field.
TEST(StudyCsv, WhateverElseIsCountedHasAColumn) {
  StudyResult study;
  study.rows = {test::gemm_row("fc1", "forward", "dense", 3000, 3000),
                test::gemm_row("fc2", "forward", "dense", 3000, 3000)};
  study.rows.at(1).counters.push_back({"cache_refills", "refill", 7});
  const std::string csv = results_to_csv(study);
  const std::string columns = kResultColumns + ",counters.refill.cache_refills,tensor_core.busy";
  EXPECT_EQ(csv.substr(0, columns.size()), columns);
  EXPECT_THAT(csv, ::testing::HasSubstr("0.125,1,2,3,4,5,6,7,8,,60,40,432\r\n"));
  EXPECT_THAT(csv, ::testing::HasSubstr("0.125,1,2,3,4,5,6,7,8,7,60,40,432\r\n"));
}

TEST(StudyCsv, WithoutRowsIsAHeader) {
  EXPECT_EQ(results_to_csv(StudyResult{}), kResultColumns + "\r\n");
}

constexpr std::array<const char*, 14> kKinds{
    "normalisation", "activation", "softmax", "dropout",   "residual", "pooling",  "bias",
    "loss",          "casts",      "layout",  "optimizer", "pruning",  "launches", "sparse_calls"};

std::string part_columns(const std::string& part) {
  std::string columns;
  for (const char* const figure : {"cycles", "time_us", "dense_time_us", "speedup", "failed"}) {
    columns += "," + part + "." + figure;
  }
  return columns;
}

std::string kind_columns() {
  std::string columns;
  for (const std::string kind : kKinds) columns += part_columns("kinds." + kind);
  return columns;
}

constexpr const char* kNothing = ",0,0.0,0.0,1.0,0";

/// As sample studies do not say what their rows are there for.
std::string kind_cells() {
  std::string cells;
  for (std::size_t at = 0; at < kKinds.size(); ++at) cells += kNothing;
  return cells;
}

TEST(StudyCsv, Totals) {
  StudyResult study = test::small_study();
  study.totals.resize(1);
  study.totals.front().memory.weights = 5;
  study.totals.front().capacity_bytes = 4;
  study.totals.front().interval = {1.25, 1.5, true};
  study.totals.front().step_interval = {1.5, 1.75, false};
  study.totals.front().time_interval = {6000, 7000, false};
  std::string parts;
  for (const char* const part :
       {"forward", "dgrad", "wgrad", "gemms", "sparse_gemms", "other", "optimizer", "scheme_work",
        "step", "step_without_work", "training", "always"}) {
    parts += part_columns(part);
  }
  const std::string half = ",3000000,3000.0,3000.0,1.0,0";
  const std::string step = ",6250000,6250.0,6250.0,1.0,0";
  EXPECT_EQ(
      totals_to_csv(study),
      "machine,network,scheme,pass,stack,framework,products_only,attention,clock_mhz,clock_of,"
      "dense_watts,joules,"
      "dense_"
      "joules,"
      "share_of_training,complete,speedup,gemm_speedup,"
      "speedup_interval.low,speedup_interval.high,speedup_interval.assumed,verdict,"
      "step_interval.low,step_interval.high,step_interval.assumed,"
      "time_interval.low,time_interval.high,time_interval.assumed,"
      "dense_time_interval.low,dense_time_interval.high,dense_time_interval.assumed,"
      "sparse_share.forward,sparse_share.dgrad,sparse_share.wgrad,sparse_share.gemms" +
          parts +
          ",measured,kernels_us,dense_kernels_us,kernels_speedup,kernels_interval.low,"
          "kernels_interval.high,kernels_interval.assumed" +
          kind_columns() +
          ",memory.weights_bytes,memory.compressed_bytes,memory.metadata_bytes,memory.masks_bytes,"
          "memory.gradients_bytes,memory.optimizer_bytes,memory.activations_bytes,"
          "memory.working_bytes,memory.total_bytes,memory.capacity_bytes,memory.fits"
          "\r\n"
          "a100,mlp,dense,training,,,false,none,0.0,machine,0.0,0.0,0.0,1.0,true,1.0,1.0,1.25,1.5,"
          "true,"
          "faster,"
          "1.5,1.75,false,6000.0,7000.0,false,0.0,0.0,false,0.0,0.0,0.0,0.0" +
          half + half + kNothing + ",6000000,6000.0,6000.0,1.0,0" + kNothing +
          ",250000,250.0,250.0,1.0,0" + kNothing + kNothing + step + step + step + kNothing +
          ",false,0.0,0.0,1.0,0.0,0.0,false" + kind_cells() +
          ",5,0,0,0,0,0,0,0,5,4,false"
          "\r\n");
}

ordered_json whole(const StudyResult& study) {
  return parse_json(study_to_json(study), "study.json");
}

ordered_json folded(const StudyResult& study) {
  return parse_json(study_to_folded_json(study), "results.json");
}

/// "sr-ste" has another forward; dgrad and relu are those of dense.
TEST(FoldedRows, NameTheSchemesUnderWhichARowIsTheSame) {
  const StudyResult study = test::small_study();
  std::vector<std::string> rows;
  for (const FoldedRow& one : folded_rows(study.rows)) {
    rows.push_back(one.row->op + " " + std::string(to_string(one.row->phase)) + " " +
                   one.scheme_names());
  }
  EXPECT_THAT(rows, testing::ElementsAre("gemm forward dense", "gemm dgrad dense;sr-ste",
                                         "relu other dense;sr-ste", "gemm forward sr-ste"));
}

TEST(FoldedStudy, IsTheStudyAgainKeyForKey) {
  StudyResult study = test::small_study();
  study.rows.at(3).sampled = SampledRow{0.5, 1, 2};
  study.rows.at(4).regret_at_most = 0.25;
  const ordered_json document = folded(study);
  EXPECT_EQ(document["schema"], "stcsim.study_folded/1");
  EXPECT_EQ(document["results"]["rows"].size(), 5U);
  EXPECT_EQ(document["results"]["order"],
            ordered_json::parse(R"([{"scheme":"dense","rows":[0,1,2]},)"
                                R"({"scheme":"sr-ste","rows":[3,4,2]}])"));
  EXPECT_EQ(document["launches"].size(), 2U);
  EXPECT_EQ(unfolded_study(document, "results.json").dump(), whole(study).dump());
}

TEST(FoldedStudy, LeavesOtherDocumentsAsTheyAre) {
  const ordered_json study = whole(test::small_study());
  EXPECT_EQ(unfolded_study(study, "study.json"), study);
  EXPECT_EQ(unfolded_study(ordered_json::array(), "a.json"), ordered_json::array());
}

TEST(FoldedStudy, RefusesPartsThatDoNotBelongTogether) {
  ordered_json document = folded(test::small_study());
  document["results"]["order"][0]["rows"][0] = 99;
  try {
    static_cast<void>(unfolded_study(document, "results.json"));
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                testing::StartsWith("results.json: error: 'results' and 'launches' do "
                                    "not belong together"));
  }
}

TEST(FoldedCsv, HasARowForEachDifferentOne) {
  const std::string csv = results_to_folded_csv(test::small_study());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  EXPECT_NE(csv.find("\r\na100,mlp,fc1,dgrad,dense;sr-ste,gemm,"), std::string::npos);
}

}  // namespace
}  // namespace stcsim
