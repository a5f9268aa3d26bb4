#pragma once

#include <concepts>
#include <optional>

#include "models/base/launch_observers.hpp"
#include "models/base/time.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

// A core is plain C++ without SystemC; it has
//
//   static constexpr UnitKind kKind{name, help};
//   static constexpr Hooks kHooks{...};          those of the hooks below that it has
//   void launch(const KernelLaunch&);
//   std::optional<Cycle> advance(Cycle now);     does all that is due, says when it acts next
//   template <class V> void visit_state(V&);     state_visitor.hpp
//
// and, where there is something to say, the hooks
//
//   template <class V> void visit_ports(V&);         its Inboxes and wires, by name
//   template <class V> void visit_children(V&);      cores inside it, by name
//   template <class V> void visit_stage_wires(V&);   its wires to pipeline stages, by name
//   template <class W> void connect_stages(W&);      connects such wires of the cores inside it
//   PipelineStage& first_stage(Core&);               where instructions enter it; not a member
//   template <class V> void visit_statistics(V&, Cycle end) const;    statistics.hpp
//   std::string waiting_for() const;
//   void settle(Cycle now), finish(Cycle end);       accounts the time so far; to the end
//   void restored();                                 finds anew what follows from the state read
//   Wired<Datapath*> datapath, or void tell(Datapath*); Wired<ProgressObserver*> observer;
//
// A core inside another needs no launch() and advance() of these: the one around it calls it.

/// Stands for every visitor.
struct AnyVisitor {};

template <class Core>
concept HasVisitPorts = requires(Core& core, AnyVisitor visitor) {
  core.visit_ports(visitor);
};

template <class Core>
concept HasVisitChildren = requires(Core& core, AnyVisitor visitor) {
  core.visit_children(visitor);
};

template <class Core>
concept HasVisitStageWires = requires(Core& core, AnyVisitor visitor) {
  core.visit_stage_wires(visitor);
};

template <class Core>
concept HasConnectStages = requires(Core& core, AnyVisitor wires) {
  core.connect_stages(wires);
};

template <class Core>
concept HasFirstStage = requires(Core& core) {
  first_stage(core);
};

template <class Core>
concept HasVisitStatistics = requires(const Core& core, AnyVisitor visitor, Cycle end) {
  core.visit_statistics(visitor, end);
};

template <class Core>
concept HasWaitingFor = requires(const Core& core) {
  core.waiting_for();
};

template <class Core>
concept HasSettle = requires(Core& core, Cycle now) {
  core.settle(now);
};

template <class Core>
concept HasFinish = requires(Core& core, Cycle end) {
  core.finish(end);
};

template <class Core>
concept HasRestored = requires(Core& core) {
  core.restored();
};

template <class Core>
concept HasTell = requires(Core& core, Datapath* datapath) {
  core.tell(datapath);
};

template <class Core>
concept HasDatapath = requires(Core& core, Datapath* datapath) {
  core.datapath = datapath;
};

template <class Core>
concept HasObserver = requires(Core& core, ProgressObserver* observer) {
  core.observer = observer;
};

/// The hooks that a core has.
template <class Core>
inline constexpr Hooks kHooksOf{.visit_ports = HasVisitPorts<Core>,
                                .visit_children = HasVisitChildren<Core>,
                                .visit_stage_wires = HasVisitStageWires<Core>,
                                .connect_stages = HasConnectStages<Core>,
                                .first_stage = HasFirstStage<Core>,
                                .visit_statistics = HasVisitStatistics<Core>,
                                .waiting_for = HasWaitingFor<Core>,
                                .settle = HasSettle<Core>,
                                .finish = HasFinish<Core>,
                                .restored = HasRestored<Core>,
                                .tell = HasTell<Core>,
                                .datapath = HasDatapath<Core>,
                                .observer = HasObserver<Core>};

/// A core has the hooks that it lists, and no others.
template <class Core>
concept HasHooksAsListed = Core::kHooks == kHooksOf<Core>;

/// The core of a unit that acts at times of its own.
template <class Core>
concept ClocklessCore = HasHooksAsListed<Core> && requires(Core& core, Cycle now) {
  { core.advance(now) } -> std::same_as<std::optional<Cycle>>;
};

}  // namespace stcsim
