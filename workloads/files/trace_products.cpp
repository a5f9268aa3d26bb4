#include "workloads/files/trace_products.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stcsim {
namespace {

using Dims = std::vector<std::int64_t>;

using ProductKind = TraceProduct::Kind;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What an operator multiplies, if it does.
std::optional<ProductKind> kind_of(const std::string& name) {
  if (!name.starts_with("aten::")) return std::nullopt;
  const std::string_view op = std::string_view(name).substr(6);
  if (op == "mm" || op == "addmm" || op == "_scaled_mm" || op == "_addmm_activation") {
    return ProductKind::mm;
  }
  if (op == "bmm" || op == "baddbmm") return ProductKind::bmm;
  const bool is_fused = op.starts_with("_scaled_dot_product_") ||
                        op.starts_with("_flash_attention") ||
                        op.starts_with("_efficient_attention");
  if (is_fused && !contains(op, "attention_math")) return ProductKind::attention;
  const bool convolves =
      std::ranges::any_of(words_in("convolution conv1d conv2d conv3d conv_transpose"),
                          [&](std::string_view word) { return contains(op, word); });
  return convolves && !contains(op, "overrideable_bias") ? std::optional(ProductKind::convolution)
                                                         : std::nullopt;
}

bool is_gradient(const TraceOp& op) {
  return op.name.starts_with("aten::") && contains(op.name, "backward");
}

std::string text_of(const TraceOp& op) {
  std::string text = op.name;
  for (const Dims& dims : op.dims) {
    if (!dims.empty()) text += fmt::format(" [{}]", fmt::join(dims, ", "));
  }
  return text;
}

bool are_sizes(const Dims& dims, std::size_t count) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return dims.size() == count &&
         std::ranges::all_of(dims, [](std::int64_t size) { return size >= 1 && size <= kMost; });
}

/// Whether a query meets the keys before it only: of all attention operators the first flag behind
/// the rate of dropout, the only number with a point there (other flags are before it); xformers'
/// has a kind of mask, 1 or 2, instead.
bool is_causal(const TraceOp& op) {
  const auto dropout = std::ranges::find_if(
      op.values, [](const std::string& value) { return contains(value, "."); });
  const auto flag = std::find_if(dropout, op.values.end(), [](const std::string& value) {
    return value == "True" || value == "False" || value == "0" || value == "1" || value == "2";
  });
  return flag != op.values.end() && *flag != "False" && *flag != "0";
}

/// Finds the products of one step.
class StepReader {
 public:
  StepReader(const TraceEvents& events, Problems& problems)
      : events_(events), problems_(problems), launches_(events) {
    for (const TraceOp& op : events.ops) kinds_.push_back(kind_of(op.name));
  }

  TraceStep read() {
    choose_step();
    for (std::size_t at = 0; at < events_.ops.size(); ++at) {
      if (is_inside(events_.ops[at].start)) take(static_cast<int>(at));
    }
    for (std::size_t at = 0; at < events_.kernels.size(); ++at) take_kernel(at);
    add_up_products(events_, step_);
    return std::move(step_);
  }

 private:
  /// The last step with products, as profilers leave empty ones behind; all of the file where no
  /// step has any. A step that the file's end may cut does not count.
  void choose_step() {
    step_.steps = std::max<std::size_t>(1, events_.steps.size());
    const std::size_t whole = events_.steps.size() - (events_.is_cut && step_.steps > 1 ? 1 : 0);
    const TraceOp* last = nullptr;
    for (std::size_t at = 0; at < events_.ops.size(); ++at) {
      if (!kinds_[at]) continue;
      const double start = events_.ops[at].start;
      const auto after = std::ranges::upper_bound(events_.steps, start, {}, &TraceOp::start);
      const auto number = static_cast<std::size_t>(after - events_.steps.begin());
      if (number == 0 || number > whole) continue;
      const TraceOp& step = events_.steps[number - 1];
      if (start < step.end() && (last == nullptr || step.start > last->start)) last = &step;
    }
    if (last == nullptr) return;
    step_.name = last->name;
    begin_ = last->start;
    end_ = last->end();
  }

  [[nodiscard]] bool is_inside(double time) const { return time >= begin_ && time < end_; }
  [[nodiscard]] const TraceOp& op_at(int index) const {
    return events_.ops[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::optional<ProductKind> kind_at(int index) const {
    return kinds_[static_cast<std::size_t>(index)];
  }

  /// The nearest operator around it that `fits`; below 0 if there is none.
  template <class Fits>
  [[nodiscard]] int around(int index, Fits fits) const {
    int at = op_at(index).parent;
    while (at >= 0 && !fits(at)) at = op_at(at).parent;
    return at;
  }

  /// Whether an operator around it is a product already.
  [[nodiscard]] bool is_counted(int index) const {
    return around(index, [&](int at) { return kind_at(at).has_value(); }) >= 0;
  }

  /// The autograd node around it, if there is one: it has the forward operator's number.
  [[nodiscard]] int autograd_node(int index) const {
    return around(index, [&](int at) {
      const TraceOp& op = op_at(at);
      return contains(op.name, "Backward") && !op.name.starts_with("aten::") && op.sequence >= 0;
    });
  }

  /// The last numbered operator of the same product inside it: autocast calls itself anew with cast
  /// operands, and it is that call which the backward operator names.
  [[nodiscard]] int innermost(int index) const {
    const TraceOp& op = op_at(index);
    int found = index;
    for (auto at = static_cast<std::size_t>(index) + 1; at < events_.ops.size(); ++at) {
      const TraceOp& inner = events_.ops[at];
      if (inner.thread != op.thread || inner.start >= op.end()) break;
      const bool is_same = kinds_[at] == kind_at(index) && inner.sequence > op_at(found).sequence;
      if (is_same) found = static_cast<int>(at);
    }
    return found;
  }

  void take(int index) {
    if (!kind_at(index) || is_counted(index)) return;
    TraceProduct product;
    product.kind = *kind_at(index);
    product.op = index;
    const int node = autograd_node(index);
    const TraceOp& op = op_at(index);
    product.is_backward = node >= 0 || is_gradient(op);
    const int within = innermost(index);
    product.sequence = op_at(node >= 0 ? node : within).sequence;
    for (const std::string& type : op_at(within).types) {
      if (product.dtype.empty()) product.dtype = type;
    }
    const bool is_read = product.kind == ProductKind::attention     ? take_attention(product)
                         : product.kind == ProductKind::convolution ? take_convolution(product)
                                                                    : take_product(product);
    if (!is_read) {
      return problems_.add(fmt::format("{} has no sizes that make a product", text_of(op)));
    }
    owner_[index] = step_.products.size();
    step_.products.push_back(std::move(product));
  }

  bool take_product(TraceProduct& product) const {
    const TraceOp& op = op_at(product.op);
    const std::size_t first = contains(op.name, "add") ? 1 : 0;
    const std::size_t rank = product.kind == ProductKind::bmm ? 3 : 2;
    if (op.dims.size() < first + 2) return false;
    const Dims& a = op.dims[first];
    const Dims& b = op.dims[first + 1];
    if (!are_sizes(a, rank) || !are_sizes(b, rank)) return false;
    const std::int64_t count = rank == 3 ? a[0] : 1;
    product.sizes = {count, a[rank - 2], b[rank - 1], a[rank - 1]};
    return b[rank - 2] == a[rank - 1] && (rank == 2 || b[0] == count);
  }

  bool take_attention(TraceProduct& product) const {
    const TraceOp& op = op_at(product.op);
    const std::size_t first = is_gradient(op) ? 1 : 0;
    if (op.dims.size() < first + 3) return false;
    const Dims& q = op.dims[first];
    const Dims& k = op.dims[first + 1];
    if (!are_sizes(q, 4) || !are_sizes(k, 4)) return false;
    product.sizes = {q[0] * std::min(q[1], std::numeric_limits<std::int64_t>::max() / q[0]), q[2],
                     k[2], q[3]};
    product.is_causal = is_causal(op);
    return true;
  }

  bool take_convolution(TraceProduct& product) const {
    const TraceOp& op = op_at(product.op);
    if (!is_gradient(op)) {
      if (op.dims.size() < 2) return false;
      product.input = op.dims[0];
      product.weight = op.dims[1];
      return product.input.size() >= 3 && are_sizes(product.input, product.input.size()) &&
             are_sizes(product.weight, product.input.size());
    }
    if (op.dims.size() < 3) return false;
    if (contains(op.name, "backward_input") || contains(op.name, "backward_weight")) {
      product.has_dgrad = contains(op.name, "backward_input");
      product.has_wgrad = !product.has_dgrad;
      product.output = op.dims[1];
      (product.has_dgrad ? product.weight : product.input) = op.dims[2];
    } else {
      const bool is_new = contains(op.name, "::convolution_backward");
      product.output = op.dims[is_new ? 0 : 1];
      product.input = op.dims[is_new ? 1 : 0];
      product.weight = op.dims[2];
    }
    find_gradients(product);
    return are_sizes(product.output, product.output.size()) && product.output.size() >= 3;
  }

  /// By the mask, else by the operators inside; both where nothing says which.
  void find_gradients(TraceProduct& product) const {
    if (product.has_dgrad || product.has_wgrad) return;
    const TraceOp& op = op_at(product.op);
    if (!op.values.empty() && contains(op.values.back(), "[")) {
      const std::string_view mask = op.values.back();
      const std::size_t comma = mask.find(',');
      product.has_dgrad = contains(mask.substr(0, comma), "True");
      product.has_wgrad = comma != std::string_view::npos &&
                          contains(mask.substr(comma, mask.find(',', comma + 1) - comma), "True");
      return;
    }
    for (std::size_t at = static_cast<std::size_t>(product.op) + 1; at < events_.ops.size(); ++at) {
      const TraceOp& inner = events_.ops[at];
      if (inner.thread != op.thread || inner.start >= op.end()) break;
      if (contains(inner.name, "backward_input")) product.has_dgrad = true;
      if (contains(inner.name, "backward_weight")) product.has_wgrad = true;
    }
    if (!product.has_dgrad && !product.has_wgrad) product.has_dgrad = product.has_wgrad = true;
  }

  void take_kernel(std::size_t at) {
    const TraceKernel& kernel = events_.kernels[at];
    const bool is_kernel = kernel.what == TraceKernel::What::kernel;
    TraceLaunch launch = launches_.launch_of(at);
    find_product(launch);
    const bool is_known = launch.op >= 0;
    const double time = is_known ? op_at(launch.op).start : kernel.start;
    if (launch.product < 0 && !is_inside(time)) return;
    if (is_kernel && !is_known) take_outside(kernel);
    if (is_kernel && is_known && launch.product < 0) {
      ++step_.other_kernels;
      step_.other_time += kernel.length;
    }
    step_.launches.push_back(launch);
  }

  /// The product within whose operator it was launched, if there is one. A copy there is autocast's
  /// cast of an operand or a change of layout, a sum or an addition that of a convolution's bias.
  void find_product(TraceLaunch& launch) const {
    static const auto beside = words_in("aten::copy_ aten::add_ aten::sum");
    const bool is_known = launch.op >= 0;
    if (is_known && std::ranges::find(beside, op_at(launch.op).name) != beside.end()) return;
    for (int at = launch.op; at >= 0 && launch.product < 0; at = op_at(at).parent) {
      launch.is_weight = launch.is_weight || contains(op_at(at).name, "backward_weight");
      const auto found = owner_.find(at);
      if (found != owner_.end()) launch.product = static_cast<std::int64_t>(found->second);
    }
  }

  void take_outside(const TraceKernel& kernel) {
    ++step_.outside_kernels;
    constexpr std::size_t kMostNames = 3;
    const std::string name = kernel.name.substr(0, kernel.name.find_first_of("<("));
    const bool is_new = std::ranges::find(step_.outside_names, name) == step_.outside_names.end();
    if (is_new && step_.outside_names.size() < kMostNames) step_.outside_names.push_back(name);
  }

  const TraceEvents& events_;
  Problems& problems_;
  TraceLaunches launches_;
  TraceStep step_;
  double begin_ = -std::numeric_limits<double>::infinity();
  double end_ = std::numeric_limits<double>::infinity();
  std::vector<std::optional<ProductKind>> kinds_;
  /// Products by their operator.
  std::map<int, std::size_t> owner_;
};

}  // namespace

TraceStep last_step(const TraceEvents& events, Problems& problems) {
  if (!events.has_shapes && events.is_cut) {
    problems.fail(
        fmt::format("it is cut off after {} operators, none with a shape", events.ops.size()));
  }
  if (!events.has_shapes) {
    problems.fail(
        fmt::format("it has {} operators and not the shape of one: record with "
                    "torch.profiler.profile(record_shapes=True)",
                    events.ops.size()));
  }
  return StepReader(events, problems).read();
}

}  // namespace stcsim
