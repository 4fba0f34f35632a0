// The hand-over of a key at its home and at one other node, row by row.
#include "protocols/cckvs/keys/hand_over.hpp"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hand_over_test {

using namespace racksim;
using namespace racksim::cckvs;

namespace {

using Texts = std::vector<std::string>;
constexpr sim::Key kKey = 7;
using Type = CacheMessage::Type;

std::string text_of(const Stored& stored) {
  return fmt::format("{}.{} {}", stored.timestamp.version, stored.timestamp.node, stored.value);
}

/// A node of three that writes down what it tells. As the home it is node 0; its store has 4.2 with 40.
class Node final : public Outbox, public HandOverOutbox {
 public:
  explicit Node(NodeId self, const Rules& rules = {})
      : cache(self, 3, rules, *this), hand_over(self, 3, rules, cache, *this) {}

  void send_all(const CacheMessage& message, sim::OperationId) override { told_.emplace_back(name_of(message.type)); }
  void send(NodeId to, const CacheMessage& message, sim::OperationId) override {
    if (message.type == Type::acknowledgement) told_.push_back(fmt::format("ACK to {}", to));
  }
  void answered(sim::OperationId get, sim::Key, sim::Value value) override {
    told_.push_back(fmt::format("copy: {} = {}", get, value));
  }
  void committed(sim::OperationId, sim::Key, Timestamp, sim::Value) override {}
  void returned(sim::OperationId put, sim::Key, bool) override { told_.push_back(fmt::format("copy: {}", put)); }
  void stalled(sim::OperationId operation, sim::Key) override { told_.push_back(fmt::format("{} waits", operation)); }
  void readable(sim::Key, bool) override {}

  void tell_all(HandOverMessage message, sim::Key, const std::optional<Stored>& copy) override {
    told_.push_back(name_of(message) + (copy ? " " + text_of(*copy) : ""));
  }
  void tell_home(NodeId, HandOverMessage message, sim::Key key, const std::optional<Stored>& copy) override {
    tell_all(message, key, copy);
  }
  Stored load(sim::Key) override { return stored; }
  void store(sim::Key, const Stored& now) override { stored = now; }
  void served(const Stalled& request, sim::Key, const Stored& with) override {
    told_.push_back(fmt::format("store: {} has {}", request.operation, text_of(with)));
  }
  void send_home(NodeId home, sim::Key, const Stalled& operation) override {
    told_.push_back(fmt::format("{} goes to {}", operation.operation, home));
  }

  void get(std::uint64_t operation) { hand_over.request(kKey, {sim::OperationId(operation), false, {}}); }
  void put(std::uint64_t operation) {
    hand_over.request(kKey, {sim::OperationId(operation), true, sim::Value(operation)});
  }
  void acknowledge_from(NodeId node, Timestamp timestamp) {
    cache.receive(node, {.key = kKey, .timestamp = timestamp, .type = Type::acknowledgement});
    hand_over.settle(kKey);
  }
  Texts told() { return std::exchange(told_, {}); }

  Cache cache;
  HandOver hand_over;
  Stored stored{{4, 2}, sim::Value(40u)};

 private:
  Texts told_;
};

}  // namespace

TEST_CASE("at its home a key goes from the store to all caches and back, and requests go on",
          "[claim:cckvs-inv-writeback]") {
  Node home(0);
  home.get(11);
  home.put(50);  // the store's version goes on
  CHECK(home.told() == Texts{"store: 11 has 4.2 40", "store: 50 has 5.0 50"});

  home.hand_over.receive(0, HandOverMessage::order_install, kKey);
  CHECK(home.hand_over.home_state(kKey) == HomeState::installing);
  home.get(12);
  home.put(60);  // waits
  home.get(13);
  CHECK(home.told() == Texts{"INSTALL 5.0 50", "store: 12 has 5.0 50", "store: 13 has 5.0 50"});
  home.hand_over.receive(1, HandOverMessage::installed, kKey);
  CHECK(home.told() == Texts{});
  home.hand_over.receive(2, HandOverMessage::installed, kKey);
  CHECK(home.told() == Texts{"ACTIVATE", "INV"});  // and the put begins, on the home's own copy
  home.acknowledge_from(1, {6, 0});
  home.acknowledge_from(2, {6, 0});
  home.get(14);
  CHECK(home.told() == Texts{"UPD", "copy: 60", "copy: 14 = 60"});

  home.hand_over.receive(0, HandOverMessage::order_evict, kKey);
  home.get(15);
  home.put(70);
  home.hand_over.receive(1, HandOverMessage::sealed, kKey,
                         Stored{{7, 1}, sim::Value(80u)});  // the home has not got this one's update
  CHECK(home.told() == Texts{"SEAL"});
  home.hand_over.receive(2, HandOverMessage::sealed, kKey);
  CHECK(home.told() == Texts{"DONE", "store: 15 has 7.1 80", "store: 70 has 8.0 70"});
  CHECK(home.hand_over.home_state(kKey) == HomeState::store);
  CHECK(home.cache.find(kKey) == nullptr);
  CHECK(home.hand_over.change(kKey) == nullptr);
}

TEST_CASE("a home that evicts waits for its own puts, and holds who waits for its copy") {
  Node home(0);
  home.cache.install(kKey, {1, 0}, sim::Value(1u));
  home.hand_over.begin_cached(kKey, 0);
  home.put(50);
  home.get(11);
  home.hand_over.receive(0, HandOverMessage::order_evict, kKey);
  home.hand_over.receive(1, HandOverMessage::sealed, kKey);
  home.hand_over.receive(2, HandOverMessage::sealed, kKey);
  CHECK(home.told() == Texts{"INV", "11 waits", "SEAL"});
  home.acknowledge_from(1, {2, 0});
  home.acknowledge_from(2, {2, 0});
  CHECK(home.told() == Texts{"UPD", "copy: 50", "DONE", "store: 11 has 2.0 50"});
}

TEST_CASE("elsewhere a copy takes messages before and after the node's sessions use it") {
  Node node(1);
  CHECK_FALSE(node.hand_over.uses_copy(kKey));
  node.hand_over.receive(0, HandOverMessage::install, kKey, Stored{{4, 2}, sim::Value(40u)});
  CHECK(node.told() == Texts{"INSTALLED"});
  CHECK_FALSE(node.hand_over.uses_copy(kKey));
  node.cache.receive(2, {.key = kKey, .timestamp = {5, 2}, .type = Type::invalidation});
  node.cache.receive(2, {.key = kKey, .value = sim::Value(50u), .timestamp = {5, 2}});
  node.hand_over.receive(0, HandOverMessage::activate, kKey);
  CHECK(node.hand_over.uses_copy(kKey));
  node.hand_over.receive(0, HandOverMessage::seal, kKey);
  CHECK_FALSE(node.hand_over.uses_copy(kKey));
  CHECK(node.told() == Texts{"ACK to 2", "SEALED 5.2 50"});
  node.cache.receive(2, {.key = kKey, .timestamp = {6, 2}, .type = Type::invalidation});
  CHECK(node.told() == Texts{"ACK to 2"});
  node.hand_over.receive(0, HandOverMessage::done, kKey);
  CHECK(node.cache.find(kKey) == nullptr);
  CHECK(node.hand_over.state_of(kKey).member == MemberState::absent);
}

TEST_CASE("elsewhere SEALED waits for the node's own puts, and operations that wait go to the home") {
  Node node(1);
  node.cache.install(kKey, {1, 0}, sim::Value(1u));
  node.hand_over.begin_cached(kKey, 0);
  node.cache.put(kKey, sim::OperationId(50u), sim::Value(50u));
  node.cache.get(kKey, sim::OperationId(11u));
  node.hand_over.receive(0, HandOverMessage::seal, kKey);
  CHECK(node.told() == Texts{"INV", "11 waits", "11 goes to 0"});
  CHECK(node.hand_over.state_of(kKey).member == MemberState::sealing);
  node.acknowledge_from(0, {2, 1});
  CHECK(node.told() == Texts{});
  node.acknowledge_from(2, {2, 1});
  CHECK(node.told() == Texts{"UPD", "copy: 50", "SEALED 2.1 50"});
}

TEST_CASE("elsewhere an Invalid copy says so when it is sealed") {
  Node node(1);
  node.cache.install(kKey, {1, 0}, sim::Value(1u));
  node.hand_over.begin_cached(kKey, 0);
  node.cache.receive(2, {.key = kKey, .timestamp = {5, 2}, .type = Type::invalidation});
  node.hand_over.receive(0, HandOverMessage::seal, kKey);
  CHECK(node.told() == Texts{"ACK to 2", "SEALED"});
}

TEST_CASE("under SC a copy takes what its home answers, if that is newer") {
  Rules rules;
  rules.consistency = Consistency::sc;
  Node node(1, rules);
  node.hand_over.receive_answer(0, kKey, {{9, 0}, sim::Value(90u)});  // no copy: nothing
  node.hand_over.receive(0, HandOverMessage::install, kKey, Stored{{4, 2}, sim::Value(40u)});
  node.hand_over.receive_answer(0, kKey, {{5, 0}, sim::Value(50u)});
  CHECK(node.cache.find(kKey)->value == 50);
  node.hand_over.receive_answer(0, kKey, {{4, 0}, sim::Value(45u)});
  CHECK(node.cache.find(kKey)->value == 50);
}

TEST_CASE("a change while another is under way ends the run") {
  Node home(0);
  home.hand_over.receive(0, HandOverMessage::order_install, kKey);
  CHECK_THROWS_AS(home.hand_over.receive(0, HandOverMessage::order_install, kKey), models::UndefinedTransition);
  CHECK_THROWS_AS(home.hand_over.receive(0, HandOverMessage::order_evict, kKey), models::UndefinedTransition);
}

}  // namespace hand_over_test
