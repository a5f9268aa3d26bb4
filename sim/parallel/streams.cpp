#include "sim/parallel/streams.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace stcsim {
namespace {

/// One stream: which item it is at, and what is left of that.
struct Head {
  std::size_t at = 0;
  double left_us = 0;
};

class StreamPlayer {
 public:
  StreamPlayer(const StepStreams& step, const BesideCollectives& beside)
      : step_(step), factors_{beside.products, beside.attention, beside.others, 1} {
    for (const CommItem& one : step.comm) add_time(times_.collectives, one.name, one.us);
    for (const ComputeItem& one : step.compute) times_.kernels_us += one.us;
    load(compute_, step_.compute);
    load(comm_, step_.comm);
  }

  StreamTimes play() {
    while (is_left(compute_, step_.compute) || is_left(comm_, step_.comm)) advance();
    return std::move(times_);
  }

 private:
  template <class Items>
  static bool is_left(const Head& head, const Items& items) {
    return head.at < items.size();
  }
  template <class Items>
  static void load(Head& head, const Items& items) {
    if (is_left(head, items)) head.left_us = items[head.at].us;
  }

  [[nodiscard]] bool computes() const {
    if (!is_left(compute_, step_.compute)) return false;
    const std::optional<std::size_t> needs = step_.compute[compute_.at].needs;
    return !needs || comm_.at > *needs;
  }
  [[nodiscard]] bool exchanges() const {
    if (!is_left(comm_, step_.comm)) return false;
    const std::optional<std::size_t> after = step_.comm[comm_.at].after;
    return !after || compute_.at > *after;
  }

  [[nodiscard]] std::string kernels_name(double factor) const {
    if (step_.compute[compute_.at].kind == KernelClass::wait) return "host";
    return factor > 1 ? "slowed kernels" : "kernels";
  }
  /// From now on for so long.
  void note(std::vector<StreamSpan>& spans, const std::string& what, double us) const {
    const double end_us = times_.us + us;
    const bool goes_on =
        !spans.empty() && spans.back().what == what && spans.back().end_us == times_.us;
    if (goes_on) {
      spans.back().end_us = end_us;
    } else {
      spans.push_back({what, times_.us, end_us});
    }
  }

  /// To the next end of an item.
  void advance() {
    const bool computes = this->computes();
    const bool exchanges = this->exchanges();
    if (!computes && !exchanges) throw std::logic_error("both streams of a step wait");
    const double factor =
        computes && exchanges
            ? factors_.at(static_cast<std::size_t>(step_.compute[compute_.at].kind))
            : 1;
    const double compute_us = compute_.left_us * factor;
    const bool ends_compute = computes && (!exchanges || compute_us <= comm_.left_us);
    const bool ends_comm = exchanges && (!computes || comm_.left_us <= compute_us);
    const double us = ends_compute ? compute_us : comm_.left_us;
    if (computes) note(times_.kernel_spans, kernels_name(factor), us);
    if (exchanges) note(times_.collective_spans, step_.comm[comm_.at].name, us);
    times_.us += us;
    times_.slowed_us += us * (1 - 1 / factor);
    if (!computes) add_time(times_.exposed, step_.comm[comm_.at].name, us);
    if (computes) compute_.left_us -= us / factor;
    if (exchanges) comm_.left_us -= us;
    if (ends_compute) {
      ++compute_.at;
      load(compute_, step_.compute);
    }
    if (ends_comm) {
      ++comm_.at;
      load(comm_, step_.comm);
    }
  }

  const StepStreams& step_;
  std::array<double, kKernelClasses> factors_;
  Head compute_;
  Head comm_;
  StreamTimes times_;
};

}  // namespace

void add_time(NamedTimes& times, const std::string& name, double us) {
  const auto known =
      std::ranges::find_if(times, [&](const auto& one) { return one.first == name; });
  if (known != times.end()) {
    known->second += us;
  } else {
    times.emplace_back(name, us);
  }
}

StreamTimes run_streams(const StepStreams& step, const BesideCollectives& beside) {
  return StreamPlayer(step, beside).play();
}

}  // namespace stcsim
