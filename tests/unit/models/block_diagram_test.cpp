#include "models/accelerator/block_diagram.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AcceleratorConfig two_sms() {
  AcceleratorConfig config = test::tiny_machine().accelerator;
  config.num_sms = 2;
  config.sm.sub_cores = 2;
  return config;
}

std::vector<std::string> names_of(const std::vector<ActiveUnit*>& units) {
  std::vector<std::string> names;
  for (const ActiveUnit* const unit : units) names.emplace_back(unit->name());
  return names;
}

template <class Object>
bool is_there(const std::string& path) {
  return dynamic_cast<Object*>(sc_core::sc_find_object(path.c_str())) != nullptr;
}

TEST(BlockDiagram, IsTheTreeOfObjects) {
  const BlockDiagram machine("accelerator", two_sms(), 0);
  for (const char* path :
       {"accelerator", "accelerator.dram", "accelerator.dram.channel0",
        "accelerator.l2_cache.read_path", "accelerator.l2_cache.slice0",
        "accelerator.memory_bus.write_port1", "accelerator.sm1", "accelerator.sm1.cta_slots",
        "accelerator.sm0.sub_core1", "accelerator.sm0.sub_core1.warp_scheduler",
        "accelerator.sm0.sub_core1.tensor_core.multipliers"}) {
    EXPECT_TRUE(is_there<Unit>(path)) << path;
  }
  for (const char* path : {"accelerator.sm0.copy_engine.loads", "accelerator.sm0.loads",
                           "accelerator.cta_scheduler.assignments",
                           "accelerator.sm0.sub_core0.warp_scheduler.matrix_instructions",
                           "accelerator.sm0.sub_core0.warp_scheduler.vector_instructions",
                           "accelerator.sm0.sub_core0.register_file.next",
                           "accelerator.sm0.sub_core0.tensor_core.metadata_buffer.next",
                           "accelerator.sm0.sub_core0.tensor_core.operand_selector.next"}) {
    EXPECT_TRUE(is_there<sc_core::sc_port_base>(path)) << path;
  }
  for (const char* path : {"accelerator.l2_cache.loads", "accelerator.sm0.fills",
                           "accelerator.sm0.shared_memory.fills"}) {
    EXPECT_TRUE(is_there<sc_core::sc_export_base>(path)) << path;
  }
  EXPECT_FALSE(is_there<Unit>("accelerator.sm_router"));
}

/// Processes of the object and of all below it.
std::int64_t processes_in(const std::string& path) {
  const sc_core::sc_object* const object = sc_core::sc_find_object(path.c_str());
  std::int64_t count = 0;
  for (const sc_core::sc_object* const child : object->get_child_objects()) {
    count += std::string(child->kind()) == "sc_method_process" ? 1 : processes_in(child->name());
  }
  return count;
}

/// Where stages pass messages, each sub-core has a process, and all of its stages and their ports
/// are there; else only the SM has one.
TEST(BlockDiagram, SubCoresThatPassMessagesHaveAProcessEach) {
  AcceleratorConfig staged = two_sms();
  staged.sm.detail = Detail::stages;
  const BlockDiagram closed_form("closed", two_sms(), 0);
  const BlockDiagram by_stages("staged", staged, 0);
  EXPECT_EQ(processes_in("closed.sm0"), 1);
  EXPECT_EQ(processes_in("closed.sm0.sub_core1"), 0);
  EXPECT_EQ(processes_in("staged.sm0"), 1 + 2);
  EXPECT_EQ(processes_in("staged.sm0.sub_core1"), 1);
  for (const char* path : {"metadata_decoder", "accumulators"}) {
    EXPECT_TRUE(is_there<Unit>(std::string("staged.sm1.sub_core0.tensor_core.") + path)) << path;
    EXPECT_FALSE(is_there<Unit>(std::string("closed.sm1.sub_core0.tensor_core.") + path)) << path;
  }
  for (const char* path :
       {"metadata_buffer", "metadata_decoder", "operand_selector", "multipliers"}) {
    EXPECT_TRUE(is_there<sc_core::sc_port_base>(std::string("staged.sm1.sub_core0.tensor_core.") +
                                                path + ".next"))
        << path;
  }
}

/// Whatever order they were built in, so that states and copies agree.
TEST(BlockDiagram, SmsHaveTheirUnitsInTheSameOrder) {
  const BlockDiagram machine("accelerator", two_sms(), 77);
  for (const std::string sm : {"accelerator.sm0", "accelerator.sm1"}) {
    const std::size_t index = sm.back() == '0' ? 0 : 1;
    EXPECT_THAT(names_of(machine.sms[index]->units()),
                ElementsAre(sm + ".copy_engine", sm + ".cta_slots", sm + ".epilogue",
                            sm + ".shared_memory", sm + ".sub_core0", sm + ".sub_core1"));
  }
  EXPECT_EQ(machine.shared_units().size(), 4U);
}

/// A copy engine in a box, whose loads lead nowhere.
class Box : public Unit {
 public:
  explicit Box(const sc_core::sc_module_name& name) : Unit(name, {"box", "for tests"}) {
    const ScheduledUnit::Place here{agenda, {}};
    copy_engine = std::make_unique<Scheduled<CopyEngine>>("copy_engine", here, CopyEngineConfig(),
                                                          0, Cycles(1));
  }

  UnitAgenda agenda;
  std::unique_ptr<Scheduled<CopyEngine>> copy_engine;
};

std::string error_of_elaboration() {
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (const sc_core::sc_report& report) {
    return report.what();
  }
  return "";
}

TEST(Ports, AForgottenWireIsAnErrorThatNamesItsPath) {
  const Box box("box");
  const std::string text = error_of_elaboration();
  EXPECT_THAT(text, HasSubstr("port not bound"));
  EXPECT_THAT(text, HasSubstr("'box.copy_engine.loads'"));
}

/// A register file that nothing takes instructions from.
TEST(Ports, SoIsAForgottenWireBetweenStages) {
  RegisterFile core{OperandFetchConfig()};
  const InnerUnit<RegisterFile> unit("register_file", RegisterFile::kKind, core);
  const std::string text = error_of_elaboration();
  EXPECT_THAT(text, HasSubstr("port not bound"));
  EXPECT_THAT(text, HasSubstr("'register_file.next'"));
}

}  // namespace
}  // namespace stcsim
