#pragma once

#include <cstdint>

#include "common/config_field.hpp"
#include "models/copy_engine/copy_engine_config.hpp"
#include "models/epilogue/epilogue_config.hpp"
#include "models/shared_memory/shared_memory_config.hpp"
#include "models/sub_core/sub_core_config.hpp"

namespace stcsim {

/// One SM: the units inside it, and those of its sub-cores.
struct StreamingMultiprocessorConfig : SubCoreConfig {
  std::int64_t max_ctas = 32;
  std::int64_t max_warps = 64;
  /// 32-bit registers of the whole SM.
  std::int64_t registers = 65536;
  std::int64_t max_registers_per_thread = 255;
  /// Of the whole SM, for the accumulators and metadata of instructions that all its sub-cores run
  /// together, operands coming from shared memory (tcgen05); 0: accumulators are in registers.
  std::int64_t tensor_memory_bytes = 0;
  SharedMemoryConfig shared_memory;
  CopyEngineConfig copy_engine;
  EpilogueConfig epilogue;

  static void visit_fields(auto& self, auto& visitor) {
    using field::count;
    visitor.field(count("sub_cores", "each has a tensor core").from(1, 64).optional(),
                  self.sub_cores);
    visitor.field(count("max_ctas", "resident CTAs").from(1, 1024).optional(), self.max_ctas);
    visitor.field(count("max_warps", "resident warps; a stream kernel's CTA has 8")
                      .from(8, 1024)
                      .or_unlimited()
                      .optional(),
                  self.max_warps);
    visitor.field(field::of("registers", "32-bit registers", "of the whole SM")
                      .from(1, field::kMostBytes)
                      .more_is(Effect::faster)
                      .or_unlimited()
                      .optional(),
                  self.registers);
    visitor.field(field::of("max_registers_per_thread", "32-bit registers",
                            "what a thread's accumulators and fragments have to fit into")
                      .from(1, field::kMostUnits)
                      .more_is(Effect::faster)
                      .or_unlimited()
                      .optional(),
                  self.max_registers_per_thread);
    visitor.field(
        field::bytes("tensor_memory_bytes",
                     "holds accumulators and metadata of instructions that all sub-cores run "
                     "together (tcgen05); 0: they are in registers")
            .from(0, field::kMostBytes)
            .omitted("0"),
        self.tensor_memory_bytes, 0);
    visit_lanes(self, visitor);
    visit_units(self, visitor);
  }

  friend bool operator==(const StreamingMultiprocessorConfig&,
                         const StreamingMultiprocessorConfig&) = default;

 private:
  static void visit_lanes(auto& self, auto& visitor) {
    visitor.field(field::of("vector_lanes_per_sub_core", "operations/clk",
                            "non-tensor lanes; more than 32 take several warps")
                      .from(1, field::kMostUnits)
                      .more_is(Effect::faster)
                      .or_unlimited(),
                  self.vector_lanes_per_sub_core);
    visitor.field(field::of("integer_lanes_per_sub_core", "operations/clk",
                            "of these, lanes that compare, select and compute with integers")
                      .from(1, field::kMostUnits)
                      .more_is(Effect::faster)
                      .or_unlimited()
                      .omitted("all"),
                  self.integer_lanes_per_sub_core, field::kMostUnits);
    visitor.field(field::of("special_lanes_per_sub_core", "operations/clk",
                            "exponentials, of kernels of attention")
                      .from(1, field::kMostUnits)
                      .more_is(Effect::faster)
                      .without_effect("of attention alone")
                      .or_unlimited()
                      .omitted("4"),
                  self.special_lanes_per_sub_core, SubCoreConfig::kSpecialLanes);
  }
  static void visit_units(auto& self, auto& visitor) {
    using field::map;
    visitor.field(map("tensor_core", "one per sub-core"), self.tensor_core);
    visitor.field(map("operand_selector",
                      "one per sub-core, picks the values of B that the kept values of A meet"),
                  self.operand_selector);
    visitor.field(map("operand_fetch",
                      "one per sub-core, moves operands from registers into the tensor core"),
                  self.operand_fetch);
    visitor.field(map("shared_memory", "one per SM, with one port"), self.shared_memory);
    visitor.field(map("copy_engine", "one per SM, copies from global to shared memory"),
                  self.copy_engine);
    visitor.field(map("epilogue", "one per SM, moves a CTA's results out"), self.epilogue);
    visitor.field(
        field::one_of("detail",
                      "how the stages of a sub-core are simulated. `closed`: in closed "
                      "form, exact where all instructions of a launch are alike; `stages`: "
                      "event by event, every instruction a message from stage to stage",
                      Detail::stages)
            .omitted("`closed`"),
        self.detail, Detail::closed);
    visitor.field(field::text("queues",
                              "of `detail: stages`. `rigid`: an instruction is issued when the "
                              "slowest stage can take it, as in the closed form; a number, from 1: "
                              "so many may wait in front of each stage")
                      .or_number()
                      .omitted("`rigid`"),
                  self.queues, kRigidQueues);
  }
};

}  // namespace stcsim
