#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/base/inbox.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

// `Consumer` is Wakeable, or a class that has its own wake(), which then is called directly.

/// Point-to-point wire: puts messages into the consumer's inbox and wakes it on arrival.
template <class Message, class Consumer>
class StreamChannel : public OutPort<Message> {
 public:
  /// @param sender  decides among messages of several senders that arrive in the same cycle
  StreamChannel(Inbox<Message>& inbox, Consumer& consumer, std::int64_t sender)
      : inbox_(inbox), consumer_(consumer), sender_(sender) {}

  void send(Cycle at, const Message& message) override {
    inbox_.push(at, sender_, message);
    consumer_.wake(at);
  }

 private:
  Inbox<Message>& inbox_;
  Consumer& consumer_;
  std::int64_t sender_;
};

/// Wire to a unit that need not be woken by what it does not wait for: it finds such a message when
/// it acts anyway.
template <class Message, class Consumer, class Core>
class LazyChannel : public OutPort<Message> {
 public:
  LazyChannel(Inbox<Message>& inbox, Consumer& consumer, const Core& core)
      : inbox_(inbox), consumer_(consumer), core_(core) {}

  void send(Cycle at, const Message& message) override {
    inbox_.push(at, 0, message);
    if (core_.awaits(message)) consumer_.wake(at);
  }

 private:
  Inbox<Message>& inbox_;
  Consumer& consumer_;
  const Core& core_;
};

/// Wire out of an SM: the message is sent for all members of the SM's group.
template <class Message, class Consumer>
class GroupChannel : public OutPort<Message> {
 public:
  GroupChannel(Inbox<Message>& inbox, Consumer& consumer, const SmGroups& groups, std::int64_t sm)
      : inbox_(inbox), consumer_(consumer), groups_(groups), sm_(sm) {}

  void send(Cycle at, const Message& message) override {
    Message for_all = message;
    for_all.sms = groups_.members(sm_);
    inbox_.push(at, sm_, for_all);
    consumer_.wake(at);
  }

 private:
  Inbox<Message>& inbox_;
  Consumer& consumer_;
  const SmGroups& groups_;
  std::int64_t sm_;
};

/// Who sends: the number of its SM, and its own among its equals there. It decides among messages
/// of several senders that arrive in the same cycle.
struct Sender {
  std::int64_t sm = 0;
  std::int64_t unit = 0;
};

/// The wire that binds an output of one unit and an input of another. Messages do not pass through
/// it: it is asked once, after elaboration, for the end of a wire.
template <class Message>
class InputInterface : public virtual sc_core::sc_interface {
 public:
  virtual OutPort<Message>& wire_from(const Sender& sender) = 0;
};

template <class Message>
using InputExport = sc_core::sc_export<InputInterface<Message>>;
/// `wires`: how many inputs it may be bound to; 0 = any number. At least one it must.
template <class Message, int wires = 1>
using OutputPort = sc_core::sc_port<InputInterface<Message>, wires, sc_core::SC_ONE_OR_MORE_BOUND>;

/// Connects an output with an input of another unit, or with one of the unit around it.
template <class Output, class Input>
void connect(Output& output, Input& input) {
  output(input);
}

/// A unit's input or output as the tree of SystemC's objects has it.
class UnitPort {
 public:
  UnitPort() = default;
  UnitPort(const UnitPort&) = delete;
  UnitPort& operator=(const UnitPort&) = delete;
  virtual ~UnitPort() = default;
  /// The member of the core that it stands for.
  [[nodiscard]] virtual const void* member() const = 0;
  /// After elaboration: gives the core its wires.
  virtual void find_wires(const Sender&) {}
};

template <class Message>
class UnitOutput final : public UnitPort {
 public:
  UnitOutput(const char* name, Wired<OutPort<Message>*>& wire) : port(name), wire_(wire) {}
  [[nodiscard]] const void* member() const override { return &wire_; }
  void find_wires(const Sender& sender) override { wire_ = &port->wire_from(sender); }

  OutputPort<Message> port;

 private:
  Wired<OutPort<Message>*>& wire_;
};

/// An output with a wire to each of several units, in the order in which it is bound to them.
template <class Message>
class UnitOutputs final : public UnitPort {
 public:
  UnitOutputs(const char* name, Wired<std::vector<OutPort<Message>*>>& wires)
      : port(name), wires_(wires) {}
  [[nodiscard]] const void* member() const override { return &wires_; }
  void find_wires(const Sender& sender) override {
    wires_.get().clear();
    for (int at = 0; at < port.size(); ++at) wires_.get().push_back(&port[at]->wire_from(sender));
  }

  OutputPort<Message, 0> port;

 private:
  Wired<std::vector<OutPort<Message>*>>& wires_;
};

template <class Message>
class UnitInput : public UnitPort, public InputInterface<Message> {
 public:
  UnitInput(const char* name, Inbox<Message>& inbox) : port(name), inbox_(inbox) { port(*this); }
  [[nodiscard]] const void* member() const override { return &inbox_; }
  OutPort<Message>& wire_from(const Sender& sender) override {
    wires_.push_back(make_wire(sender));
    return *wires_.back();
  }

  InputExport<Message> port;

 protected:
  [[nodiscard]] Inbox<Message>& inbox() { return inbox_; }

 private:
  virtual std::unique_ptr<OutPort<Message>> make_wire(const Sender& sender) = 0;

  Inbox<Message>& inbox_;
  std::vector<std::unique_ptr<OutPort<Message>>> wires_;
};

/// Input of a unit from units beside it.
template <class Unit, class Message>
class InputFromUnits final : public UnitInput<Message> {
 public:
  InputFromUnits(const char* name, Inbox<Message>& inbox, Unit& unit)
      : UnitInput<Message>(name, inbox), unit_(unit) {}

 private:
  std::unique_ptr<OutPort<Message>> make_wire(const Sender& sender) override {
    return std::make_unique<StreamChannel<Message, Unit>>(this->inbox(), unit_, sender.unit);
  }

  Unit& unit_;
};

/// The same of messages that do not wake the unit unless its core awaits them.
template <class Core, class Unit, class Message>
class AwaitedInput final : public UnitInput<Message> {
 public:
  AwaitedInput(const char* name, Inbox<Message>& inbox, Unit& unit, const Core& core)
      : UnitInput<Message>(name, inbox), unit_(unit), core_(core) {}

 private:
  std::unique_ptr<OutPort<Message>> make_wire(const Sender&) override {
    return std::make_unique<LazyChannel<Message, Unit, Core>>(this->inbox(), unit_, core_);
  }

  Unit& unit_;
  const Core& core_;
};

/// Input of a shared unit from the SMs: what an SM sends, all members of its group send.
template <class Unit, class Message>
class InputFromSms final : public UnitInput<Message> {
 public:
  InputFromSms(const char* name, Inbox<Message>& inbox, Unit& unit, const SmGroups& groups)
      : UnitInput<Message>(name, inbox), unit_(unit), groups_(groups) {}

 private:
  std::unique_ptr<OutPort<Message>> make_wire(const Sender& sender) override {
    return std::make_unique<GroupChannel<Message, Unit>>(this->inbox(), unit_, groups_, sender.sm);
  }

  Unit& unit_;
  const SmGroups& groups_;
};

}  // namespace stcsim
