#include "workloads/files/trace_events.hpp"

#include <algorithm>
#include <charconv>
#include <istream>
#include <map>
#include <streambuf>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "common/io/json_events.hpp"
#include "common/io/text_file.hpp"
#include "common/suggestion.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostEvents = 2'000'000;
constexpr std::int64_t kMostText = std::int64_t{2} << 30;
constexpr std::int64_t kLongestToken = std::int64_t{1} << 20;
constexpr std::size_t kMostInputs = 4096;
constexpr std::size_t kInputsKept = 4;  // of operators that are no products
constexpr std::size_t kMostMarks = 100'000;
constexpr int kMostDepth = 64;

/// The text of a file, gzip or not. A token that never ends is refused: the parser would keep all
/// of it.
class TraceText : public std::streambuf {
 public:
  TraceText(const std::filesystem::path& path, Problems& problems)
      : file_(gzopen(readable_again(path).c_str(), "rb")),
        problems_(problems),
        buffer_(std::size_t{1} << 16) {
    if (file_ == nullptr) problems_.fail("it cannot be read");
  }
  ~TraceText() override { gzclose(file_); }
  TraceText(const TraceText&) = delete;
  TraceText& operator=(const TraceText&) = delete;

  void token_done() { token_ = 0; }
  [[nodiscard]] bool at_end() const { return got_ <= 0; }
  [[nodiscard]] bool is_broken() const { return got_ < 0; }

 private:
  int_type underflow() override {
    got_ = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
    if (at_end()) return traits_type::eof();
    token_ += got_;
    read_ += got_;
    if (token_ > kLongestToken) problems_.fail("a text or number in it is longer than 1 MiB");
    if (read_ > kMostText) problems_.fail("it has more than 2 GiB of text; record fewer steps");
    setg(buffer_.data(), buffer_.data(), buffer_.data() + got_);
    return traits_type::to_int_type(buffer_.front());
  }

  gzFile file_;
  Problems& problems_;
  std::vector<char> buffer_;
  int got_ = 1;
  std::int64_t read_ = 0;
  std::int64_t token_ = 0;
};

struct RawEvent {
  TraceOp op;
  std::string phase;
  std::string category;
  std::int64_t correlation = -1;
};

/// Takes the parser's events, of which it keeps those of a profile.
class TraceHandler : public nlohmann::json_sax<ordered_json> {
 public:
  TraceHandler(TraceText& text, Problems& problems) : text_(text), problems_(problems) {}

  bool null() override { return value_done(); }
  bool boolean(bool /*value*/) override { return value_done(); }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kMost = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    return number(static_cast<double>(value), static_cast<std::int64_t>(std::min(value, kMost)));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return number(value, -1);
  }
  bool string(string_t& value) override {
    take_text(value);
    return value_done();
  }
  bool binary(binary_t& /*value*/) override { return value_done(); }
  bool start_object(std::size_t /*elements*/) override {
    open();
    if (depth_ == event_depth_) event_ = {};
    return true;
  }
  bool key(string_t& value) override {
    text_.token_done();
    if (depth_ == 1 && event_depth_ <= 0) take_root_key(value);
    if (depth_ == event_depth_) event_key_ = value;
    if (depth_ == event_depth_ + 1) argument_ = value;
    is_gpu_name_ = event_depth_ <= 0 && depth_ == 3 && root_key_ == "deviceProperties" &&
                   value == "name" && events.gpu.empty();
    return true;
  }
  bool end_object() override {
    if (depth_ == event_depth_ && event_depth_ > 0) finish();
    --depth_;
    return value_done();
  }
  bool start_array(std::size_t /*elements*/) override {
    open();
    const bool is_events = depth_ == 1 || (depth_ == 2 && root_key_ == "traceEvents");
    if (event_depth_ == 0 && is_events) event_depth_ = depth_ + 1;
    if (in_dims() && depth_ == event_depth_ + 3) {
      if (event_.op.dims.size() == kMostInputs) problems_.fail("an operator has 4,096 inputs");
      event_.op.dims.emplace_back();
    }
    return true;
  }
  bool end_array() override {
    if (depth_ + 1 == event_depth_) event_depth_ = -1;  // what follows are no events
    --depth_;
    return value_done();
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    if (text_.at_end() && event_depth_ > 0) {
      events.is_cut = true;
      return false;
    }
    problems_.fail(fmt::format("malformed at byte {}: {}", position, error.what()));
  }

  TraceEvents events;

 private:
  void take_root_key(const std::string& key) {
    root_key_ = key;
    if (key != "nodes") return;
    problems_.fail(
        "it is a PyTorch execution trace (Chakra), which is not read; export a profile: "
        "torch.profiler.profile(record_shapes=True), then export_chrome_trace()");
  }
  void open() {
    text_.token_done();
    if (++depth_ > kMostDepth) problems_.fail("more than 64 lists and maps are within each other");
  }
  bool value_done() {
    text_.token_done();
    return true;
  }
  [[nodiscard]] bool in_arguments() const {
    return event_depth_ > 0 && depth_ > event_depth_ && event_key_ == "args";
  }
  [[nodiscard]] bool in_dims() const {
    return in_arguments() && (argument_ == "Input Dims" || argument_ == "Input dims");
  }

  bool number(double value, std::int64_t whole) {
    TraceOp& op = event_.op;
    if (depth_ == event_depth_) {
      if (event_key_ == "ts") op.start = value;
      if (event_key_ == "dur") op.length = value;
      if (event_key_ == "tid") op.thread = whole;
    } else if (in_dims()) {
      take_size(whole);
    } else if (in_arguments() && depth_ == event_depth_ + 1) {
      if (letters_of(argument_) == "externalid") op.id = whole;
      if (argument_ == "correlation") event_.correlation = whole;
      if (argument_ == "Sequence number") op.sequence = whole;
    }
    return value_done();
  }

  /// Sizes of one input; those of a list of tensors are one level deeper, and not looked at.
  void take_size(std::int64_t size) {
    if (depth_ != event_depth_ + 3 || event_.op.dims.empty()) return;
    if (event_.op.dims.back().size() < kMostDepth) event_.op.dims.back().push_back(size);
  }

  void take_text(const std::string& value) {
    TraceOp& op = event_.op;
    if (is_gpu_name_) events.gpu = value;
    is_gpu_name_ = false;
    if (depth_ == event_depth_) {
      if (event_key_ == "name") op.name = value;
      if (event_key_ == "ph") event_.phase = value;
      if (event_key_ == "cat") event_.category = letters_of(value);
      if (event_key_ == "tid") op.thread = thread_of(value);
    } else if (in_arguments() && depth_ == event_depth_ + 2) {
      if (argument_ == "Input type" && op.types.size() < kMostInputs) op.types.push_back(value);
      if (argument_ == "Concrete Inputs" && op.values.size() < kMostInputs) {
        op.values.push_back(value);
      }
    }
  }

  /// Threads are numbers, in old files numbers as texts, rarely names.
  std::int64_t thread_of(const std::string& name) {
    std::int64_t number = 0;
    const char* const end = name.data() + name.size();
    const auto [after, error] = std::from_chars(name.data(), end, number);
    if (error == std::errc{} && after == end && number >= 0) return number;
    const auto next = -2 - static_cast<std::int64_t>(threads_.size());
    return threads_.emplace(name, next).first->second;
  }

  void keep(auto& list, auto value) {
    if (list.size() == kMostEvents) {
      problems_.fail("it has more than 2,000,000 operators or kernels; record fewer steps");
    }
    list.push_back(std::move(value));
  }

  void finish() {
    if (event_.phase != "X") return;
    TraceOp& op = event_.op;
    const std::string& category = event_.category;
    if (op.name.starts_with("ProfilerStep#")) {
      if (!category.starts_with("gpu")) keep(events.steps, std::move(op));
    } else if (category == "cpuop" || category == "operator") {
      for (const auto& dims : op.dims) events.has_shapes = events.has_shapes || !dims.empty();
      keep_operator();
    } else if (category == "kernel") {
      keep_kernel(TraceKernel::What::kernel);
    } else if (category == "gpumemcpy" || category == "gpumemset") {
      keep_kernel(category == "gpumemcpy" ? TraceKernel::What::copy : TraceKernel::What::fill);
    } else if (op.name.starts_with("phase:") || op.name.starts_with("Optimizer.step#")) {
      const bool is_kept = category == "userannotation" && events.marks.size() < kMostMarks;
      if (is_kept) events.marks.push_back(std::move(op));
    } else if (category.ends_with("runtime") || category.ends_with("driver")) {
      const bool is_kept = event_.correlation >= 0 && events.calls.size() < kMostEvents;
      if (is_kept) {
        events.calls.push_back({event_.correlation, op.thread, op.start, op.id, op.length});
      }
    }
  }

  void keep_kernel(TraceKernel::What what) {
    const TraceOp& op = event_.op;
    keep(events.kernels,
         TraceKernel{op.name, op.start, op.length, op.id, event_.correlation, what});
  }

  /// Of operators that are no product only what is asked of them stays.
  void keep_operator() {
    TraceOp& op = event_.op;
    const auto has = [&](const char* part) { return op.name.find(part) != std::string::npos; };
    if (!has("mm") && !has("conv") && !has("attention")) {
      op.values = {};
      op.types = {};
      if (op.dims.size() > kInputsKept) op.dims.resize(kInputsKept);
      op.dims.shrink_to_fit();
    }
    keep(events.ops, std::move(op));
  }

  TraceText& text_;
  Problems& problems_;
  int depth_ = 0;
  int event_depth_ = 0;
  std::string root_key_;
  std::string event_key_;
  std::string argument_;
  bool is_gpu_name_ = false;
  RawEvent event_;
  std::map<std::string, std::int64_t> threads_;
};

/// Sorts operators and finds the one around each.
void nest(std::vector<TraceOp>& ops, Problems& problems) {
  constexpr std::size_t kMostAround = 512;
  std::ranges::stable_sort(ops, [](const TraceOp& one, const TraceOp& other) {
    if (one.thread != other.thread) return one.thread < other.thread;
    if (one.start != other.start) return one.start < other.start;
    return one.length > other.length;
  });
  std::vector<int> around;
  for (std::size_t at = 0; at < ops.size(); ++at) {
    const auto encloses = [&](int outer) {
      const TraceOp& op = ops[static_cast<std::size_t>(outer)];
      return op.thread == ops[at].thread && op.end() >= ops[at].end() &&
             op.end() > ops[at].start - 0.5;
    };
    while (!around.empty() && !encloses(around.back())) around.pop_back();
    if (around.size() > kMostAround) problems.fail("more than 512 operators are within each other");
    ops[at].parent = around.empty() ? -1 : around.back();
    around.push_back(static_cast<int>(at));
  }
}

}  // namespace

TraceEvents read_trace_events(const std::filesystem::path& path, Problems& problems) {
  TraceText text(path, problems);
  TraceHandler handler(text, problems);
  std::istream stream(&text);
  const bool is_whole = read_json_events<ordered_json>(stream, handler);
  if (text.is_broken()) problems.fail("its compressed data are damaged");
  if (!is_whole && !handler.events.is_cut) problems.fail("it is no profile");
  nest(handler.events.ops, problems);
  std::ranges::sort(handler.events.steps, {}, &TraceOp::start);
  std::ranges::stable_sort(handler.events.kernels, {}, &TraceKernel::start);
  std::ranges::stable_sort(handler.events.calls, {}, &TraceCall::correlation);
  return std::move(handler.events);
}

}  // namespace stcsim
