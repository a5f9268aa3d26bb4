#include "reports/launch_json.hpp"

#include <nlohmann/json.hpp>

#include "common/io/json_fields.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kInstances = "instances";

constexpr std::array<JsonField<KernelReport>, 11> kKernelFields{{
    {"name", &KernelReport::name},
    {"tile_m", &KernelReport::tile_m},
    {"tile_n", &KernelReport::tile_n},
    {"tile_k", &KernelReport::tile_k},
    {"stages", &KernelReport::stages},
    {"warps", &KernelReport::warps},
    {"instruction", &KernelReport::instruction},
    {"split_k", &KernelReport::split_k},
    {"ctas", &KernelReport::ctas},
    {"ctas_per_sm", &KernelReport::ctas_per_sm},
    {"waves", &KernelReport::waves},
}};

constexpr std::array<JsonField<TrafficReport>, 8> kTrafficFields{{
    {"shared_memory_read_bytes", &TrafficReport::shared_memory_read_bytes},
    {"shared_memory_write_bytes", &TrafficReport::shared_memory_write_bytes},
    {"l2_read_bytes", &TrafficReport::l2_read_bytes},
    {"l2_hit_bytes", &TrafficReport::l2_hit_bytes},
    {"l2_write_bytes", &TrafficReport::l2_write_bytes},
    {"dram_read_bytes", &TrafficReport::dram_read_bytes},
    {"dram_write_bytes", &TrafficReport::dram_write_bytes},
    {"metadata_bytes", &TrafficReport::metadata_bytes},
}};

UnitReport read_unit(const std::string& name, const JsonReader& object) {
  UnitReport unit{name, 0, {}};
  object.read(kInstances, unit.instances);
  for (const std::string& bucket : object.keys()) {
    if (bucket == kInstances) continue;
    std::int64_t cycles = 0;
    object.read(bucket, cycles);
    unit.buckets.emplace_back(bucket, cycles);
  }
  return unit;
}

}  // namespace

ordered_json kernel_json(const KernelReport& kernel) {
  ordered_json object = ordered_json::object();
  write_fields(object, kernel, kKernelFields);
  return object;
}

KernelReport read_kernel(const JsonReader& object) {
  KernelReport kernel;
  read_fields(object, kernel, kKernelFields);
  return kernel;
}

ordered_json traffic_json(const TrafficReport& traffic) {
  ordered_json object = ordered_json::object();
  write_fields(object, traffic, kTrafficFields);
  return object;
}

TrafficReport read_traffic(const JsonReader& object) {
  TrafficReport traffic;
  read_fields(object, traffic, kTrafficFields);
  return traffic;
}

ordered_json buckets_json(const std::vector<UnitReport>& units) {
  ordered_json object = ordered_json::object();
  for (const UnitReport& unit : units) {
    ordered_json& entry = object[unit.unit];
    entry[std::string(kInstances)] = unit.instances;
    for (const auto& [bucket, cycles] : unit.buckets) entry[bucket] = cycles;
  }
  return object;
}

std::vector<UnitReport> read_buckets(const JsonReader& object) {
  std::vector<UnitReport> units;
  for (const std::string& name : object.keys())
    units.push_back(read_unit(name, object.object(name)));
  return units;
}

}  // namespace stcsim
