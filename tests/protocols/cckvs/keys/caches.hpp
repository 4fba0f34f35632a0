// The caches of a few nodes and one key, with every message in the test's hands: it delivers them in whichever order it
// wants, loses them, or delivers them twice.
#pragma once

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocols/cckvs/keys/cache.hpp"

namespace racksim::cckvs::testing {

inline constexpr std::uint64_t kOld = 100;  ///< the value at first

inline constexpr std::string_view kKinds = "iau";  ///< of messages, by CacheMessage::Type

struct Message {
  char kind;  ///< 'i'nvalidation, 'a'cknowledgement, 'u'pdate
  NodeId from, to;
  Timestamp timestamp;
  std::uint64_t value;

  std::string text() const { return fmt::format("{} {}->{} {}.{}", kind, from, to, timestamp.version, timestamp.node); }
};

class Caches {
 public:
  explicit Caches(const Rules& rules, NodeId nodes = 3, Timestamp first = {}) {
    for (NodeId node = 0; node < nodes; ++node) {
      nodes_.push_back(std::make_unique<Node>(*this, node, nodes, rules));
      nodes_.back()->cache.install(sim::Key(7u), first, sim::Value(kOld));
    }
  }

  void get(NodeId node, std::uint64_t operation) { cache(node).get(sim::Key(7u), sim::OperationId(operation)); }
  /// Writes the operation's own number.
  void put(NodeId node, std::uint64_t operation) {
    cache(node).put(sim::Key(7u), sim::OperationId(operation), sim::Value(operation));
  }
  void time_out(NodeId node) { cache(node).time_out(sim::Key(7u)); }

  /// Delivers the first message under way of this kind between these nodes, which stays under way if `again`.
  void deliver(char kind, NodeId from, NodeId to, bool again = false) {
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (sent[i].kind != kind || sent[i].from != from || sent[i].to != to) continue;
      const Message message = sent[i];
      if (!again) sent.erase(sent.begin() + static_cast<std::ptrdiff_t>(i));
      return receive(message);
    }
    FAIL("no message " << kind << " from " << from << " to " << to << " is under way");
  }
  void deliver_all() {
    while (!sent.empty()) {
      const Message message = sent.front();
      sent.erase(sent.begin());
      receive(message);
    }
  }

  Cache& cache(NodeId node) { return nodes_.at(node)->cache; }
  const Entry& entry(NodeId node) { return *cache(node).find(sim::Key(7u)); }
  CacheState state(NodeId node) { return entry(node).header.state; }
  Timestamp timestamp(NodeId node) { return entry(node).header.timestamp(); }
  std::uint64_t value(NodeId node) { return entry(node).value; }
  std::vector<std::string> under_way() const {
    std::vector<std::string> texts;
    for (const Message& message : sent) texts.push_back(message.text());
    return texts;
  }
  /// Takes what has been told to sessions: "get 1 = 100", "put 2", "put 3 lost", "1 waits".
  std::vector<std::string> told() { return std::exchange(told_, {}); }
  /// "valid 0", "hidden 0": which copies could be read, in order.
  const std::vector<std::string>& readable() const { return readable_; }

  std::vector<Message> sent;  ///< under way

 private:
  struct Node final : Outbox {
    Node(Caches& all, NodeId number, NodeId nodes, const Rules& rules)
        : caches(all), self(number), others(nodes), cache(number, nodes, rules, *this) {}

    void send_all(const CacheMessage& message, sim::OperationId put) override {
      for (NodeId to = 0; to < others; ++to) {
        if (to != self) send(to, message, put);
      }
    }
    void send(NodeId to, const CacheMessage& message, sim::OperationId) override {
      caches.sent.push_back(
          {kKinds[static_cast<std::size_t>(message.type)], self, to, message.timestamp, message.value});
    }
    void answered(sim::OperationId get, sim::Key, sim::Value value) override {
      caches.told_.push_back(fmt::format("get {} = {}", get, value));
    }
    void committed(sim::OperationId, sim::Key, Timestamp, sim::Value) override {}
    void returned(sim::OperationId put, sim::Key, bool superseded) override {
      caches.told_.push_back(fmt::format("put {}{}", put, superseded ? " lost" : ""));
    }
    void stalled(sim::OperationId operation, sim::Key) override {
      caches.told_.push_back(fmt::format("{} waits", operation));
    }
    void readable(sim::Key, bool can_be_read) override {
      caches.readable_.push_back(fmt::format("{} {}", can_be_read ? "valid" : "hidden", self));
    }

    Caches& caches;
    NodeId self, others;
    Cache cache;
  };

  void receive(const Message& message) {
    cache(message.to)
        .receive(message.from, {.key = sim::Key(7u),
                                .value = sim::Value(message.value),
                                .timestamp = message.timestamp,
                                .type = static_cast<CacheMessage::Type>(kKinds.find(message.kind))});
  }

  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::string> told_, readable_;
};

using Texts = std::vector<std::string>;

}  // namespace racksim::cckvs::testing
