#pragma once

#include <cstdint>
#include <string>

#include "common/config_field.hpp"
#include "common/error.hpp"
#include "models/collectives/links_config.hpp"

namespace stcsim {

/// How many times as long kernels take beside a collective, which takes SMs and DRAM bandwidth.
struct BesideCollectives {
  double products = 1;
  double attention = 1;
  double others = 1;

  static void visit_fields(auto& self, auto& visitor) {
    const auto factor = [](std::string_view key, std::string_view help) {
      return field::of(key, "times", help).from(1, 100).more_is(Effect::slower).optional();
    };
    visitor.field(factor("products", "GEMMs of layers beside a collective, over alone"),
                  self.products);
    visitor.field(factor("attention", "those of attention"), self.attention);
    visitor.field(factor("others", "element-wise kernels, normalisation"), self.others);
  }
};

/// Several GPUs: configs/systems/*.yaml.
struct SystemConfig {
  std::string name;
  std::string description;
  std::string machine;
  std::int64_t gpus_per_node = 8;
  LinksConfig links;
  BesideCollectives beside;

  [[nodiscard]] std::int64_t nodes_of(std::int64_t gpus) const {
    return (gpus + gpus_per_node - 1) / gpus_per_node;
  }

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("name", "what results are filed under"), self.name);
    visitor.field(field::optional_text("description", "one line for `stcsim list`"),
                  self.description, "");
    visitor.field(field::text("machine", "name of each GPU's file"), self.machine);
    visitor.field(field::count("gpus_per_node", "GPUs of a node"), self.gpus_per_node);
    visitor.field(field::map("links", "between GPUs, and what the library makes of them"),
                  self.links);
    visitor.field(field::map("beside_collectives", "what kernels lose beside a collective")
                      .optional("nothing"),
                  self.beside);
  }
};

/// The system of that name or path, named at `where`.
/// @throws ConfigError with file:line:column
[[nodiscard]] SystemConfig load_system(const std::string& name, const SourceLocation& where = {});

}  // namespace stcsim
