// What trainings are made of, and how long they take: every figure worked out by hand.
#include <stdexcept>

#include <gtest/gtest.h>

#include "curves/time_to_accuracy.hpp"

namespace stcsim::curves {
namespace {

using Sections = std::vector<Section>;

TEST(Sections, OfDenseTrainingAreDense) {
  EXPECT_EQ(sections_of({}, {90}), (Sections{{SectionKind::dense, 0, 90}}));
  EXPECT_EQ(sections_of({.warm_up_epochs = 5}, {90}), (Sections{{SectionKind::dense, 0, 90}}));
}

TEST(Sections, OfASchemeThatIsSparseThroughoutAreSparse) {
  EXPECT_EQ(sections_of({.sparse_share = 1}, {90}), (Sections{{SectionKind::sparse, 0, 90}}));
}

TEST(Sections, SparseThenDenseAsInFst) {
  EXPECT_EQ(sections_of({.sparse_share = 0.75}, {300}),
            (Sections{{SectionKind::sparse, 0, 225}, {SectionKind::dense, 0, 75}}));
}

TEST(Sections, DenseThenSparseAsInStep) {
  EXPECT_EQ(sections_of({.sparse_share = 0.25, .dense_first = true}, {80}),
            (Sections{{SectionKind::dense, 0, 60}, {SectionKind::sparse, 0, 20}}));
}

TEST(Sections, ADenseTrainingBeforeAsInAsp) {
  EXPECT_EQ(sections_of({.sparse_share = 1, .dense_before = true}, {90}),
            (Sections{{SectionKind::dense_before, 0, 90}, {SectionKind::sparse, 0, 90}}));
}

TEST(Sections, WarmUpEpochsAreDenseWhateverTheSchemeDoes) {
  EXPECT_EQ(sections_of({.sparse_share = 0.5, .warm_up_epochs = 10}, {80}),
            (Sections{{SectionKind::warm_up, 0, 10},
                      {SectionKind::sparse, 0, 30},
                      {SectionKind::dense, 0, 40}}));
  EXPECT_EQ(sections_of({.sparse_share = 0.5, .dense_first = true, .warm_up_epochs = 10}, {80}),
            (Sections{{SectionKind::warm_up, 0, 10},
                      {SectionKind::dense, 0, 30},
                      {SectionKind::sparse, 0, 40}}));
}

TEST(Sections, AWarmUpLongerThanTheSparsePartLeavesNothingOfIt) {
  EXPECT_EQ(sections_of({.sparse_share = 0.25, .warm_up_epochs = 30}, {80}),
            (Sections{{SectionKind::warm_up, 0, 30}, {SectionKind::dense, 0, 50}}));
  EXPECT_EQ(sections_of({.sparse_share = 1, .warm_up_epochs = 100}, {80}),
            (Sections{{SectionKind::warm_up, 0, 80}}));
}

/// SDGP's ImageNet training: from resolution 160 to 192.
TEST(Sections, AreCutWhereTheNetworkChanges) {
  EXPECT_EQ(sections_of({.sparse_share = 0.5, .warm_up_epochs = 4}, {64, 24}),
            (Sections{{SectionKind::warm_up, 0, 4},
                      {SectionKind::sparse, 0, 40},
                      {SectionKind::dense, 0, 20},
                      {SectionKind::dense, 1, 24}}));
  EXPECT_EQ(sections_of({.sparse_share = 1, .dense_before = true}, {64, 24}),
            (Sections{{SectionKind::dense_before, 0, 64},
                      {SectionKind::dense_before, 1, 24},
                      {SectionKind::sparse, 0, 64},
                      {SectionKind::sparse, 1, 24}}));
}

TEST(Course, TakesItsStretchesOneAfterTheOther) {
  const TrainingCourse course({{10, 2}, {20, 3}});
  EXPECT_EQ(course.seconds_at(0), 0);
  EXPECT_EQ(course.seconds_at(4), 8);
  EXPECT_EQ(course.seconds_at(10), 20);
  EXPECT_EQ(course.seconds_at(15), 35);
  EXPECT_EQ(course.epochs(), 30);
  EXPECT_EQ(course.seconds(), 80);
}

TEST(Course, GoesOnAsItsLastStretchDid) {
  const TrainingCourse course({{10, 2}, {20, 3}});
  EXPECT_EQ(course.seconds_at(40), 110);
}

TEST(Course, WithoutEpochsOrTimeIsRefused) {
  EXPECT_THROW(TrainingCourse({}), std::invalid_argument);
  EXPECT_THROW(TrainingCourse({{0, 1}}), std::invalid_argument);
  EXPECT_THROW(TrainingCourse({{1, 0}}), std::invalid_argument);
}

}  // namespace
}  // namespace stcsim::curves
