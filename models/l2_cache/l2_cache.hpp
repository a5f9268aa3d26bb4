#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/counts.hpp"
#include "models/base/beat_server.hpp"
#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/messages.hpp"
#include "models/base/recycling_queue.hpp"
#include "models/base/resident_ctas.hpp"
#include "models/base/shared_path.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/state_visitor.hpp"
#include "models/base/unit_kind.hpp"
#include "models/dram/dram_config.hpp"
#include "models/l2_cache/access_log.hpp"
#include "models/l2_cache/l2_cache_config.hpp"
#include "models/l2_cache/l2_contents.hpp"

namespace stcsim {

/// The L2 cache. It manages operand slices (one strip of one operand for one k-step), of which the
/// least recently used go first: an eighth of its lines each stays until its share of the capacity
/// has been brought in since it was last asked for (L2CacheConfig::lives_bytes()). A slice that is
/// already on its way from DRAM is not fetched twice. Output is written through to DRAM; where
/// slices have one memory for all (L2CacheConfig::write_passes), it uses what reads leave of its
/// bandwidth.
///
/// Requests of the same cycle are served side by side, as the address hash spreads them over all
/// slices: they share the cache's bandwidth, and what they miss is one fill. So an answer never
/// depends on an order among them.
class L2Cache {
 public:
  static constexpr UnitKind kKind{"l2_cache", "cache of operand slices, shared by all SMs"};
  static constexpr Hooks kHooks{.visit_ports = true,
                                .visit_children = true,
                                .visit_statistics = true,
                                .waiting_for = true,
                                .settle = true,
                                .finish = true};
  static constexpr UnitKind kSlice{"l2_slice", "has its share of the lines"};
  static constexpr UnitKind kReadPath{"l2_cache_read",
                                      "way of what is read, of all slices, and of what shares it"};
  static constexpr UnitKind kWritePath{"l2_cache_write", "way of what is written, of all slices"};

  /// @param hop_cycles  way between an SM and the cache, which the hit latencies include twice
  /// @param memory  what comes from it comes in bursts; as many writes as wait for it may wait for
  ///                the way out
  L2Cache(const L2CacheConfig& config, Cycles hop_cycles, const DramConfig& memory, SmSets& sets,
          const ResidentCtas& resident);

  /// The least times of its read path, where CTAs of a cluster share what one of them asks for:
  /// without what is written, and with it; and of its write path.
  [[nodiscard]] static Cycles least_read_cycles(const L2CacheConfig& config,
                                                const KernelLaunch& kernel);
  [[nodiscard]] static Cycles least_cycles(const L2CacheConfig& config, const KernelLaunch& kernel);
  [[nodiscard]] static Cycles least_write_cycles(const L2CacheConfig& config,
                                                 const KernelLaunch& kernel);

  Inbox<LoadRequest> loads;
  Inbox<StoreData> stores;
  Inbox<DramResponse> fills;
  Wired<OutPort<LoadResponse>*> responses;
  Wired<OutPort<DramRequest>*> dram;
  Wired<OutPort<StoreDone>*> stores_done;
  template <class Visitor>
  void visit_ports(Visitor& visitor) {
    visitor.in_from_sms("loads", loads);
    visitor.in("stores", stores);
    visitor.in("fills", fills);
    visitor.out("responses", responses);
    visitor.out("dram", dram);
    visitor.out("stores_done", stores_done);
  }
  template <class Visitor>
  void visit_children(Visitor& visitor) {
    visitor.child("read_path", kReadPath, read_path_);
    visitor.child("write_path", kWritePath, write_path_);
    for (std::size_t at = 0; at < slices_.size(); ++at) {
      visitor.child(("slice" + std::to_string(at)).c_str(), kSlice, slices_[at]);
    }
  }

  void launch(const KernelLaunch& kernel);
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);

  void settle(Cycle now) { read_path_.write_when_idle(now); }
  void finish(Cycle end) { read_path_.write_when_idle(end); }
  [[nodiscard]] Cycle ends_at() const { return read_path_.ends_at(); }

  [[nodiscard]] const SharedPath& read_path() const { return read_path_; }
  [[nodiscard]] SharedPath& read_path() { return read_path_; }
  [[nodiscard]] const BeatServer& write_path() const { return write_path_; }
  /// Part of the bytes read hit, and part are metadata of sparse operands, indices of selected
  /// columns among them.
  template <class Visitor>
  void visit_statistics(Visitor& visitor, Cycle) const {
    visitor.count("l2_read_bytes", "byte", once(read_bytes_));
    visitor.count("l2_hit_bytes", "byte", once(hit_bytes_));
    visitor.count("l2_write_bytes", "byte", written_bytes_);
    visitor.count("metadata_bytes", "byte",
                  kernel_.metadata.of_tiles ? metadata_bytes_ : once({.a = metadata_bytes_}));
  }
  [[nodiscard]] std::int64_t hit_bytes() const { return once(hit_bytes_); }
  [[nodiscard]] std::string waiting_for() const;

  /// If set, every access is noted in it.
  L2AccessLog* log = nullptr;

  [[nodiscard]] const L2CacheConfig& config() const { return config_; }
  /// Seen and changed by what replays skipped accesses on it (models/fast_forward/).
  [[nodiscard]] L2Contents& contents() { return contents_; }

  template <class Visitor>
  void visit_state(Visitor& visitor) {
    loads.visit_state(visitor, [&](LoadRequest& request) {
      visitor.value(request.slot);
      visitor.value(request.operand);
      visitor.step(request.step, sets_.first(request.sms), request.slot);
      visitor.value(request.sms);
    });
    stores.visit_state(visitor, [&](StoreData& store) { visitor.value(store.bytes); });
    fills.visit_state(visitor, [&](DramResponse& response) {
      visitor.fill(response.fill);
      visitor.time(response.last);
    });
    visit_size(visitor, waiting_);
    for (std::size_t at = 0; at < waiting_.size(); ++at) visit_waiting(visitor, waiting_[at]);
    visitor.fill(arrived_fill_);
    visitor.deadline(arriving_until_);
    read_path_.visit_state(visitor);
    write_path_.visit_state(visitor);
    for (SentBytes* const sent : {&read_bytes_, &hit_bytes_}) {
      visitor.counter(sent->a);
      visitor.counter(sent->b);
      visitor.counter(sent->masks);
    }
    visitor.counter(metadata_bytes_);
    visitor.counter(written_bytes_);
    visitor.apart(contents_);
  }
  /// Fills asked for, and the number of the last.
  [[nodiscard]] std::int64_t fills_requested() const { return contents_.fills_requested(); }

 private:
  /// What SMs got of A, with what is beside it, of B, and of the masks of C's tiles.
  struct SentBytes {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t masks = 0;
  };
  void add(Operand operand, std::int64_t bytes, SentBytes& sent) const {
    const bool is_mask = kernel_.stream(operand).of_tiles;
    (is_mask ? sent.masks : operand == Operand::b ? sent.b : sent.a) += bytes;
  }
  /// The bytes that left the cache for them: one read may serve several CTAs, but not of a mask.
  [[nodiscard]] std::int64_t once(const SentBytes& sent) const {
    return kernel_.read_bytes(sent.a, sent.b) + sent.masks;
  }
  /// SMs that get the same answer.
  struct Part {
    std::int64_t slot = 0;
    Operand operand = Operand::a;
    std::int64_t step = 0;
    std::int64_t bytes = 0;  // of all of them
    bool is_far = false;
    Cycle not_before;  // the last byte cannot come earlier
    SmSet sms{};
  };
  /// Who waits for a fill.
  struct Waiting {
    std::int64_t fill = 0;
    std::vector<Part> parts;
  };
  /// Answers to the members of one request.
  enum class Answer : std::uint8_t { near, far, near_arriving, far_arriving, near_wait, far_wait };
  struct Answered {
    Answer answer;
    std::int32_t fill;
    std::int64_t bytes;  // of all members
    SmNumbers members;
  };

  template <class Visitor>
  void visit_waiting(Visitor& visitor, Waiting& waiting) {
    visitor.fill(waiting.fill);
    visit_size(visitor, waiting.parts);
    for (Part& part : waiting.parts) {
      visitor.value(part.slot);
      visitor.value(part.operand);
      visitor.step(part.step, sets_.first(part.sms), part.slot);
      visitor.value(part.bytes);
      visitor.value(part.is_far);
      visitor.value(part.sms);
    }
  }

  void load_batch(Cycle now);
  /// The same, by number of the SM.
  void load_in_order(Cycle now);
  void load(const LoadRequest& request, Cycle now);
  /// One member's request: finds its slice, or asks for it.
  void look_up(const LoadRequest& request, std::int32_t sm, Cycle now);
  void add_answer(Answer answer, std::int32_t fill, std::int64_t bytes, std::int32_t sm);
  void keep_answers(const LoadRequest& request);
  void request_fill(Cycle now);
  void fill(const DramResponse& response, Cycle now);
  void store_batch(Cycle now);
  void respond(const std::vector<Part>& parts, const Transfer& in, Cycle now);
  void note(L2Access access);

  L2CacheConfig config_;
  Cycles hop_cycles_;
  SmSets& sets_;
  const ResidentCtas& resident_;
  KernelLaunch kernel_;
  std::vector<InterleavedPart> slices_;  // one by one, as they read: all are alike
  SharedPath read_path_;                 // of all slices together
  BeatServer write_path_;
  /// Loads of different sizes may share a slice: which comes first shows in hit_bytes.
  bool order_matters_ = false;
  L2Contents contents_;
  RecyclingQueue<Waiting> waiting_;                    // by fill
  std::int64_t arrived_fill_ = L2Contents::kAtLaunch;  // the last one that has begun to arrive
  Cycle arriving_until_;
  SentBytes read_bytes_;
  SentBytes hit_bytes_;
  std::int64_t metadata_bytes_ = 0;
  std::int64_t written_bytes_ = 0;
  // Loads of the batch at work.
  std::vector<LoadRequest> single_;  // of one SM each
  std::vector<Part> hits_;
  std::vector<Answered> answers_;  // the first answers_in_use_; the others keep their memory
  std::size_t answers_in_use_ = 0;
  std::int64_t missed_bytes_ = 0;
};

}  // namespace stcsim
