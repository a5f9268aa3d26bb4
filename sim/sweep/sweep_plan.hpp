#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/gemm.hpp"
#include "sim/config/experiment.hpp"
#include "sim/kernel/library.hpp"
#include "sim/sweep/space.hpp"

namespace stcsim {

/// A machine of a sweep, with all that the axes say of it.
struct SweepMachine {
  MachineSpec spec;
  YamlNode node;
  /// SHA-256 of what it says, defaults written out.
  std::string digest;
};

/// Makes the machines of a space's points. Files are read once.
class MachineMaker {
 public:
  /// @param space  must outlive it
  explicit MachineMaker(const Space& space) : space_(space) {}

  /// @param values  a point's
  /// @throws ConfigError at what the machine cannot have
  [[nodiscard]] SweepMachine make(const Assignment& values);
  /// The machine alone.
  [[nodiscard]] MachineConfig config(const Assignment& values);

 private:
  [[nodiscard]] YamlNode node(const Assignment& values);

  const Space& space_;
  /// Entries of the list of machines, by their labels, with all that they extend.
  std::map<std::string, YamlNode> files_;
};

/// A network, scheme or framework of a sweep: read, and written out.
struct SweepPart {
  YamlNode node;
  /// SHA-256 of what it says, defaults written out.
  std::string digest;
};

/// One point: what it is made of. Points share their parts.
struct SweepPoint {
  PointKind kind = PointKind::gemm;
  /// SHA-256 of all that it is made of, with the values of its axes: what its result is kept under.
  std::string key;
  /// Its axes and the values' labels, in the space's order.
  std::vector<std::pair<std::string, std::string>> values;
  std::shared_ptr<const SweepMachine> machine;
  /// GEMM points: the GEMM, how its kernel is picked, and the clock if one is locked.
  GemmProblem gemm;
  /// How many such GEMMs there are: what it weighs in a design. A sweep simulates it once.
  std::int64_t repeat = 1;
  KernelPolicy policy;
  /// Whether it runs sparse also where dense is faster.
  SparseWhere where = SparseWhere::faster;
  std::optional<double> clock_mhz;
  /// Step points.
  std::shared_ptr<const SweepPart> network;
  std::shared_ptr<const SweepPart> scheme;
  std::shared_ptr<const SweepPart> framework;
  /// What is left of the experiment: plain keys, those that axes set among them.
  std::shared_ptr<const SweepPart> settings;
};

/// All points of a space: those of GEMMs, then those of steps, each in expand()'s order.
struct SweepPlan {
  Space space;
  std::vector<SweepPoint> points;
};

/// @throws ConfigError at the first value that cannot be: the file's place, and of which point
[[nodiscard]] SweepPlan plan_sweep(Space space);

/// The experiment that a step point stands for: its machine, network, scheme and framework, and
/// the scheme `dense` before it to compare with (unless it is dense itself).
[[nodiscard]] Experiment experiment_of(const SweepPoint& point);
/// Of several step points that differ in their schemes only, and in these by name: one experiment
/// in which each scheme does what it does in an experiment of its own.
[[nodiscard]] Experiment experiment_of(const std::vector<const SweepPoint*>& points);
/// "" where the scheme does not say.
[[nodiscard]] std::string scheme_name(const SweepPoint& point);

/// What a space's points of one kind have on each axis (Space::axes), in a fixed order: the
/// dimensions' cross product, the last one fastest, or a sample in the order it is drawn; without
/// what a constraint excludes, and each once.
///
/// A random sample is drawn until it has as many points as are asked for, or all, or hardly finds
/// others. A Latin hypercube has one point in each of as many equal slices of every dimension; what
/// is excluded, or is there already, is left out of it. The same seed gives the same points
/// everywhere (64-bit Mersenne Twister, 53 bits a draw; dimensions that do not concern the kind are
/// not drawn).
/// @throws ConfigError if the space has more than kMostPoints, or none
[[nodiscard]] std::vector<Assignment> expand(const Space& space, PointKind kind);
inline constexpr std::int64_t kMostPoints = 1'000'000;

}  // namespace stcsim
