#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <vector>

#include <boost/container_hash/hash.hpp>

#include "common/counts.hpp"
#include "sim/kernel/kernel_estimate.hpp"

namespace stcsim {
namespace {

/// The part of a strip that the CTAs of one k slice (`split`) read.
struct StripPart {
  Operand operand = Operand::a;
  std::int64_t strip = 0;  // within its batch
  std::int64_t split = 0;
  std::int64_t slice_bytes = 0;
  std::int64_t* last_read = nullptr;  // of its place
};

/// Enough for several groups of tile rows, the last of which may be narrower than the others and
/// read more; ranking has to stay quicker than simulating.
constexpr std::int64_t kWavesFollowed = 256;

/// Goes through a grid's CTAs and follows what is in the L2 cache, in whole strips.
class DramReads {
 public:
  /// @param running  CTAs at a time
  DramReads(const L2CacheConfig& cache, const KernelLaunch& launch, std::int64_t running);
  /// Bytes of the first waves, kWavesFollowed of them at most.
  [[nodiscard]] std::vector<double> by_wave();

 private:
  static constexpr std::int64_t kNever = -1;

  struct Place {
    std::int64_t last_read = kNever;  // what had been brought in when the wave began that read it
    std::int64_t last_wave = kNever;  // that read it
  };

  [[nodiscard]] std::int64_t slice_bytes(Operand operand, std::int64_t strip) const;
  /// Eighths of what was last read when that many bytes less had been brought in.
  [[nodiscard]] std::int64_t missing_after(std::int64_t brought_in) const;
  [[nodiscard]] std::int64_t bytes_of(const StripPart& part, std::int64_t step_bytes) const;
  void note(Operand operand, const CtaPosition& at);
  void note_rows(const CtaPosition& top, std::int64_t rows);
  void note_columns(const CtaPosition& top, std::int64_t rows);
  void note_wave(std::int64_t ctas);
  void go_to_next_column(std::int64_t below);
  std::int64_t bring_in();

  const KernelLaunch& launch_;
  L2Eighths lives_bytes_;
  std::int64_t running_;
  std::array<std::vector<Place>, kOperandCount> places_;
  /// True if every k slice reads all of a strip's memory (implicit im2col).
  std::array<bool, kOperandCount> shares_slices_{};
  std::array<std::array<std::int64_t, 2>, kOperandCount> slice_bytes_{};  // last strip or not
  std::vector<StripPart> together_;  // what the CTAs at work read
  CtaPosition next_;                 // CTA
  std::int64_t first_row_ = 0;       // of the group of tile rows it belongs to
  std::int64_t wave_ = 0;
  std::int64_t brought_in_ = 0;    // bytes read or stored
  std::int64_t being_stored_ = 0;  // of these, by the CTAs that ended last
};

DramReads::DramReads(const L2CacheConfig& cache, const KernelLaunch& launch, std::int64_t running)
    : launch_(launch), lives_bytes_(cache.lives_bytes()), running_(running) {
  for (const Operand operand : launch.operands()) {
    const OperandStream& stream = launch.stream(operand);
    const std::int64_t places = launch.batch_count * stream.distinct_strips * launch.splits;
    shares_slices_[index_of(operand)] = stream.distinct_slices <= launch.k_steps / launch.splits;
    const Place at_launch{stream.starts_in_l2 ? 0 : kNever, kNever};
    places_[index_of(operand)].assign(static_cast<std::size_t>(places), at_launch);
    for (const std::int64_t edge : {0, 1}) {
      slice_bytes_[index_of(operand)][static_cast<std::size_t>(edge)] =
          launch.fill_bytes(operand, stream.strips - 2 + edge, 0);
    }
  }
}

/// @param strip  within its batch
std::int64_t DramReads::slice_bytes(Operand operand, std::int64_t strip) const {
  const bool is_edge = launch_.strip_of(operand, strip) == launch_.stream(operand).strips - 1;
  return slice_bytes_[index_of(operand)][is_edge ? 1 : 0];
}

std::int64_t DramReads::missing_after(std::int64_t brought_in) const {
  return std::ranges::count_if(lives_bytes_, [&](std::int64_t life) { return brought_in > life; });
}

/// Of a part that is not there.
/// @param step_bytes  what all CTAs at work read in a k-step
std::int64_t DramReads::bytes_of(const StripPart& part, std::int64_t step_bytes) const {
  const std::int64_t distinct = launch_.stream(part.operand).distinct_slices;
  const std::int64_t steps = launch_.steps_of(part.split);
  if (launch_.stream(part.operand).of_tiles) return part.slice_bytes;
  const std::int64_t again = std::max<std::int64_t>(0, steps - distinct);
  const std::int64_t read_again =
      eighths_of(again * part.slice_bytes, missing_after(distinct * step_bytes));
  const std::int64_t bytes = (steps - again) * part.slice_bytes + read_again;
  const bool has_edge = part.split == launch_.splits - 1 && distinct == launch_.k_steps;
  if (!has_edge) return bytes;
  return bytes - part.slice_bytes +
         launch_.fill_bytes(part.operand, part.strip, launch_.k_steps - 1);
}

void DramReads::note(Operand operand, const CtaPosition& at) {
  const OperandStream& stream = launch_.stream(operand);
  if (stream.strips == 0) return;
  const std::int64_t strip = launch_.distinct_strip(operand, at);
  const std::int64_t split = shares_slices_[index_of(operand)] ? 0 : at.split;
  Place& place =
      places_[index_of(operand)][static_cast<std::size_t>(strip * launch_.splits + split)];
  if (place.last_wave == wave_) return;
  place.last_wave = wave_;
  const std::int64_t of_batch = strip - at.batch * stream.distinct_strips;
  together_.push_back(
      {operand, of_batch, at.split, slice_bytes(operand, of_batch), &place.last_read});
}

/// Notes what CTAs below one another read of A.
void DramReads::note_rows(const CtaPosition& top, std::int64_t rows) {
  CtaPosition at = top;
  for (; at.tile_m < top.tile_m + rows; ++at.tile_m) {
    for (const Operand operand : launch_.operands()) {
      if (operand != Operand::b) note(operand, at);
    }
  }
}

/// Notes what they read of B: all the same, or each block of rows what it gathers.
void DramReads::note_columns(const CtaPosition& top, std::int64_t rows) {
  CtaPosition at = top;
  const std::int64_t below = launch_.gathers() ? top.tile_m + rows : top.tile_m + 1;
  for (; at.tile_m < below; ++at.tile_m) note(Operand::b, at);
}

/// Column by column; whole columns of a group that follow each other have the same rows.
void DramReads::note_wave(std::int64_t ctas) {
  bool has_noted_rows = false;
  while (ctas > 0) {
    const std::int64_t below = std::min(first_row_ + launch_.raster_group, launch_.tiles_m);
    const std::int64_t rows = std::min(below - next_.tile_m, ctas);
    note_columns(next_, rows);
    if (!has_noted_rows || next_.tile_n == 0) note_rows(next_, rows);
    has_noted_rows = rows == below - first_row_;
    ctas -= rows;
    next_.tile_m += rows;
    if (next_.tile_m == below) go_to_next_column(below);
  }
}

/// In the order of KernelLaunch::position(), whose divisions would take most of the ranking's time.
/// @param below  the row below the group's last
void DramReads::go_to_next_column(std::int64_t below) {
  next_.tile_m = first_row_;
  if (++next_.tile_n < launch_.tiles_n) return;
  next_.tile_n = 0;
  next_.tile_m = first_row_ = below < launch_.tiles_m ? below : 0;
  if (first_row_ > 0 || ++next_.split < launch_.splits) return;
  next_.split = 0;
  ++next_.batch;
}

/// All that the CTAs at work read and that is not there. While they begin, the ones before them
/// still store.
std::int64_t DramReads::bring_in() {
  std::int64_t step_bytes = 0;
  for (const StripPart& part : together_) step_bytes += part.slice_bytes;
  std::int64_t missing = 0;
  for (const StripPart& part : together_) {
    const std::int64_t last = *part.last_read;
    const std::int64_t eighths = last == kNever ? std::int64_t{kL2Eighths}
                                                : missing_after(brought_in_ - being_stored_ - last);
    if (eighths > 0) missing += eighths_of(bytes_of(part, step_bytes), eighths);
    *part.last_read = brought_in_;
  }
  together_.clear();
  brought_in_ += missing;
  return missing;
}

std::vector<double> DramReads::by_wave() {
  const std::int64_t ctas = launch_.ctas();
  std::vector<double> all;
  std::int64_t cta = 0;
  for (; cta < ctas && std::ssize(all) < kWavesFollowed; cta += running_) {
    const std::int64_t end = std::min(ctas, cta + running_);
    note_wave(end - cta);
    all.push_back(static_cast<double>(bring_in()));
    being_stored_ = (end - cta) * launch_.output_bytes();
    brought_in_ += being_stored_;
    ++wave_;
  }
  return all;
}

/// Adds waves that were not followed: as much per CTA as the second half of those that were.
/// @param ctas  of the whole grid
void add_the_rest(std::vector<double>& all, std::int64_t ctas, std::int64_t running) {
  constexpr std::int64_t kHalf = kWavesFollowed / 2;
  std::int64_t left = ctas - std::ssize(all) * running;
  if (left <= 0) return;
  const double bytes = std::accumulate(all.end() - kHalf, all.end(), 0.0);
  const double of_a_cta = bytes / static_cast<double>(kHalf * running);
  all.reserve(static_cast<std::size_t>(ceil_div(ctas, running)));
  for (; left > 0; left -= running) {
    all.push_back(of_a_cta * static_cast<double>(std::min(left, running)));
  }
}

/// All that DramReads goes by. Kernels that differ in other things only, and machines, read the
/// same.
struct Question {
  KernelLaunch launch;
  std::int64_t capacity_bytes = 0;
  std::int64_t running = 0;

  friend bool operator==(const Question&, const Question&) = default;
};

Question question_of(const L2CacheConfig& cache, KernelLaunch launch, std::int64_t running) {
  const KernelLaunch any;
  launch.ctas_per_sm = any.ctas_per_sm;
  launch.warps = any.warps;
  launch.stages = any.stages;
  launch.a.access_bytes = launch.b.access_bytes = launch.metadata.access_bytes = any.a.access_bytes;
  launch.metadata_in_registers = any.metadata_in_registers;
  launch.has_spare_accumulators = any.has_spare_accumulators;
  launch.ctas_per_read_of_a = launch.ctas_per_read_of_b = any.ctas_per_read_of_a;
  launch.warp = any.warp;
  launch.epilogue = {launch.epilogue.element_bytes};
  return {launch, cache.distinct_bytes(), running};
}

struct QuestionHash {
  std::size_t operator()(const Question& of) const {
    const KernelLaunch& launch = of.launch;
    std::size_t hash = 0;
    for (const std::int64_t part :
         {of.running, of.capacity_bytes, launch.tiles_m, launch.tiles_n, launch.splits,
          launch.batch_count, launch.k, launch.tile_k, launch.tile_m, launch.tile_n,
          launch.a.row_bytes, launch.metadata.row_bytes, launch.raster_group}) {
      boost::hash_combine(hash, part);
    }
    return hash;
  }
};

/// Answers of late: those that rank kernels ask the same of every kernel with a tile, and of every
/// machine of a sweep that differs in other things.
std::vector<double> remembered(const L2CacheConfig& cache, const KernelLaunch& launch,
                               std::int64_t running) {
  constexpr std::size_t kMost = 4096;  // 8 MB
  thread_local std::unordered_map<Question, std::vector<double>, QuestionHash> answers;
  const Question question = question_of(cache, launch, running);
  const auto known = answers.find(question);
  if (known != answers.end()) return known->second;
  if (answers.size() == kMost) answers.clear();
  return answers[question] = DramReads(cache, question.launch, running).by_wave();
}

/// True of stream kernels: what a CTA reads, no other does.
bool is_read_once(const KernelLaunch& launch) {
  return launch.b.strips == 0 && launch.tiles_n == 1 && launch.a.strips == launch.a.distinct_strips;
}

std::vector<double> read_once(const KernelLaunch& launch, std::int64_t running) {
  const std::int64_t bytes = launch.a.starts_in_l2 ? 0 : launch.a.bytes(0, false);
  std::vector<double> all;
  for (std::int64_t cta = 0; cta < launch.ctas(); cta += running) {
    all.push_back(static_cast<double>(std::min(running, launch.ctas() - cta) * bytes));
  }
  return all;
}

}  // namespace

std::vector<double> estimate_dram_reads(const MachineConfig& machine, const KernelLaunch& launch) {
  const std::int64_t running = machine.accelerator.num_sms * launch.main_loops_per_sm();
  if (is_read_once(launch)) return read_once(launch, running);
  std::vector<double> reads = remembered(machine.accelerator.l2_cache, launch, running);
  add_the_rest(reads, launch.ctas(), running);
  return reads;
}

}  // namespace stcsim
