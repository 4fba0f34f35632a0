// A node of the exploration: its cache and hand-over, and what they tell. See explored_caches.hpp.
#pragma once

#include <optional>

#include "protocols/cckvs/explored/explored_caches.hpp"

namespace racksim::cckvs {

class ExploredCaches::Node final : public Outbox, public HandOverOutbox {
 public:
  Node(ExploredCaches& all, NodeId self, std::uint32_t nodes, const Rules& rules, sim::CoverageProbe coverage)
      : cache(self, nodes, rules, *this, coverage),
        hand_over(self, nodes, rules, cache, *this, coverage),
        all_(all),
        self_(static_cast<std::uint8_t>(self)),
        nodes_(static_cast<std::uint8_t>(nodes)) {}

  void invalidate_all(sim::Key, Timestamp timestamp, sim::OperationId) override {
    broadcast(Flight::Kind::invalidation, timestamp, sim::Value{});
  }
  void update_all(sim::Key, Timestamp timestamp, sim::Value value, sim::OperationId) override {
    broadcast(Flight::Kind::update, timestamp, value);
  }
  void invalidate_one(NodeId to, sim::Key, Timestamp timestamp, sim::OperationId) override {
    send(to, Flight::Kind::invalidation, timestamp, sim::Value{});
  }
  void update_one(NodeId to, sim::Key, Timestamp timestamp, sim::Value value) override {
    send(to, Flight::Kind::update, timestamp, value);
  }
  void acknowledge(NodeId to, sim::Key, Timestamp timestamp) override {
    send(to, Flight::Kind::acknowledgement, timestamp, sim::Value{});
  }
  void answered(sim::OperationId get, sim::Key key, sim::Value value) override {
    all_.answered(self_, get - 1, {cache.find(key)->header.timestamp(), value});
  }
  void committed(sim::OperationId, sim::Key, Timestamp timestamp, sim::Value) override {
    all_.committed(self_, timestamp);
  }
  void returned(sim::OperationId put, sim::Key key, bool) override {
    const Entry& entry = *cache.find(key);
    all_.answered(self_, put - 1, {entry.header.timestamp(), entry.value});
  }
  void stalled(sim::OperationId, sim::Key) override {}
  void readable(sim::Key, bool) override {}

  void install_all(sim::Key, const Stored& copy) override { control_all(Control::Kind::install, copy); }
  void activate_all(sim::Key) override { control_all(Control::Kind::activate, {}); }
  void seal_all(sim::Key) override { control_all(Control::Kind::seal, {}); }
  void done_all(sim::Key) override { control_all(Control::Kind::done, {}); }
  void tell_installed(NodeId home, sim::Key) override { control(home, Control::Kind::installed, {}); }
  void tell_sealed(NodeId home, sim::Key, const std::optional<Stored>& copy) override {
    control(home, Control::Kind::sealed, copy);
  }
  Stored load(sim::Key) override { return all_.now_.stored; }
  void store(sim::Key, const Stored& stored) override { all_.now_.stored = stored; }
  void served(const Stalled& request, sim::Key, const Stored& stored) override {
    if (request.is_put) all_.committed(self_, stored.timestamp);
    all_.answered(self_, request.operation - 1, stored);
  }
  void send_home(NodeId, sim::Key, const Stalled& operation) override {
    all_.now_.sessions[operation.operation - 1].place = Session::Place::request;
  }

  Cache cache;
  HandOver hand_over;

 private:
  void broadcast(Flight::Kind kind, Timestamp timestamp, sim::Value value) {
    for (std::uint8_t to = 0; to < nodes_; ++to) {
      if (to != self_) send(to, kind, timestamp, value);
    }
  }
  void send(NodeId to, Flight::Kind kind, Timestamp timestamp, sim::Value value) {
    all_.send(Flight{self_, static_cast<std::uint8_t>(to), kind, static_cast<std::uint8_t>(timestamp.version),
                     timestamp.node, static_cast<std::uint8_t>(value)});
  }
  void control_all(Control::Kind kind, const std::optional<Stored>& copy) {
    for (std::uint8_t to = 0; to < nodes_; ++to) {
      if (to != self_) control(to, kind, copy);
    }
  }
  void control(NodeId to, Control::Kind kind, const std::optional<Stored>& copy) {
    all_.send(Control{self_, static_cast<std::uint8_t>(to), kind, copy});
  }

  ExploredCaches& all_;
  std::uint8_t self_, nodes_;
};

}  // namespace racksim::cckvs
