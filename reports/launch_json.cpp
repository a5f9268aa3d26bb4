#include "reports/launch_json.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/io/json_reader.hpp"
#include "models/base/statistics.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kInstances = "instances";
constexpr std::string_view kTraffic = "traffic";
constexpr std::string_view kCounters = "counters";
constexpr std::string_view kByte = "byte";

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

bool is_known(const std::vector<Counter>& counters, std::string_view name) {
  return std::any_of(counters.begin(), counters.end(),
                     [&](const Counter& known) { return known.name == name; });
}

void read_counter(const JsonReader& object, std::string_view name, std::string_view unit,
                  std::vector<Counter>& into) {
  Counter& counter = into.emplace_back(Counter{std::string(name), std::string(unit), 0});
  object.read(name, counter.value);
}

/// Those of an object that have not been read.
void read_others(const JsonReader& object, std::string_view unit, std::vector<Counter>& into) {
  for (const std::string& name : object.keys()) {
    if (!is_known(into, name)) read_counter(object, name, unit, into);
  }
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

void write_counters(ordered_json& object, const std::vector<Counter>& counters) {
  ordered_json& traffic = object[std::string(kTraffic)] = ordered_json::object();
  ordered_json others = ordered_json::object();
  for (const Counter& counter : counters) {
    (counter.unit == kByte ? traffic : others[counter.unit])[counter.name] = counter.value;
  }
  if (!others.empty()) object[std::string(kCounters)] = std::move(others);
}

std::vector<Counter> read_counters(const JsonReader& object) {
  std::vector<Counter> counters;
  const JsonReader traffic = object.object(kTraffic);
  for (const std::string_view name : kTrafficCounters) read_counter(traffic, name, kByte, counters);
  read_others(traffic, kByte, counters);
  if (!object.has(kCounters)) return counters;
  const JsonReader others = object.object(kCounters);
  for (const std::string& unit : others.keys()) read_others(others.object(unit), unit, counters);
  return counters;
}

std::vector<Counter> all_counters(const std::vector<ResultRow>& rows) {
  std::vector<Counter> all;
  for (const std::string_view name : kTrafficCounters) {
    all.push_back({std::string(name), std::string(kByte), 0});
  }
  for (const ResultRow& row : rows) {
    for (const Counter& counter : row.counters) {
      if (!is_known(all, counter.name)) all.push_back({counter.name, counter.unit, 0});
    }
  }
  return all;
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
