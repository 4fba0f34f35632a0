// The idempotence of Concordia §5.3 in the order of §5.1.1, as printed (`idempotence: "paper"`): where it holds, and
// what leaks a lock. In each scenario of the second kind the safe rules (event_runner.hpp) are clean.
//
//   perfect wires            clean: nothing is sent twice
//   Figure 8                 clean: a request that is lost behind the switch takes its lock twice, one unlock returns
//   both a lost unlock            clean, if the requester's next event does not fail a lost answer            clean:
//   ACK, failed ACK, acknowledgement of an unlock a request twice          leaks: its check fails, and what one of the
//   copies took is given back twice a lost unlock, contended leaks: a failed event sends no unlock, so the next but one
//   shares the score of the lost one an overtaken request     leaks: it comes when its event is over, and takes a lock
//   for nobody a spurious timeout       leaks: idempotence_test.cpp
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <utility>

#include "models/packets/packet_observer.hpp"
#include "models/packets/rdma_headers.hpp"
#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace paper_order_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Idempotence = FlowCcOptions::Idempotence;
using Ownership = FlowCcOptions::Ownership;

namespace {

constexpr Idempotence kBoth[] = {Idempotence::paper, Idempotence::safe};
constexpr Ownership kOwners[] = {Ownership::switch_owned, Ownership::home};
const char* name(Ownership ownership) {
  return ownership == Ownership::home ? "home" : "switch";
}

// Follows what requesters send and hear, in the order in which they do, and counts what the paper's order forbids.
class OrderOfEvents final : public models::PacketObserver {
 public:
  explicit OrderOfEvents(FlowCcRun& run) : run_(run) { run.rack.context().add_packet_observer(*this); }

  std::uint64_t unlocks = 0, write_backs = 0;
  std::uint64_t requests_before_unlock = 0;       ///< a new event although the one before has not sent its unlock
  std::uint64_t unlocks_before_acknowledged = 0;  ///< an unlock although one of the requester is unacknowledged
  std::uint64_t unlocks_before_written_back = 0;  ///< an unlock of an EVICT-MODIFIED before its data have landed

  void on_wire(const p4::Packet& packet, const models::WirePassage& passage) override {
    const FlowCcHeader* h = packet.find<FlowCcHeader>();
    if (h == nullptr || !run_.event_log.name(passage.wire).ends_with("-switch")) return;
    if (h->receiver != static_cast<std::uint64_t>(Receiver::home_agent)) return;
    Requester& requester = requesters_[h->requester];
    if (is_request(h->message_type()) && h->seq > requester.seq) {
      requests_before_unlock += requester.seq > 0 && !requester.failed && !requester.unlocked;
      requester.seq = h->seq;
      if (h->message_type() == MessageType::evict_modified) requester.evictions.insert(h->seq);
      requester.failed = requester.unlocked = false;
    }
    if (!is_request(h->message_type()) && requester.unlock != h->seq) {
      ++unlocks;
      unlocks_before_acknowledged += requester.unlock != requester.acknowledged;
      if (requester.evictions.contains(h->seq)) {
        ++write_backs;
        unlocks_before_written_back += !landed_.contains({packet.operation, h->tag()});
      }
      requester.unlock = h->seq;
      requester.unlocked = requester.unlocked || requester.seq == h->seq;
    }
  }
  void delivered(const p4::Packet& packet, sim::Source, sim::Time) override {
    if (const auto* h = packet.find<FlowCcHeader>()) {
      Requester& requester = requesters_[h->requester];
      if (h->message_type() == MessageType::failed_ack && h->seq == requester.seq) requester.failed = true;
      if (h->message_type() == MessageType::unlock_ack) requester.acknowledged = h->seq;
    } else if (const auto* write = packet.find<models::Reth>();
               write != nullptr && !DataAddress::is_event_buffer(write->address)) {
      landed_.insert({packet.operation, write->address});
    }
  }
  void dropped(const p4::Packet&, sim::Source, sim::Time, models::DropReason) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}

 private:
  struct Requester {
    std::uint64_t seq = 0, unlock = 0, acknowledged = 0;
    bool failed = false, unlocked = false;
    std::set<std::uint64_t> evictions;  // the events that write a block back
  };
  FlowCcRun& run_;
  std::map<std::uint64_t, Requester> requesters_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> landed_;  // (operation, tag) of write-backs
};

Setup contended(Idempotence idempotence, Ownership ownership, std::uint64_t seed) {
  Setup setup;
  setup.seed = seed;
  setup.flowcc.idempotence = idempotence;
  setup.flowcc.ownership = ownership;
  return setup;
}

// Three nodes with a thread each: node 0 is the home of blocks X and Y, A and B are nodes 1 and 2.
struct Scene {
  explicit Scene(Idempotence idempotence, Ownership ownership = Ownership::switch_owned)
      : Scene(setup(idempotence, ownership)) {}
  explicit Scene(const Setup& setup) : run(setup) {}
  static Setup setup(Idempotence idempotence, Ownership ownership) {
    Setup setup;
    setup.flowcc.idempotence = idempotence;
    setup.flowcc.ownership = ownership;
    setup.rack.nodes = 3;
    setup.micro.threads = 1;
    setup.micro.sharing_ratio = 1;
    return setup;
  }
  void read(models::NodeId node, models::GlobalAddress block) { run.begin({node, 0}, block, false); }
  void write(models::NodeId node, models::GlobalAddress block) { run.begin({node, 0}, block, true); }
  // One after the other, in one thread.
  void write_both(models::NodeId node, models::GlobalAddress first, models::GlobalAddress second) {
    run.spawn(writes(node, first, second));
  }
  void run_until(sim::Duration instant) { run.advance_to(sim::Time{} + instant); }
  // Loses the first packet of a type that passes a wire.
  void lose(models::Wire& wire, MessageType type) {
    models::TargetedFault drop;
    drop.match = {"flowcc", {{"type", static_cast<std::uint64_t>(type)}}, {}};
    wire.add_targeted_fault(drop);
  }
  std::uint64_t read_register(std::string_view array, std::uint64_t index) {
    models::SwitchChassis& chassis = run.rack.chassis();
    const p4::RegisterFile& registers = chassis.pipeline(chassis.pipe_of(run.rack.port_of(0))).registers();
    return registers.read(registers.array(array), index);
  }
  // What the oracles say after all is over.
  std::string judged() {
    run_until(3_ms);
    run.finish();
    return run.violations();
  }

  static constexpr models::NodeId kA = 1, kB = 2;
  FlowCcScript run;
  const models::GlobalAddress x = run.shared_block(0), y = run.shared_block(3);

 private:
  sim::Task<void> writes(models::NodeId node, models::GlobalAddress first, models::GlobalAddress second) {
    co_await run.protocol->write({node, 0}, first);
    co_await run.protocol->write({node, 0}, second);
  }
};

}  // namespace

TEST_CASE("in the paper's order a requester writes back, then unlocks after the last unlock's ACK, then goes on") {
  for (const auto ownership : kOwners) {
    INFO(name(ownership));
    FlowCcRun paper(contended(Idempotence::paper, ownership, 1)), safe(contended(Idempotence::safe, ownership, 1));
    OrderOfEvents in_paper(paper), in_safe(safe);
    paper.finish();
    safe.finish();
    CHECK(in_paper.requests_before_unlock == 0);
    for (const OrderOfEvents* order : {&in_paper, &in_safe}) {
      CHECK(order->unlocks_before_acknowledged == 0);
      CHECK(order->unlocks_before_written_back == 0);
      CHECK(order->unlocks > 1'000);
      CHECK(order->write_backs > 50);
    }
    // What the paper's order costs, and the safe rules do without.
    CHECK(in_safe.requests_before_unlock > 50);
  }
}

TEST_CASE("as printed, perfect wires are clean: 20 seeds of contended operations satisfy every oracle") {
  for (const auto ownership : kOwners) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      INFO("seed " << seed << ", " << name(ownership));
      FlowCcRun run(contended(Idempotence::paper, ownership, seed));
      run.finish();
      CHECK(run.violations() == "");
      CHECK(run.protocol->measured_operations() >= *run.setup.plan.measure.operations);
      // Nothing is sent twice, and not for want of contention.
      CHECK(run.counter("request_retransmissions") == 0);
      CHECK(run.counter("failed_events") > 50);
    }
  }
}

// Figure 8: the switch has taken the read lock and raised the score when the READ-MISS is lost behind it; sent again,
// it takes the lock once more. The unlock gives back as much as the score says.
TEST_CASE("Figure 8 is clean as printed: a READ-MISS lost behind the switch locks twice and is unlocked once") {
  Scene scene(Idempotence::paper);
  const std::uint64_t score =
      2 * scene.run.protocol->node(Scene::kA).requester(0).own().number().number() + 1;  // of event 1
  const std::uint64_t entry = set_index(scene.run.protocol->block_of(scene.x), scene.run.setup.flowcc.entries_per_way);
  scene.lose(scene.run.rack.downlink(0), MessageType::read_miss);
  scene.read(Scene::kA, scene.x);
  scene.run_until(10_us);  // (b): the timeout is 6 RTT of 2.2 us
  CHECK(scene.run.rack.accounting().dropped() == 1);
  CHECK(scene.read_register("LOCK1", entry) == 1);
  CHECK(scene.read_register("SCOREBOARD", score) == 1);
  scene.run_until(14_us);  // (c)
  CHECK(scene.read_register("LOCK1", entry) == 2);
  CHECK(scene.read_register("SCOREBOARD", score) == 2);
  scene.run_until(20_us);  // (d)
  CHECK(scene.read_register("LOCK1", entry) == 0);
  CHECK(scene.read_register("SCOREBOARD", score) == 0);
  CHECK(scene.read_register("LAST_UNLOCK", score / 2) == 1);
  CHECK(scene.judged() == "");
  CHECK(scene.run.counter("request_retransmissions") == 1);
}

TEST_CASE("a lost unlock is clean as printed: others fail and try again until it is sent again") {
  for (const auto ownership : kOwners) {
    // B comes at any instant of A's event and of the wait for the timeout of 3 RTT, 6.6 us.
    for (sim::Duration begin{}; begin < 10_us; begin += 500_ns) {
      INFO(name(ownership) << ", B begins at " << begin.ps() / 1000 << " ns");
      Scene scene(Idempotence::paper, ownership);
      scene.lose(scene.run.rack.uplink(Scene::kA), MessageType::unlock_write);
      scene.write_both(Scene::kA, scene.x, scene.y);  // the event on Y takes place while the unlock of X is outstanding
      scene.run_until(begin);
      scene.read(Scene::kB, scene.x);
      CHECK(scene.judged() == "");
      CHECK(scene.run.counter("unlock_retransmissions") >= 1);
      CHECK(scene.run.counter("request_retransmissions") == 0);
    }
  }
}

TEST_CASE("lost answers are clean as printed: every seventh ACK, failed ACK or acknowledgement of an unlock") {
  for (const auto type : {MessageType::ack, MessageType::failed_ack, MessageType::unlock_ack}) {
    for (const auto ownership : kOwners) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        INFO(to_string(type) << ", seed " << seed << ", " << name(ownership));
        FlowCcRun run(contended(Idempotence::paper, ownership, seed));
        for (models::NodeId node = 0; node < run.rack.nodes(); ++node) {
          for (std::uint64_t nth = 7; nth < 700; nth += 7) {
            models::TargetedFault drop;
            drop.match = {"flowcc", {{"type", static_cast<std::uint64_t>(type)}}, {}};
            drop.first = nth;
            run.rack.downlink(node).add_targeted_fault(drop);
          }
        }
        run.finish();
        CHECK(run.violations() == "");
        CHECK(run.rack.accounting().dropped() > 20);
      }
    }
  }
}

// A and B hold X, and both write it. B has chosen WRITE-SHARED, but its core takes 5 us to send it, in which A's
// invalidation comes and A unlocks. The switch finds B's copy gone: of the request's two copies the first takes the
// lock and goes round once more to give it back; the second, close behind, finds the score raised, fails the check too,
// and gives back what it never took. The score of B's parity is then below zero, and B's next event of that parity,
// which raises it to zero, is refused a lock that it has taken.
TEST_CASE("as printed, a request that arrives twice and fails its check leaks a lock") {
  for (const auto idempotence : kBoth) {
    Setup setup = Scene::setup(idempotence, Ownership::switch_owned);
    setup.flowcc.miss_setup = 5_us;
    Scene scene(setup);
    scene.read(Scene::kA, scene.x);
    scene.run_until(30_us);
    scene.read(Scene::kB, scene.x);
    scene.run_until(60_us);
    scene.write(Scene::kA, scene.x);
    scene.run_until(64_us);
    models::WireFaults faults;
    faults.duplicate = 1;
    scene.run.rack.uplink(Scene::kB).set_faults(faults, sim::Time{} + 69_us, sim::Time{} + 71_us);
    scene.write(Scene::kB, scene.x);
    scene.run_until(200_us);
    CHECK(scene.run.counter("request_retransmissions") == 0);  // nothing timed out
    CHECK(scene.run.rack.accounting().dropped() == (idempotence == Idempotence::safe ? 1 : 0));
    scene.read(Scene::kB, scene.y);
    const std::string violations = scene.judged();
    INFO(violations);
    CHECK((violations.find("leaked-lock") != std::string::npos) == (idempotence == Idempotence::paper));
    if (idempotence == Idempotence::safe) CHECK(violations == "");
  }
}

// A's unlock of X is lost. A goes on to write Y, of which B holds the lock: the event fails, and sends no unlock. The
// one after it has the parity of the lost unlock and takes Y's lock while the score still counts X's. The unlock of X,
// sent again, resets the score, and Y's unlock gives back nothing.
TEST_CASE("as printed, a lost unlock leaks a lock if the requester's next event fails") {
  for (const auto idempotence : kBoth) {
    unsigned leaks = 0;
    // B's event on Y must be over when A has failed once: it begins at any instant of A's.
    for (sim::Duration begin{}; begin < 5_us; begin += 250_ns) {
      INFO("B begins at " << begin.ps() / 1000 << " ns");
      Scene scene(idempotence);
      scene.lose(scene.run.rack.uplink(Scene::kA), MessageType::unlock_write);
      scene.write_both(Scene::kA, scene.x, scene.y);
      scene.run_until(begin);
      scene.write(Scene::kB, scene.y);
      const std::string violations = scene.judged();
      CHECK(scene.run.counter("unlock_retransmissions") >= 1);
      leaks += violations.find("leaked-lock") != std::string::npos;
      if (idempotence == Idempotence::safe) CHECK(violations == "");
    }
    CHECK((leaks > 0) == (idempotence == Idempotence::paper));
  }
}

// A's request is held back alone, A sends it again after 6 RTT, and all goes well: A writes X, and B takes it over.
// Then the first one arrives: A holds no copy, so the check finds nothing amiss, and A's lock is one that nobody
// returns.
TEST_CASE("as printed, a request that comes after its event is over leaks a lock") {
  for (const auto idempotence : kBoth) {
    Scene scene(idempotence);
    models::WireFaults faults;
    faults.reorder = 1;
    faults.reorder_delay = 2_ms;
    scene.run.rack.uplink(Scene::kA).set_faults(faults, sim::Time{}, sim::Time{} + 5_us);
    scene.write(Scene::kA, scene.x);
    scene.run_until(50_us);
    CHECK(scene.run.counter("request_retransmissions") == 1);
    scene.write(Scene::kB, scene.x);
    scene.run_until(100_us);
    CHECK(scene.run.violations() == "");  // the first request is still on its way
    CHECK(scene.run.protocol->leaks().empty());
    const std::string violations = scene.judged();
    CHECK((violations.find("leaked-lock") != std::string::npos) == (idempotence == Idempotence::paper));
    if (idempotence == Idempotence::safe) CHECK(violations == "");
  }
}

}  // namespace paper_order_test
