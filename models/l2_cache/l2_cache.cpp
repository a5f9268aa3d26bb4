#include "models/l2_cache/l2_cache.hpp"

#include <algorithm>

#include "models/base/memory_traffic.hpp"
#include "models/l2_cache/access_log.hpp"

namespace stcsim {

namespace {

/// Whether it says where values of A and rows of B belong.
bool counts_as_metadata(Operand operand) {
  return operand == Operand::metadata || operand == Operand::column_indices;
}

}  // namespace

L2Cache::L2Cache(const L2CacheConfig& config, Cycles hop_cycles, const DramConfig& memory,
                 SmSets& sets, const ResidentCtas& resident)
    : config_(config),
      hop_cycles_(hop_cycles),
      sets_(sets),
      resident_(resident),
      slices_(static_cast<std::size_t>(config.slices),
              InterleavedPart(config.slices, memory.burst_bytes, config.read_bytes_per_clk)),
      read_path_(config.read_bytes_per_clk, config.passing_bytes(memory.write_queue_bytes)),
      write_path_(config.write_bytes_per_clk),
      contents_(memory.burst_bytes) {}

Cycles L2Cache::least_read_cycles(const L2CacheConfig& config, const KernelLaunch& kernel) {
  return Cycles(l2_read_bytes(kernel) / config.read_bytes_per_clk);
}

Cycles L2Cache::least_cycles(const L2CacheConfig& config, const KernelLaunch& kernel) {
  const std::int64_t written = config.passing_bytes(kernel.stored_bytes());
  return Cycles((l2_read_bytes(kernel) + written) / config.read_bytes_per_clk);
}

Cycles L2Cache::least_write_cycles(const L2CacheConfig& config, const KernelLaunch& kernel) {
  return Cycles(kernel.stored_bytes() / config.write_bytes_per_clk);
}

void L2Cache::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  read_path_.launch(config_.passing_bytes(kernel.stored_bytes()));
  write_path_.reset();
  contents_.launch(kernel, config_.lives_bytes());
  const auto has_unequal_sizes = [&](const OperandStream& stream) {
    return (stream.strips > stream.distinct_strips && stream.edge_rows != stream.rows) ||
           (kernel.k_steps > stream.distinct_slices && stream.edge_row_bytes != stream.row_bytes);
  };
  const auto operands = kernel.operands();
  order_matters_ = std::any_of(operands.begin(), operands.end(), [&](Operand operand) {
    return has_unequal_sizes(kernel.stream(operand));
  });
  read_bytes_ = hit_bytes_ = {};
  metadata_bytes_ = written_bytes_ = 0;
  waiting_.clear();
  arrived_fill_ = L2Contents::kAtLaunch;
  arriving_until_ = Cycle();
  loads.clear();
  stores.clear();
  fills.clear();
}

std::optional<Cycle> L2Cache::advance(Cycle now) {
  while (fills.has_message(now)) fill(fills.pop(), now);
  if (loads.has_message(now)) load_batch(now);
  if (stores.has_message(now)) store_batch(now);
  return if_ever(earliest(fills.next_arrival(), loads.next_arrival(), stores.next_arrival()));
}

void L2Cache::load_batch(Cycle now) {
  hits_.clear();
  missed_bytes_ = 0;
  if (log != nullptr) log->add_batch();
  if (order_matters_) {
    load_in_order(now);
  } else {
    while (loads.has_message(now)) load(loads.pop(), now);
  }
  respond(hits_, {now, now}, now);
  if (missed_bytes_ > 0) request_fill(now);
}

void L2Cache::load_in_order(Cycle now) {
  const auto comes_before = [&](const LoadRequest& a, const LoadRequest& b) {
    return sets_.first(a.sms) < sets_.first(b.sms);
  };
  single_.clear();
  while (loads.has_message(now)) {
    LoadRequest request = loads.pop();
    for (const std::int32_t sm : sets_.members(request.sms)) {
      request.sms = SmSets::alone(sm);
      const auto place = std::upper_bound(single_.begin(), single_.end(), request, comes_before);
      single_.insert(place, request);
    }
  }
  for (const LoadRequest& request : single_) load(request, now);
}

void L2Cache::load(const LoadRequest& request, Cycle now) {
  answers_in_use_ = 0;
  for (const std::int32_t sm : sets_.members(request.sms)) look_up(request, sm, now);
  keep_answers(request);
}

void L2Cache::look_up(const LoadRequest& request, std::int32_t sm, Cycle now) {
  const ResidentCta& cta = resident_.at(sm, request.slot);
  const std::int64_t bytes = cta.load_bytes(kernel_, request.operand, request.step);
  if (bytes == 0) return add_answer(Answer::far, 0, 0, sm);
  add(request.operand, bytes, read_bytes_);
  if (counts_as_metadata(request.operand)) metadata_bytes_ += bytes;
  const std::int64_t strip = cta.strip(request.operand);
  const std::int64_t slice = cta.slice(kernel_, request.operand, request.step);
  const std::size_t place = contents_.place_of(request.operand, strip, slice);
  const std::int32_t fill = contents_.fill_at(place);
  const std::int32_t next = contents_.next_fill();
  const bool is_far = config_.is_far(bytes, strip + slice + sm);
  L2Access access{cta.cta,
                  static_cast<std::int32_t>(request.step),
                  next - fill,
                  static_cast<std::int32_t>(bytes),
                  request.operand,
                  L2Access::Outcome::same_fill,
                  (strip + slice) % 2 != 0};
  const std::int64_t missing = fill == next ? 0 : contents_.missing_eighths(fill);
  add(request.operand, bytes - eighths_of(bytes, missing), hit_bytes_);
  if (missing > 0) {
    contents_.note(place, next);
    missed_bytes_ += contents_.fill_bytes(request.operand, strip, slice, missing);
    access.outcome = L2Access::Outcome::missed;
    access.missing_eighths = static_cast<std::uint8_t>(missing);
    add_answer(is_far ? Answer::far_wait : Answer::near_wait, next, bytes, sm);
  } else if (fill > arrived_fill_) {
    add_answer(is_far ? Answer::far_wait : Answer::near_wait, fill, bytes, sm);
  } else if (fill == arrived_fill_ && arriving_until_ > now) {
    add_answer(is_far ? Answer::far_arriving : Answer::near_arriving, 0, bytes, sm);
  } else {
    const std::int64_t newest = arriving_until_ <= now ? arrived_fill_ : arrived_fill_ - 1;
    contents_.note(place, static_cast<std::int32_t>(newest));
    access.outcome = L2Access::Outcome::older_fill;
    access.age = next - static_cast<std::int32_t>(newest);
    add_answer(is_far ? Answer::far : Answer::near, 0, bytes, sm);
  }
  note(access);
}

void L2Cache::note(L2Access access) {
  if (log != nullptr) log->add_load(access);
}

void L2Cache::add_answer(Answer answer, std::int32_t fill, std::int64_t bytes, std::int32_t sm) {
  for (std::size_t at = 0; at < answers_in_use_; ++at) {
    Answered& known = answers_[at];
    if (known.answer != answer || known.fill != fill) continue;
    known.bytes += bytes;
    known.members.push_back(sm);
    return;
  }
  if (answers_in_use_ == answers_.size()) answers_.emplace_back();
  Answered& next = answers_[answers_in_use_++];
  next.answer = answer;
  next.fill = fill;
  next.bytes = bytes;
  next.members.assign(1, sm);
}

void L2Cache::keep_answers(const LoadRequest& request) {
  for (const Answered& answered : std::span(answers_).first(answers_in_use_)) {
    const Answer answer = answered.answer;
    const bool is_far =
        answer == Answer::far || answer == Answer::far_arriving || answer == Answer::far_wait;
    const bool arriving = answer == Answer::near_arriving || answer == Answer::far_arriving;
    const Part part{request.slot,
                    request.operand,
                    request.step,
                    answered.bytes,
                    is_far,
                    arriving ? arriving_until_ : Cycle(),
                    answers_in_use_ == 1 ? request.sms : sets_.find(answered.members)};
    if (answer != Answer::near_wait && answer != Answer::far_wait) {
      hits_.push_back(part);
      continue;
    }
    if (waiting_.empty() || waiting_.back().fill < answered.fill) {
      Waiting& next = waiting_.push_back();
      next.fill = answered.fill;
      next.parts.clear();
    }
    const auto first = waiting_.front().fill;
    waiting_[static_cast<std::size_t>(answered.fill - first)].parts.push_back(part);
  }
}

void L2Cache::request_fill(Cycle now) {
  dram->send(now + kOneCycle, {contents_.next_fill(), missed_bytes_, false});
  contents_.request_fill(missed_bytes_);
}

void L2Cache::fill(const DramResponse& response, Cycle now) {
  arrived_fill_ = response.fill;
  arriving_until_ = response.last;
  respond(waiting_.front().parts, {now, response.last}, now);
  waiting_.pop_front();
}

void L2Cache::respond(const std::vector<Part>& parts, const Transfer& in, Cycle now) {
  if (parts.empty()) return;
  SentBytes sent;
  for (const Part& part : parts) add(part.operand, part.bytes, sent);
  const std::int64_t bytes = once(sent);
  Transfer out = read_path_.read(in, bytes, now);
  out.last = std::max(out.last, in.first + slices_.front().busiest(bytes));
  for (const Part& part : parts) {
    const Cycles hit(part.is_far ? config_.far_hit_cycles : config_.near_hit_cycles);
    const Cycles rest = hit - hop_cycles_ * 2;
    const Cycle last = std::max(out.last, part.not_before + kOneCycle) + rest;
    responses->send(std::max(out.first + rest, now + kOneCycle),
                    {part.slot, part.operand, part.step, last, part.sms});
  }
}

void L2Cache::store_batch(Cycle now) {
  std::int64_t bytes = 0;
  while (stores.has_message(now)) bytes += stores.pop().bytes;
  const Cycle written = write_path_.reserve({now, now}, bytes).last;
  read_path_.write(config_.passing_bytes(bytes), now);
  written_bytes_ += bytes;
  contents_.bring_in(bytes);
  if (log != nullptr) log->add_batch(bytes);
  dram->send(written, {0, bytes, true});
  stores_done->send(written, {bytes});
}

std::string L2Cache::waiting_for() const {
  if (waiting_.empty()) return "";
  return "L2 cache: " + std::to_string(waiting_.size()) + " fills are awaited from DRAM";
}

void L2AccessLog::drop_before(std::int64_t batch) {
  const std::int64_t count = batch - dropped_;
  if (count == std::ssize(batches_)) return drop_all();
  if (count < std::ssize(batches_) / 2) return;
  const std::size_t loads = batches_[static_cast<std::size_t>(count)].first_load;
  batches_.erase(batches_.begin(), batches_.begin() + static_cast<std::ptrdiff_t>(count));
  loads_.erase(loads_.begin(), loads_.begin() + static_cast<std::ptrdiff_t>(loads));
  for (L2Batch& left : batches_) left.first_load -= loads;
  dropped_ = batch;
}

void L2AccessLog::drop_all() {
  dropped_ = end();
  batches_.clear();
  loads_.clear();
}

}  // namespace stcsim
