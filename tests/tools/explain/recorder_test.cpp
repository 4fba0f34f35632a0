// The recorder on a rack whose protocol says nothing about itself: operations and headers still make a chart.
#include "tools/explain/recorder.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "models/service/protocol.hpp"
#include "tests/models/rack_fixture.hpp"

namespace recorder_test {

using namespace racksim;
using namespace racksim::tools::explain;
using namespace racksim::models::test;
using namespace sim::literals;
using Type = Event::Type;

namespace {

constexpr sim::Key kKey{0x77};
constexpr sim::OperationId kOperation{5};

/// A protocol without a word about packets and registers.
struct Silent final : models::Protocol {
  models::Service& service() override { throw std::logic_error("no service"); }
  void show_state(sim::StateVisitor&) const override {}
  bool quiescent() const override { return true; }
  std::vector<models::Leak> leaks() const override { return {}; }
  void record_final_state() override {}
  void node_crashed(models::NodeId) override {}
};

struct Watched {
  explicit Watched(Filter filter = {kKey, {kOperation}, sim::Time::max(), {}})
      : recorder(std::move(filter)), session(rack.event_log.add_source("node0/thread3")) {
    rack.rack.install_program(exercise_program(false, 255));
    recorder.attach(rack.rack, protocol);
  }
  void begin(std::uint64_t operation, std::uint64_t key) {
    sim::record_begun(rack.event_log, session, rack.calendar.now(), sim::OperationId{operation},
                      sim::OperationKind::write, sim::Key{key}, 9);
  }
  void end(std::uint64_t operation, std::uint64_t key) {
    sim::record_ended(rack.event_log, session, rack.calendar.now(), sim::OperationId{operation},
                      sim::OperationKind::write, sim::Key{key}, 9);
  }
  void send(std::uint64_t operation, std::uint16_t kind) {
    auto packet = rack.rack.make_packet(1, kind, static_cast<std::uint16_t>(rack.hosts[1]->qpn));
    packet->operation = sim::OperationId{operation};
    rack.rack.server(0).nic().send_raw(models::Qpn{rack.hosts[0]->qpn}, std::move(packet));
    rack.calendar.run_until(rack.calendar.now() + 100_us);
  }

  TestRack rack;
  Silent protocol;
  Recorder recorder;
  sim::Source session;
};

std::vector<std::string> lines(const History& history) {
  std::vector<std::string> result;
  for (const Event& event : history.events) {
    result.push_back(event.from + (event.to.empty() ? "" : ">" + event.to) + ": " + event.text +
                     (event.note.empty() ? "" : " (" + event.note + ")"));
  }
  return result;
}

}  // namespace

TEST_CASE("packets belong to the key of their operation, and so do the registers they write", "[explain]") {
  Watched w;
  w.begin(kOperation, kKey);
  w.begin(6, kKey + 1);
  w.send(kOperation, kCounted);
  w.send(6, kCounted);  // on another key
  w.end(kOperation, kKey);
  const History history = w.recorder.history();
  CHECK(lines(history) == std::vector<std::string>{"n0.t3: write begins, value 0x9", "n0>switch: packet (64 bytes)",
                                                   "switch: COUNT[1] 0 → 1", "switch>n1: packet (64 bytes)",
                                                   "n0.t3: write ends, value 0x9"});
  CHECK(history.operations.at(kOperation).accused);
  CHECK(history.turns == std::vector<std::size_t>{0});
  CHECK(history.sessions == std::vector<std::string>{"n0.t3"});
  REQUIRE(history.registers.size() == 1);
  CHECK(history.registers[0].name == "COUNT[1]");
}

TEST_CASE("a permission stands at the session that acts, or at the node's latest receiver", "[explain]") {
  Watched w;
  const auto source = w.rack.event_log.add_source("node0/protocol");
  const auto grant = [&](std::uint64_t node, sim::Permission permission) {
    sim::record_permission(w.rack.event_log, source, w.rack.calendar.now(), sim::OperationId{kOperation},
                           sim::Key{kKey}, node, permission);
  };
  w.begin(kOperation, kKey);
  grant(0, sim::Permission::write);
  grant(1, sim::Permission::none);
  CHECK(lines(w.recorder.history()) == std::vector<std::string>{"n0.t3: write begins, value 0x9", "n0.t3: n0 may write",
                                                                "n1: n1 may no longer read or write"});
}

TEST_CASE("a lost packet is a lost message, and one that a program drops is lost in the switch", "[explain]") {
  Watched w;
  models::WireFaults loses;
  loses.loss = 1;
  w.rack.rack.uplink(0).set_faults(loses);
  w.begin(kOperation, kKey);
  w.send(kOperation, 9);
  const History history = w.recorder.history();
  REQUIRE(history.events.size() == 2);
  CHECK(history.events[1].type == Type::lost);
  CHECK(lines(history)[1] == "n0>switch: packet (64 bytes) (lost: loss)");
}

TEST_CASE("a message that has not come by the violation is drawn where it set out, under way", "[explain]") {
  const auto seen_until = [](sim::Time until) {
    Watched w({kKey, {kOperation}, until, {}});
    w.begin(kOperation, kKey);
    w.send(kOperation, 9);
    return w.recorder.history();
  };
  constexpr auto kBefore = 1_ps;
  const History all = seen_until(sim::Time::max());
  REQUIRE(lines(all) == std::vector<std::string>{"n0.t3: write begins, value 0x9", "n0>switch: packet (64 bytes)",
                                                 "switch>n1: packet (64 bytes)"});
  for (const std::size_t which : {1U, 2U}) {
    CAPTURE(which);
    const Event& message = all.events[which];
    CHECK(seen_until(message.at).events[which].type == Type::message);
    for (const sim::Time until : {message.at - kBefore, message.sent}) {
      const History history = seen_until(until);
      REQUIRE(history.events.size() == which + 1);
      const Event& last = history.events.back();
      CHECK(last.type == Type::under_way);
      CHECK(last.at == message.sent);
      CHECK(last.sent == message.sent);
      CHECK_THAT(last.note, Catch::StartsWith("under way"));
    }
    CHECK(seen_until(message.sent - kBefore).events.size() == which);
  }
}

TEST_CASE("a message that a fault holds back is under way until it comes, and says when that would be", "[explain]") {
  Watched w({kKey, {kOperation}, sim::Time{} + 90_us, {}});
  w.rack.rack.uplink(0).add_targeted_fault(
      {.effect = models::TargetedFault::Effect::hold, .match = {}, .first = 1, .delay = 1_ms});
  w.begin(kOperation, kKey);
  w.send(kOperation, 9);
  const History history = w.recorder.history();
  REQUIRE(history.events.size() == 2);
  CHECK(history.events[1].named);
  CHECK_THAT(
      lines(history)[1],
      Catch::StartsWith("n0>switch: packet (64 bytes) (held back, under way, due at 1000"));  // 1 ms and a little
}

TEST_CASE("what a fault names is kept, of whatever key and however much comes after it", "[explain]") {
  using Effect = models::TargetedFault::Effect;
  for (const Effect effect : {Effect::drop, Effect::hold, Effect::stall, Effect::duplicate}) {
    CAPTURE(static_cast<int>(effect));
    Watched w({kKey, {kOperation}, sim::Time::max(), {}});
    w.rack.rack.uplink(0).add_targeted_fault({.effect = effect, .match = {}, .first = 2, .delay = 1_ns});
    w.send(77, 9);  // not named
    w.send(77, 9);
    for (std::uint64_t i = 0; i < 3 * Recorder::kKept; ++i) w.begin(1'000'000 + i, kKey);
    const History history = w.recorder.history();
    const auto named =
        std::count_if(history.events.begin(), history.events.end(), [](const Event& e) { return e.named; });
    CHECK(named == (effect == Effect::duplicate ? 2 : 1));  // the packet and its copy
    REQUIRE(history.events.front().named);
    CHECK(history.events.front().type == (effect == Effect::drop ? Type::lost : Type::message));
    CHECK_THAT(lines(history).front(), Catch::StartsWith("n0>switch: packet (64 bytes)"));
  }
}

TEST_CASE("events after the violation and before the window are not kept", "[explain]") {
  Watched w({kKey, {}, sim::Time{} + 250_us, sim::Time{} + 50_us});
  for (std::uint64_t operation = 1; operation <= 4; ++operation) {
    w.begin(operation, kKey);
    w.rack.calendar.run_until(w.rack.calendar.now() + 100_us);
  }
  const History history = w.recorder.history();
  CHECK(history.events.size() == 2);
  CHECK(history.operations.size() == 2);
}

TEST_CASE("a window shows the packets of an operation that began before it", "[explain]") {
  Watched w({kKey, {}, sim::Time::max(), sim::Time{} + 50_us});
  w.begin(kOperation, kKey);
  w.rack.calendar.run_until(sim::Time{} + 100_us);
  w.send(kOperation, 9);
  const History history = w.recorder.history();
  CHECK(lines(history) == std::vector<std::string>{"n0>switch: packet (64 bytes)", "switch>n1: packet (64 bytes)"});
  CHECK_THAT(history.operations.at(kOperation).text,
             Catch::Contains("write n0.t3 #") && Catch::Contains(", begun at 0.000 ns"));
}

TEST_CASE("of very many events those around the beginning and the latest are kept", "[explain]") {
  Watched w;
  for (std::uint64_t i = 0; i < 2 * Recorder::kKept; ++i) w.begin(100 + i, kKey);
  w.begin(kOperation, kKey);
  for (std::uint64_t i = 0; i < 3 * Recorder::kKept; ++i) w.begin(1'000'000 + i, kKey);
  const History history = w.recorder.history();
  CHECK(history.events.size() == 3 * Recorder::kKept);
  REQUIRE(history.turns == std::vector<std::size_t>{Recorder::kKept});
  CHECK(history.events[Recorder::kKept].operation == kOperation);
  CHECK(history.gap_at == 2 * Recorder::kKept);
  CHECK(history.gap == Recorder::kKept + 1);
}

}  // namespace recorder_test
