#pragma once

#include "models/base/kernel_launch.hpp"
#include "models/base/messages.hpp"

namespace stcsim {

/// How CTAs and messages describe themselves to a state visitor (state_visitor.hpp). What follows
/// from a CTA's number is worked out anew, so that it is right after the state has been moved.
template <class Visitor>
void visit_position(Visitor& visitor, const KernelLaunch& kernel, CtaPosition& position) {
  visitor.cta(position.cta);
  position = kernel.position(position.cta);
}

/// For Inbox<CtaStart>.
template <class Visitor>
auto visit_start(Visitor& visitor, const KernelLaunch& kernel) {
  return [&](CtaStart& start) {
    visitor.value(start.slot);
    visit_position(visitor, kernel, start.position);
  };
}

/// A load on its way to, or waiting in, the L2 cache. The sizes stay what they are: only states
/// whose loads have equal sizes are taken for equal.
template <class Visitor>
void visit_load(Visitor& visitor, const KernelLaunch& kernel, LoadRequest& request) {
  visitor.value(request.sm);
  visitor.value(request.slot);
  visitor.value(request.operand);
  visitor.value(request.bytes);
  visitor.value(request.fill_bytes);
  visitor.step(request.step, request.sm, request.slot);
  visitor.cta(request.cta);
  const CtaPosition position = kernel.position(request.cta);
  request.strip = kernel.distinct_strip(request.operand, position);
  request.slice = kernel.distinct_slice(request.operand, position, request.step);
}

/// For Inbox<LoadResponse>.
template <class Visitor>
auto visit_response(Visitor& visitor) {
  return [&](LoadResponse& response) {
    visitor.value(response.sm);
    visitor.value(response.slot);
    visitor.value(response.bytes);
    visitor.step(response.step, response.sm, response.slot);
  };
}

/// For Inbox<StoreRequest>.
template <class Visitor>
auto visit_store(Visitor& visitor) {
  return [&](StoreRequest& request) {
    visitor.value(request.sm);
    visitor.value(request.slot);
    visitor.value(request.bytes);
    visitor.value(request.workspace);
  };
}

}  // namespace stcsim
