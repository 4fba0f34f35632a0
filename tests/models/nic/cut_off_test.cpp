// Fencing a node off: from the instant at which a NIC cuts its connections to it, nothing of it is carried out there.
#include <catch2/catch.hpp>
#include <vector>

#include "tests/models/nic/two_nics.hpp"

namespace cut_off_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

constexpr std::uint64_t kWord = 4096;

WorkRequest fetch_add(const TwoNics& t, std::uint64_t wr_id, std::uint64_t add) {
  WorkRequest made = t.request(Opcode::fetch_add, wr_id, kWord);
  made.swap_or_add = add;
  return made;
}

/// A WRITE and an atomic behind it, of which the receiver cuts its sender off at this instant.
void write_and_add(TwoNics& t, sim::Time cut) {
  t.rc_a.post(t.write(7, 8, kWord + 64));
  t.rc_a.post(fetch_add(t, 2, 5));
  t.calendar.run_until(cut);
  t.b.nic.cut_off(0);
}

}  // namespace

TEST_CASE("After a cut nothing happens in memory any more, whatever was under way, and what was first is there first") {
  sim::Time ended;
  {
    TwoNics t;
    t.rc_a.post(t.write(7, 8, kWord + 64));
    t.rc_a.post(fetch_add(t, 2, 5));
    t.calendar.run_until();
    ended = t.calendar.now();
    CHECK(t.b.nic.memory().word(kWord) == 5);
  }
  unsigned neither = 0, written = 0, both = 0;
  for (sim::Time cut{}; cut < ended; cut += 20_ns) {
    TwoNics t;
    write_and_add(t, cut);
    const std::uint64_t word = t.b.nic.memory().word(kWord), value = t.b.nic.memory().word(kWord + 64);
    t.calendar.run_until();
    CHECK(t.b.nic.memory().word(kWord) == word);
    CHECK(t.b.nic.memory().word(kWord + 64) == value);
    CHECK((word == 0 || value == 7));
    ++(word != 0 ? both : value != 0 ? written : neither);
    CHECK(t.held() == 0);
    CHECK(t.context.accounting.expected_in_flight() == 0);
  }
  CHECK(neither > 0);
  CHECK(written > 0);
  CHECK(both > 0);
}

TEST_CASE("Who cuts a node off has all that it has posted to it flushed, and what it posts from then on") {
  TwoNics t;
  t.rc_b.post_receive(3);
  for (const std::uint64_t wr_id : {1u, 2u}) t.rc_a.post(t.send(wr_id));
  t.a.nic.cut_off(1);
  t.rc_a.post(t.send(3));
  t.calendar.run_until(sim::Time{} + 10_us);
  CHECK(t.a.failures == std::vector<std::uint64_t>{1, 2, 3});
  for (const Completion& completion : t.a.all) CHECK(completion.status == Status::flushed);
  CHECK(t.rc_a.state() == QueuePair::State::error);
}

TEST_CASE("A cut is of one node alone, and ends with a new connection") {
  TwoNics t;
  t.b.nic.cut_off(3);
  t.rc_a.post(t.write(7, 8, kWord));
  t.calendar.run_until();
  CHECK(t.b.nic.memory().word(kWord) == 7);
  t.b.nic.cut_off(0);
  t.connect();
  t.rc_a.post(t.write(8, 8, kWord));
  t.calendar.run_until();
  CHECK(t.b.nic.memory().word(kWord) == 8);
}

// A WRITE of the first connection is held back until the second one has begun: with the same numbers it would pass for
// that one's first WRITE, and the true one for a repetition.
TEST_CASE("A late packet of an earlier connection is not taken for one of the next, if that begins elsewhere") {
  for (const std::uint32_t connection : {0u, 1u, 7u}) {
    TwoNics t;
    t.ab.add_targeted_fault({.effect = TargetedFault::Effect::hold,
                             .match = {.header = "bth", .fields = {{"psn", 0}}},
                             .count = 1,
                             .delay = 50_us});
    t.rc_a.post(t.write(7, 8, kWord));
    t.calendar.run_until(sim::Time{} + 5_us);
    t.rc_a.connect(1, t.rc_b.number(), first_psn(connection));
    t.rc_b.connect(0, t.rc_a.number(), first_psn(connection));
    t.calendar.run_until(sim::Time{} + 60_us);
    t.rc_a.post(t.write(8, 8, kWord));
    t.calendar.run_until();
    CHECK(t.b.nic.memory().word(kWord) == (connection == 0 ? 7 : 8));
  }
}

TEST_CASE("To the node that is cut off it is as if the other had gone") {
  TwoNics t;
  write_and_add(t, sim::Time{});
  t.calendar.run_until();
  REQUIRE(t.a.all.size() == 2);
  CHECK(t.a.all[0].status == Status::retries_exceeded);
  CHECK(t.a.all[1].status == Status::flushed);
}

TEST_CASE("Who has refused a request answers what came before it again, but not to a node that it has cut off") {
  for (const bool cut : {false, true}) {
    TwoNics t;
    t.ba.add_targeted_fault({.match = {.header = "bth", .fields = {{"psn", 0}}}, .count = 1});
    WorkRequest read = t.request(Opcode::read, 1, kWord), wrong = t.write(2, 8, kWord);
    read.bytes = 8;
    wrong.remote.key = 77;
    t.rc_a.post(std::vector{read, wrong});
    while (t.rc_b.state() == QueuePair::State::ready) REQUIRE(t.calendar.run_one());
    if (cut) t.b.nic.cut_off(0);
    t.calendar.run_until();
    REQUIRE(t.a.all.size() == 2);
    CHECK(t.a.all[0].status == (cut ? Status::retries_exceeded : Status::success));
    CHECK(t.a.all[1].status == (cut ? Status::flushed : Status::remote_access_error));
  }
}

}  // namespace cut_off_test
