#include "models/base/state_visitor.hpp"
#include "tests/unit/models/memory_bus_fixture.hpp"

namespace stcsim::test {
namespace {

/// A: 120 bytes, on the port 100 .. 103; B: 30 bytes, 103 .. 104. Seen by the SM from 111 to 114.
TEST_F(MemoryBusTest, TwoOperandsMakeAStage) {
  give(0, 0, 120, 30);
  data(100, 100, Operand::a, 3);
  run();
  EXPECT_TRUE(fills_.sent.empty());
  data(100, 100, Operand::b, 3);
  run();
  ASSERT_EQ(fills_.arrivals(), std::vector<std::int64_t>{114});
  const StageFill& fill = fills_.sent[0].message;
  EXPECT_EQ(fill.since, Cycle(111));
  EXPECT_EQ(fill.slot, 0);
  EXPECT_EQ(fill.step, 3);
  EXPECT_EQ(fill.sms, SmSets::alone(0));
}

/// All SMs together get 100 bytes/clk: three that run CTAs 33 each, two or one what a port carries.
TEST_F(MemoryBusTest, SmsThatRunShareWhatAllGetTogether) {
  MemoryBusConfig config{10, 50, 20};
  KernelLaunch launch = kernel();
  const auto read = [&](std::int64_t ctas) {
    launch.tiles_m = ctas;
    return MemoryBus::read_bytes_per_clk(config, launch, 3);
  };
  EXPECT_EQ(read(4), 50);
  config.read_bytes_per_clk = 100;
  EXPECT_EQ(read(1), 50);
  EXPECT_EQ(read(2), 50);
  EXPECT_EQ(read(3), 33);
  EXPECT_EQ(read(4), 33);
  config.read_bytes_per_clk = 2;
  EXPECT_EQ(read(3), 1);
}

/// 120 bytes of A take 4 cycles at 33 bytes/clk, 100 .. 104, 30 of B one more.
TEST_F(MemoryBusTest, AStageTakesItsShareOfWhatAllGet) {
  MemoryBus core(MemoryBusConfig{10, 50, 20, 100}, sets_, resident_);
  core.to_shared_memory = &fills_;
  KernelLaunch launch = kernel();
  launch.tiles_m = 3;
  core.launch(launch);
  resident_.launch(launch, 3);
  give(0, 0, 120, 30);
  for (const Operand operand : {Operand::a, Operand::b}) {
    core.load_data.push(Cycle(100), 0, {0, operand, 3, Cycle(100), SmSets::alone(0)});
  }
  run_core(core, Cycle(100), Cycle(100));
  ASSERT_EQ(fills_.arrivals(), std::vector<std::int64_t>{105 + 10});
}

/// A comes from 100 to 150 and needs 3 cycles of the port; B, 110 .. 113, is through before it.
TEST_F(MemoryBusTest, AStageIsFullWhenTheSlowerOperandIsIn) {
  give(0, 0, 120, 150);
  data(100, 150, Operand::a, 0);
  data(110, 110, Operand::b, 0);
  run();
  ASSERT_EQ(fills_.arrivals(), std::vector<std::int64_t>{151 + 10});
  EXPECT_EQ(fills_.sent[0].message.since, Cycle(111));
}

/// An operand without bytes passes at 101, the other one at 106.
TEST_F(MemoryBusTest, AStageBeginsWithTheFirstByteOfEither) {
  give(0, 0, 0, 50);
  data(100, 100, Operand::a, 0);
  data(105, 105, Operand::b, 0);
  run();
  ASSERT_EQ(fills_.arrivals(), std::vector<std::int64_t>{106 + 10});
  EXPECT_EQ(fills_.sent[0].message.since, Cycle(101 + 10));
}

/// SM 0: slot 0 100 .. 102 .. 104, slot 1 .. 105 .. 106. SM 1 has its own port.
TEST_F(MemoryBusTest, LoadsShareThePortOfTheirSm) {
  give(0, 0, 100, 100);
  stage(100, 0, {0}, 0);
  stage(100, 0, {0}, 1);
  stage(100, 0, {1}, 0);
  run();
  EXPECT_EQ(fills_.arrivals(), (std::vector<std::int64_t>{112, 114, 116}));
  EXPECT_EQ(fills_.sent[0].message.sms, SmSets::alone(1));
  EXPECT_EQ(fills_.sent[2].message.slot, 1);
  EXPECT_EQ(fills_.sent[2].message.since, Cycle(105 + 10));
  EXPECT_EQ(bucket(core_.read_port(0), Cycle(120), "busy"), 6);
  EXPECT_EQ(bucket(core_.read_port(0), Cycle(120), "idle"), 114);
  EXPECT_EQ(bucket(core_.read_port(1), Cycle(120), "busy"), 2);
  EXPECT_EQ(bucket(core_.read_port(2), Cycle(120), "busy"), 0);
  EXPECT_EQ(bucket(core_.write_port(0), Cycle(120), "busy"), 0);
}

TEST_F(MemoryBusTest, StepsAndSlotsFillStagesOfTheirOwn) {
  data(100, 100, Operand::a, 0);
  data(101, 101, Operand::a, 1);
  data(102, 102, Operand::a, 0, {0}, 1);
  run();
  EXPECT_TRUE(fills_.sent.empty());
  data(110, 110, Operand::b, 1);
  data(120, 120, Operand::b, 0);
  run();
  ASSERT_EQ(fills_.arrivals(), (std::vector<std::int64_t>{121, 131}));
  EXPECT_EQ(fills_.sent[0].message.step, 1);
  EXPECT_EQ(fills_.sent[1].message.step, 0);
}

TEST_F(MemoryBusTest, AStageIsFilledAgain) {
  stage(100, 0, {0});
  stage(200, 2, {0});
  run();
  ASSERT_EQ(fills_.arrivals(), (std::vector<std::int64_t>{112, 212}));
  EXPECT_EQ(fills_.sent[1].message.step, 2);
  EXPECT_EQ(fills_.sent[1].message.since, Cycle(211));
}

TEST_F(MemoryBusTest, SmsThatFillAlikeAreToldTogether) {
  stage(100, 0, {0, 1, 2});
  run();
  ASSERT_EQ(fills_.arrivals(), std::vector<std::int64_t>{112});
  EXPECT_EQ(filled(0), (SmNumbers{0, 1, 2}));
}

/// What is equal is sent as one also when it came in separate messages.
TEST_F(MemoryBusTest, EqualFillsOfDifferentMessagesAreToldTogether) {
  data(100, 100, Operand::a, 0, {0, 2});
  data(100, 100, Operand::a, 0, {1});
  data(100, 100, Operand::b, 0, {0, 1, 2});
  run();
  ASSERT_EQ(fills_.arrivals(), std::vector<std::int64_t>{112});
  EXPECT_EQ(filled(0), (SmNumbers{0, 1, 2}));
}

/// SM 1's port is taken until 104 by the other slot's operand.
TEST_F(MemoryBusTest, SmsThatFillAtDifferentTimesAreToldApart) {
  give(1, 1, 200, 50);
  data(100, 100, Operand::a, 0, {1}, 1);
  stage(100, 0, {0, 1, 2});
  run();
  ASSERT_EQ(fills_.arrivals(), (std::vector<std::int64_t>{112, 116}));
  EXPECT_EQ(filled(0), (SmNumbers{0, 2}));
  EXPECT_EQ(filled(1), SmNumbers{1});
}

/// Both are full at 111, but SM 1's first byte came 49 cycles before SM 0's.
TEST_F(MemoryBusTest, SmsWhoseDataBeganAtDifferentTimesAreToldApart) {
  data(50, 50, Operand::a, 0, {1});
  data(99, 99, Operand::a, 0, {0});
  data(100, 100, Operand::b, 0, {0, 1});
  run();
  ASSERT_EQ(fills_.arrivals(), (std::vector<std::int64_t>{111, 111}));
  EXPECT_EQ(fills_.sent[0].message.since, Cycle(61));
  EXPECT_EQ(filled(0), SmNumbers{1});
  EXPECT_EQ(fills_.sent[1].message.since, Cycle(110));
  EXPECT_EQ(filled(1), SmNumbers{0});
}

/// Of an edge tile only what exists is on the port. SM 0: 100 .. 104 .. 105; SM 1: .. 103 .. 104.
TEST_F(MemoryBusTest, AnEdgeTilesDataTakeLessOfThePort) {
  give(0, 0, 200, 50);
  give(1, 0, 120, 50);
  stage(100, 0, {0, 1});
  run();
  EXPECT_EQ(fills_.arrivals(), (std::vector<std::int64_t>{114, 115}));
  EXPECT_EQ(filled(0), SmNumbers{1});
  EXPECT_EQ(filled(1), SmNumbers{0});
  EXPECT_EQ(bucket(core_.read_port(0), Cycle(120), "busy"), 5);
  EXPECT_EQ(bucket(core_.read_port(1), Cycle(120), "busy"), 4);
}

/// Where the data come more slowly than the port could take them, the edge tile is no earlier: A
/// until 141, B 141 .. 142.
TEST_F(MemoryBusTest, AnEdgeTileAndAFullOneThatAwaitTheSameFillTogether) {
  give(0, 0, 200, 50);
  give(1, 0, 120, 50);
  data(100, 140, Operand::a, 0, {0, 1});
  data(141, 141, Operand::b, 0, {0, 1});
  run();
  ASSERT_EQ(fills_.arrivals(), std::vector<std::int64_t>{142 + 10});
  EXPECT_EQ(filled(0), (SmNumbers{0, 1}));
  EXPECT_EQ(fills_.sent[0].message.since, Cycle(101 + 10));
  EXPECT_EQ(bucket(core_.read_port(0), Cycle(200), "busy"), 5);
  EXPECT_EQ(bucket(core_.read_port(1), Cycle(200), "busy"), 4);
}

/// The last k-step has 100 bytes of A and 50 of B: 100 .. 102 .. 103 instead of .. 104 .. 106.
TEST_F(MemoryBusTest, TheLastStepOfKIsShorter) {
  give(0, 0, 200, 100);
  stage(100, 7, {0});
  run();
  stage(200, 6, {0});
  run();
  EXPECT_EQ(fills_.arrivals(), (std::vector<std::int64_t>{113, 216}));
}

TEST_F(MemoryBusTest, EmptyLoadsTakeOneCycleAndTheHop) {
  give(0, 0, 0, 0);
  stage(7, 0, {0});
  run();
  EXPECT_EQ(fills_.arrivals(), std::vector<std::int64_t>{18});
}

TEST_F(MemoryBusTest, LaunchFreesThePortsAndTheStages) {
  give(0, 0, 5000, 50);
  data(0, 0, Operand::a, 0);
  store(0, 0, 0, 1000, {0});
  run();
  core_.launch(kernel());
  give(0, 0, 50, 50);
  stage(0, 0, {0});
  store(0, 0, 0, 20, {0});
  run();
  EXPECT_EQ(fills_.arrivals(), std::vector<std::int64_t>{12});
  EXPECT_EQ(accepted_.arrivals(), (std::vector<std::int64_t>{50, 1}));
}

/// What the bus says of itself at `now` to a comparison of k-steps, the copy engine of SM 0 being
/// about to load `next_step` in both slots.
std::vector<std::int64_t> state_of(MemoryBus& bus, std::int64_t now, std::int64_t next_step) {
  StateOrigin origin;
  origin.now = Cycle(now);
  origin.slots_per_sm = 2;
  origin.slot_steps = {next_step, next_step, 0, 0, 0, 0};
  DescribedState described;
  StateWriter writer(StateWriter::Kind::same_ctas, origin, described);
  bus.visit_state(writer);
  writer.finish();
  return described.state;
}

/// Steps 1 and 2 begun, and 2 and 3: the same, a step later, though they lie elsewhere in the ring.
TEST_F(MemoryBusTest, StagesAreDescribedFromTheEarliestStepOn) {
  data(100, 100, Operand::a, 1);
  data(105, 105, Operand::b, 2);
  run();
  const auto before = state_of(core_, 110, 3);
  EXPECT_NE(state_of(core_, 110, 4), before);
  EXPECT_NE(state_of(core_, 111, 3), before);
  core_.launch(kernel());
  data(200, 200, Operand::a, 2);
  data(205, 205, Operand::b, 3);
  run();
  EXPECT_EQ(state_of(core_, 210, 4), before);
}

/// The epilogue goes on when its bytes have left the SM; the cache sees them a hop later.
TEST_F(MemoryBusTest, StoresTakeTheWritePort) {
  store(5, 0, 0, 100, {0});  // 5 .. 10
  store(6, 1, 0, 40, {0});   // 10 .. 12
  run();
  EXPECT_EQ(accepted_.arrivals(), (std::vector<std::int64_t>{10, 12}));
  EXPECT_EQ(accepted_.sent[0].message.slot, 0);
  EXPECT_EQ(accepted_.sent[1].message.slot, 1);
  EXPECT_EQ(stores_.arrivals(), (std::vector<std::int64_t>{20, 22}));
  EXPECT_EQ(stored(), (std::vector<std::int64_t>{100, 40}));
  EXPECT_EQ(bucket(core_.write_port(0), Cycle(100), "busy"), 7);
  EXPECT_EQ(bucket(core_.read_port(0), Cycle(100), "busy"), 0);
}

/// SM 1 is still sending until 9: of three equal stores two are through at 11, the third at 15. The
/// cache is told of all bytes that come at the same time at once.
TEST_F(MemoryBusTest, EqualStoresAreSentTogetherAndOthersApart) {
  store(4, 1, 0, 100, {1});
  store(5, 0, 0, 120, {0, 1, 2});
  run();
  EXPECT_EQ(accepted_.arrivals(), (std::vector<std::int64_t>{9, 11, 15}));
  EXPECT_EQ(accepted(1), (SmNumbers{0, 2}));
  EXPECT_EQ(accepted(2), SmNumbers{1});
  EXPECT_EQ(stores_.arrivals(), (std::vector<std::int64_t>{19, 21, 25}));
  EXPECT_EQ(stored(), (std::vector<std::int64_t>{100, 2 * 120, 120}));
}

/// SM 1's tile has 600 of 1000 bytes: of either half 300, 15 cycles of the port instead of 25.
TEST_F(MemoryBusTest, OfAnEdgeTileTheValidBytesAreStored) {
  give(1, 0, 50, 50, 600);
  store(0, 0, 0, 500, {0, 1});
  store(100, 0, 500, 500, {0, 1});
  run();
  EXPECT_EQ(accepted_.arrivals(), (std::vector<std::int64_t>{15, 25, 115, 125}));
  EXPECT_EQ(accepted(0), SmNumbers{1});
  EXPECT_EQ(accepted(1), SmNumbers{0});
  EXPECT_EQ(stores_.arrivals(), (std::vector<std::int64_t>{25, 35, 125, 135}));
  EXPECT_EQ(stored(), (std::vector<std::int64_t>{300, 500, 300, 500}));
  EXPECT_EQ(bucket(core_.write_port(0), Cycle(200), "busy"), 50);
  EXPECT_EQ(bucket(core_.write_port(1), Cycle(200), "busy"), 30);
}

/// 100 bytes and, of the edge tile, 90 take the port for 5 cycles each: the SMs stay together, and
/// the cache gets 290 bytes.
TEST_F(MemoryBusTest, AnEdgeTileThatTakesAsLongStaysWithTheOthers) {
  give(1, 0, 50, 50, 900);
  store(0, 0, 300, 100, {0, 1, 2});
  run();
  ASSERT_EQ(accepted_.arrivals(), std::vector<std::int64_t>{5});
  EXPECT_EQ(accepted(0), (SmNumbers{0, 1, 2}));
  EXPECT_EQ(stores_.arrivals(), std::vector<std::int64_t>{15});
  EXPECT_EQ(stored(), std::vector<std::int64_t>{100 + 90 + 100});
}

/// Slots are told apart, also where they are through at the same time; the cache does not care.
TEST_F(MemoryBusTest, StoresOfDifferentSlotsAreAcceptedApart) {
  store(0, 0, 0, 100, {0});
  store(0, 1, 0, 100, {1});
  run();
  EXPECT_EQ(accepted_.arrivals(), (std::vector<std::int64_t>{5, 5}));
  EXPECT_EQ(accepted(0), SmNumbers{0});
  EXPECT_EQ(accepted(1), SmNumbers{1});
  EXPECT_EQ(stored(), std::vector<std::int64_t>{200});
}

/// The only byte of a tile of 1000 leaves with the last chunk. A chunk without any takes a cycle,
/// and nothing of it comes to the cache.
TEST_F(MemoryBusTest, AChunkWithoutValidBytesIsOnlyAccepted) {
  give(0, 0, 50, 50, 1);
  store(0, 0, 0, 500, {0});
  store(10, 0, 500, 500, {0});
  run();
  EXPECT_EQ(accepted_.arrivals(), (std::vector<std::int64_t>{1, 11}));
  EXPECT_EQ(stores_.arrivals(), std::vector<std::int64_t>{11 + 10});
  EXPECT_EQ(stored(), std::vector<std::int64_t>{1});
}

}  // namespace
}  // namespace stcsim::test
