// What wires, NICs and faults report of disturbances, for the oracle `served`.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/faults/faults.hpp"
#include "sim/record/history.hpp"
#include "tests/models/nic/two_nics.hpp"
#include "tests/models/rack_fixture.hpp"

namespace disturbance_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using sim::Disturbance;

namespace {

struct Disturbances final : sim::Observer {
  void observe(const sim::Observation& o) override {
    if (o.what == sim::Observed::disturbance) {
      seen.push_back({sim::DisturbanceView::of(o).kind, o.operation});
    } else if (o.what == sim::Observed::sent_again) {
      again.push_back(o);
    }
  }
  struct Seen {
    Disturbance kind;
    std::uint64_t operation;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> seen;
  std::vector<sim::Observation> again;
};

struct Watched : Hardware {
  Collector sink{*this};
  Wire wire{context, "a-b", 100'000'000'000, 10_ns, sink, 3};
  Disturbances disturbances;

  Watched() { event_log.attach(disturbances); }
  void send(std::uint64_t operation) {
    auto sent = packet(operation);
    sent->operation = racksim::sim::OperationId{operation};
    wire.transmit(std::move(sent), calendar.now());
  }
};

}  // namespace

TEST_CASE("a sound wire disturbs nothing, and one that loses names the operation of the lost packet") {
  Watched w;
  w.send(1);
  w.wire.set_faults({.loss = 1}, at(1_us), at(2_us));
  w.calendar.run_until(at(1_us));
  w.send(2);
  w.calendar.run_until(at(3_us));
  w.send(3);
  CHECK(w.disturbances.seen == std::vector<Disturbances::Seen>{{Disturbance::lost, 2}});
}

TEST_CASE("packets that are held back or behind a stall of the wire are late, those in time are not") {
  Watched w;
  w.wire.set_faults({.reorder = 1, .reorder_delay = 1_us}, at(0_us), at(1_us));
  w.wire.set_faults({.spike = 1, .spike_delay = 500_ns}, at(10_us), at(10_us + 1_ns));
  w.send(1);
  w.calendar.run_until(at(10_us));
  w.send(2);
  w.send(3);  // the wire is sound again, but what it carries keeps its order
  w.calendar.run_until(at(20_us));
  w.send(4);
  CHECK(w.disturbances.seen ==
        std::vector<Disturbances::Seen>{{Disturbance::late, 1}, {Disturbance::late, 2}, {Disturbance::late, 3}});
}

TEST_CASE("the jitter that the schedule gives every packet is no disturbance, more than that is") {
  Watched w;
  w.wire.expect_jitter(200_ns);
  w.wire.set_faults({.jitter = 200_ns});
  for (std::uint64_t i = 1; i <= 200; ++i) w.send(i);
  CHECK(w.disturbances.seen.empty());
  w.wire.set_faults({.jitter = 20_us}, at(50_us));
  w.calendar.run_until(at(50_us));
  for (std::uint64_t i = 1; i <= 200; ++i) w.send(i);
  CHECK(w.disturbances.seen.size() > 150);
}

TEST_CASE("duplicates that come in time disturb nobody") {
  Watched w;
  w.wire.set_faults({.duplicate = 1});
  for (std::uint64_t i = 1; i <= 20; ++i) w.send(i);
  CHECK(w.disturbances.seen.empty());
}

TEST_CASE("only reasons that are a fault's make a lost packet a disturbance") {
  Watched w;
  for (std::size_t reason = 0; reason < kDropReasons; ++reason) {
    auto dropped = w.packet(1);
    dropped->operation = racksim::sim::OperationId{reason + 1};
    w.context.drop(w.wire.source(), at(0_ns), *dropped, static_cast<DropReason>(reason));
  }
  std::vector<DropReason> faults;
  for (const auto& [kind, operation] : w.disturbances.seen) faults.push_back(static_cast<DropReason>(operation - 1));
  CHECK(faults == std::vector<DropReason>{DropReason::loss, DropReason::burst_loss, DropReason::targeted,
                                          DropReason::wire_down, DropReason::nic_off, DropReason::partition,
                                          DropReason::switch_off});
}

namespace {
void post(TwoNics& t, std::uint64_t what, std::uint64_t operation) {
  WorkRequest write = t.write(what, 64, 0);
  write.operation = racksim::sim::OperationId{operation};
  t.rc_a.post(write);
}
}  // namespace

TEST_CASE("a reliable connection reports its timeouts, and segments that come behind a gap") {
  TwoNics t;
  Disturbances disturbances;
  t.event_log.attach(disturbances);
  t.ab.add_targeted_fault({.match = {.header = "bth"}, .first = 1, .count = 1});
  post(t, 1, 11);
  post(t, 2, 12);
  t.calendar.run_until(at(50_us));
  // The first is lost; the second comes behind the gap, and the report of that brings both again in no time.
  CHECK(disturbances.seen == std::vector<Disturbances::Seen>{{Disturbance::lost, 11}, {Disturbance::behind, 12}});
  CHECK(disturbances.again.empty());

  t.ab.add_targeted_fault({.match = {.header = "bth"}, .first = 1, .count = 1});
  post(t, 3, 13);
  t.calendar.run_until(at(1_ms));
  REQUIRE(disturbances.again.size() == 1);
  CHECK(disturbances.again[0].operation == 13);
  const auto again = sim::SentAgainView::of(disturbances.again[0]);
  CHECK(again.why == sim::SentAgain::transport_timeout);
  CHECK(again.since == at(50_us));
  CHECK_FALSE(again.given_up);
  CHECK(t.b.landings.size() == 3);
}

TEST_CASE("faults of machines report beginning and end, those of wires leave it to the packets, and the heal is told") {
  TestRack r;
  Disturbances disturbances;
  r.event_log.attach(disturbances);
  FaultSchedule schedule(r.rack);
  std::vector<std::string> machines;
  for (const FaultEntry& entry : faults()) {
    if (!entry.make()->acts_on_packets_alone()) machines.push_back(entry.name);
    if (entry.name == "down" || !entry.make()->acts_on_packets_alone()) schedule.add(entry.name, entry.make());
  }
  CHECK(machines == std::vector<std::string>{"availability", "control-delay", "crash", "fast-clock", "isolation",
                                             "nic-stall", "slow-core", "switch-restart"});
  schedule.start();
  r.calendar.run_until(at(1_us));
  std::size_t begun = 0;
  for (const auto& seen : disturbances.seen) begun += seen.kind == Disturbance::machine_begin ? 1 : 0;
  CHECK(begun == machines.size());
  schedule.heal();
  r.calendar.run_until(at(10_ms));
  std::size_t ended = 0, healed = 0;
  for (const auto& seen : disturbances.seen) {
    ended += seen.kind == Disturbance::machine_end ? 1 : 0;
    healed += seen.kind == Disturbance::healed ? 1 : 0;
  }
  CHECK(ended == machines.size());
  CHECK(healed == 1);
}

}  // namespace disturbance_test
