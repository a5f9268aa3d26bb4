#include "workloads/files/profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/io/json_text.hpp"
#include "common/io/problems.hpp"
#include "common/version.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kPhaseMark = "phase:";
constexpr std::string_view kAutograd = "autograd::engine::evaluate_function: ";
constexpr double kNanosecondsOfUs = 1000;  // of a microsecond
/// A call of the runtime that takes longer, in microseconds, waits for the GPU: its queue is full.
constexpr double kLongestLaunch = 100;
constexpr std::array<std::string_view, 3> kStepPhases{"forward", "backward", "optimizer"};

const TraceKernel& kernel_of(const Profile& profile, const TraceLaunch& launch) {
  return profile.events.kernels[launch.kernel];
}

const TraceOp* op_of(const Profile& profile, int at) {
  return at < 0 ? nullptr : &profile.events.ops[static_cast<std::size_t>(at)];
}

std::string_view what_name(TraceKernel::What what) {
  constexpr std::array<std::string_view, 3> kNames{"kernel", "copy", "fill"};
  return kNames.at(static_cast<std::size_t>(what));
}

std::string_view product_kind(const Profile& profile, const TraceLaunch& launch) {
  if (launch.product < 0) return "";
  const TraceProduct& product = profile.step.products[static_cast<std::size_t>(launch.product)];
  return product.kind == TraceProduct::Kind::attention ? "attention" : "product";
}

/// Microseconds to a nanosecond, as profiles have them.
double to_the_nanosecond(double us) {
  return std::round(us * kNanosecondsOfUs) / kNanosecondsOfUs;
}

}  // namespace

Profile read_profile(const std::filesystem::path& path) {
  Problems problems(path.string(), "PyTorch profile");
  Profile profile{read_trace_events(path, problems), {}};
  profile.step = last_step(profile.events, problems);
  if (profile.step.launches.empty()) {
    if (profile.events.is_cut) problems.fail("it ends before anything ran on a GPU: it is cut off");
    problems.fail(
        "nothing ran on a GPU in it: record with activities=[ProfilerActivity.CPU, "
        "ProfilerActivity.CUDA], and wait for the GPU (torch.cuda.synchronize()) before the end");
  }
  return profile;
}

ProfileTimes times_of(const Profile& profile) {
  ProfileTimes times;
  const double begin = kernel_of(profile, profile.step.launches.front()).start;
  double end = begin;
  for (const TraceLaunch& launch : profile.step.launches) {
    const TraceKernel& kernel = kernel_of(profile, launch);
    const std::array<double*, 3> parts{&times.kernels, &times.copies, &times.fills};
    *parts.at(static_cast<std::size_t>(kernel.what)) += kernel.length;
    times.overlapping += std::max(0.0, std::min(end, kernel.end()) - kernel.start);
    end = std::max(end, kernel.end());
  }
  times.span = end - begin;
  times.idle = times.span - times.kernels - times.copies - times.fills;
  return times;
}

MeasuredStep measured_step_of(const Profile& profile) {
  const ProfileTimes times = times_of(profile);
  double optimizer = 0;
  double first = std::numeric_limits<double>::infinity();
  double last = 0;
  for (const TraceLaunch& launch : profile.step.launches) {
    first = std::min(first, launch.time);
    last = std::max(last, launch.time);
    const TraceKernel& kernel = kernel_of(profile, launch);
    const bool is_beside = kernel.what == TraceKernel::What::kernel && launch.product < 0;
    if (is_beside && phase_of(profile, launch) == kStepPhases[2]) optimizer += kernel.length;
  }
  double waits = 0;
  for (const TraceCall& call : profile.events.calls) {
    const bool is_inside = call.start >= first && call.start < last;
    if (is_inside) waits += std::max(0.0, call.length - kLongestLaunch);
  }
  const auto ns = [](double us) { return std::llround(us * kNanosecondsOfUs); };
  return {.gpu = profile.events.gpu.empty() ? "unknown" : profile.events.gpu,
          .span_ns = ns(times.span),
          .optimizer_ns = ns(optimizer),
          .others_ns = ns(times.kernels - optimizer),
          .copies_ns = ns(times.copies),
          .fills_ns = ns(times.fills),
          .launches = static_cast<std::int64_t>(profile.step.launches.size()),
          .host_ns = ns(std::max(0.0, last - first - waits))};
}

std::string_view phase_of(const Profile& profile, const TraceLaunch& launch) {
  bool has_marks = false;
  bool is_optimizer = false;
  for (const TraceOp& mark : profile.events.marks) {
    const bool is_phase = mark.name.starts_with(kPhaseMark);
    has_marks = has_marks || is_phase;
    if (launch.time < mark.start || launch.time >= mark.end()) continue;
    const std::string_view name = std::string_view(mark.name).substr(kPhaseMark.size());
    const auto* const known = std::ranges::find(kStepPhases, name);
    if (is_phase && known != kStepPhases.end()) return *known;
    is_optimizer = is_optimizer || !is_phase;
  }
  if (is_optimizer) return kStepPhases[2];
  for (const TraceOp* op = op_of(profile, launch.op); op != nullptr;
       op = op_of(profile, op->parent)) {
    if (op->name.starts_with(kAutograd)) return kStepPhases[1];
    const bool is_node = op->name.find("Backward") != std::string::npos && op->sequence >= 0;
    if (is_node && !op->name.starts_with("aten::")) return kStepPhases[1];
  }
  return kStepPhases[0];
}

std::string_view outermost_of(const Profile& profile, const TraceLaunch& launch) {
  std::string_view name;
  for (const TraceOp* op = op_of(profile, launch.op); op != nullptr;
       op = op_of(profile, op->parent)) {
    name = op->name;
  }
  if (name.starts_with(kAutograd)) name.remove_prefix(kAutograd.size());
  return name;
}

std::string profile_to_json(const Profile& profile) {
  const ProfileTimes times = times_of(profile);
  ordered_json document{{"schema", "stcsim.profile/1"},
                        {"version", program_version()},
                        {"gpu", profile.events.gpu},
                        {"step", profile.step.name},
                        {"steps", profile.step.steps},
                        {"is_cut", profile.events.is_cut},
                        {"span_us", to_the_nanosecond(times.span)},
                        {"kernels_us", to_the_nanosecond(times.kernels)},
                        {"copies_us", to_the_nanosecond(times.copies)},
                        {"fills_us", to_the_nanosecond(times.fills)},
                        {"overlapping_us", to_the_nanosecond(times.overlapping)},
                        {"idle_us", to_the_nanosecond(times.idle)},
                        {"events", ordered_json::array()}};
  const double begin = kernel_of(profile, profile.step.launches.front()).start;
  for (const TraceLaunch& launch : profile.step.launches) {
    const TraceKernel& kernel = kernel_of(profile, launch);
    const TraceOp* const op = op_of(profile, launch.op);
    document["events"].push_back(
        {{"name", kernel.name},
         {"what", what_name(kernel.what)},
         {"phase", phase_of(profile, launch)},
         {"operator", op == nullptr ? "" : op->name},
         {"around", outermost_of(profile, launch)},
         {"shapes", op == nullptr ? ordered_json::array() : ordered_json(op->dims)},
         {"product", product_kind(profile, launch)},
         {"start_us", to_the_nanosecond(kernel.start - begin)},
         {"us", to_the_nanosecond(kernel.length)}});
  }
  return document_text(document);
}

}  // namespace stcsim
