#pragma once

#include <memory>
#include <vector>

#include "models/base/unit_ports.hpp"

namespace stcsim {

/// Input of a module that owns an agenda: passes messages on to one of its units and plans the
/// module's next turn.
template <class Message, class Module>
class WayIn final : public InputInterface<Message> {
 public:
  explicit WayIn(Module& module) : module_(module) {}
  void lead_to(InputInterface<Message>& unit) { unit_ = &unit; }

  OutPort<Message>& wire_from(const Sender& sender) override {
    wires_.push_back(std::make_unique<Wire>(unit_->wire_from(sender), module_));
    return *wires_.back();
  }

 private:
  class Wire final : public OutPort<Message> {
   public:
    Wire(OutPort<Message>& unit, Module& module) : unit_(unit), module_(module) {}
    void send(Cycle at, const Message& message) override {
      unit_.send(at, message);
      module_.arm();
    }

   private:
    OutPort<Message>& unit_;
    Module& module_;
  };

  Module& module_;
  InputInterface<Message>* unit_ = nullptr;
  std::vector<std::unique_ptr<Wire>> wires_;
};

}  // namespace stcsim
