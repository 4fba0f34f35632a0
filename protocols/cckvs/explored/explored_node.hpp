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

  void send_all(const CacheMessage& message, sim::OperationId put) override {
    for (std::uint8_t to = 0; to < nodes_; ++to) {
      if (to != self_) send(to, message, put);
    }
  }
  void send(NodeId to, const CacheMessage& message, sim::OperationId) override {
    all_.send(Flight{self_, static_cast<std::uint8_t>(to), message.type,
                     static_cast<std::uint8_t>(message.timestamp.version), message.timestamp.node,
                     static_cast<std::uint8_t>(message.value)});
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

  void tell_all(HandOverMessage message, sim::Key key, const std::optional<Stored>& copy) override {
    for (std::uint8_t to = 0; to < nodes_; ++to) {
      if (to != self_) tell_home(to, message, key, copy);
    }
  }
  void tell_home(NodeId to, HandOverMessage message, sim::Key, const std::optional<Stored>& copy) override {
    all_.send(Control{self_, static_cast<std::uint8_t>(to), message, copy});
  }
  Stored load(sim::Key) override { return all_.now_.stored; }
  void store(sim::Key, const Stored& stored) override { all_.now_.stored = stored; }
  void served(const Stalled& request, sim::Key, const Stored& stored) override {
    if (request.is_put) all_.committed(self_, stored.timestamp);
    all_.answered(self_, request.operation - 1, stored);
  }
  void send_home(NodeId, sim::Key, const Stalled& operation) override {
    all_.now_.sessions[operation.operation - 1].stage = Session::Stage::request;
  }

  Cache cache;
  HandOver hand_over;

 private:
  ExploredCaches& all_;
  std::uint8_t self_, nodes_;
};

}  // namespace racksim::cckvs
