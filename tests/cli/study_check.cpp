#include "tests/cli/study_check.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "common/config_field.hpp"
#include "tests/cli/tiny_experiment.hpp"
#include "tests/support/physics_check.hpp"

namespace stcsim {
namespace {

test::Ports ports_of(const nlohmann::json& machine) {
  const auto& hardware = machine.at("accelerator");
  const auto& sm = hardware.at("sm");
  const auto sms = hardware.at("num_sms").get<std::int64_t>();
  const auto value = [](const nlohmann::json& unit, const char* key) {
    constexpr std::int64_t kEnough = 1'000'000'000;
    const auto& number = unit.at(key);
    return number == kUnlimited ? kEnough : number.get<std::int64_t>();
  };
  const auto& memory = sm.at("shared_memory");
  const auto& bus = hardware.at("memory_bus");
  const auto& l2 = hardware.at("l2_cache");
  const std::int64_t port =
      std::min<std::int64_t>(value(memory, "banks") * value(memory, "bank_bytes"), 1'000'000'000);
  return {sms * port,
          sms * value(memory, "fill_bytes_per_clk"),
          sms * value(bus, "sm_read_bytes_per_clk"),
          sms * value(bus, "sm_write_bytes_per_clk"),
          value(l2, "read_bytes_per_clk"),
          value(l2, "write_bytes_per_clk"),
          value(hardware.at("dram"), "bytes_per_clk"),
          memory.value("has_fill_port", false)};
}

std::vector<Counter> moved_in(const nlohmann::json& row) {
  std::vector<Counter> moved;
  for (const auto& [name, bytes] : row.at("traffic").items()) {
    moved.push_back({name, "byte", bytes.get<std::int64_t>()});
  }
  return moved;
}

}  // namespace

std::vector<std::string> shipped(const std::string& folder) {
  const std::filesystem::path configs = std::filesystem::path(STCSIM_SOURCE_DIR) / "configs";
  std::vector<std::string> names;
  for (const std::string& file : files_in(configs / folder)) {
    const std::filesystem::path path = file;
    if (path.extension() == ".yaml") names.push_back(path.stem().string());
  }
  return names;
}

void expect_complete(const nlohmann::json& study) {
  EXPECT_TRUE(study.at("failures").empty());
  EXPECT_FALSE(study.at("results").empty());
  std::map<std::string, test::Ports> ports;
  for (const auto& machine : study.at("config").at("machines")) {
    ports[machine.at("name").get<std::string>()] = ports_of(machine);
  }
  for (const auto& row : study.at("results")) {
    SCOPED_TRACE(row.at("layer").get<std::string>() + " " + row.at("op").get<std::string>());
    const bool may_be_nothing = row.at("kind") == "launches";  // where only the dense step waits
    EXPECT_GE(row.at("cycles").get<std::int64_t>(), may_be_nothing ? 0 : 1) << row.at("layer");
    test::expect_ports_carry(ports.at(row.at("machine").get<std::string>()),
                             row.at("cycles").get<std::int64_t>(), moved_in(row));
    EXPECT_GE(row.at("utilization").get<double>(), 0.0) << row.at("layer");
    EXPECT_LE(row.at("utilization").get<double>(), 1.0) << row.at("layer");
  }
  for (const auto& total : study.at("totals")) {
    EXPECT_GT(total.at("step").at("cycles").get<std::int64_t>(), 0);
  }
}

}  // namespace stcsim
