// What is refused: how it completes, and what becomes of the queue pairs, as ibv_post_send(3), ibv_poll_cq(3) and
// ibv_modify_qp(3) have it.
#include <catch2/catch.hpp>
#include <vector>

#include "models/nic/verbs.hpp"
#include "tests/models/nic/two_nics.hpp"

namespace verb_errors_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

std::vector<Status> statuses(const Host& host) {
  std::vector<Status> all;
  for (const Completion& completion : host.all) all.push_back(completion.status);
  return all;
}
using Statuses = std::vector<Status>;

WorkRequest verb(const TwoNics& t, Opcode opcode, std::uint64_t wr_id, std::uint32_t key) {
  WorkRequest made = t.request(opcode, wr_id, 64);
  made.remote.key = key;
  made.bytes = 8;
  if (opcode == Opcode::write || opcode == Opcode::write_imm) made.content = Content::of(wr_id);
  return made;
}

}  // namespace

TEST_CASE("A region allows what it was registered for, and nothing once it is not registered any more") {
  struct Case {
    Memory::Rights rights;
    std::vector<Opcode> allowed, refused;
  };
  const std::vector<Opcode> reads{Opcode::read}, writes{Opcode::write, Opcode::write_imm},
      atomics{Opcode::compare_swap, Opcode::fetch_add};
  const auto both = [](std::vector<Opcode> a, const std::vector<Opcode>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  for (const Case& c : {Case{{true, false, false}, reads, both(writes, atomics)},
                        Case{{false, true, false}, writes, both(reads, atomics)},
                        Case{{false, false, true}, atomics, both(reads, writes)}}) {
    for (const bool allowed : {true, false}) {
      for (const Opcode opcode : allowed ? c.allowed : c.refused) {
        INFO(name_of(opcode));
        TwoNics t;
        Memory::Region region;
        region.bytes = 128;
        region.rights = c.rights;
        const auto key = t.b.nic.memory().add(region);
        t.rc_b.post_receive(2);
        t.rc_a.post(verb(t, opcode, 1, key));
        t.calendar.run_until();
        REQUIRE(!t.a.all.empty());
        CHECK(t.a.all[0].status == (allowed ? Status::success : Status::remote_access_error));
        CHECK(t.rc_a.state() == (allowed ? QueuePair::State::ready : QueuePair::State::error));
        CHECK(t.rc_b.state() == t.rc_a.state());
        if (!allowed) continue;
        t.b.nic.memory().remove(key);
        t.rc_a.post(verb(t, opcode, 2, key));
        t.calendar.run_until();
        CHECK(t.a.all.back().status == Status::remote_access_error);
        CHECK(t.b.nic.memory().word(64) <= 1);  // of the first
      }
    }
  }
}

TEST_CASE("An error ends what was posted before as it went, itself with its status, and what comes behind as flushed") {
  TwoNics t;
  t.rc_a.post_receive(2, {70});
  t.rc_b.post_receive(3, {80});
  t.rc_a.post(t.write(1, 64, 64));
  t.rc_a.post(t.send(2));
  WorkRequest wrong = t.request(Opcode::fetch_add, 3, 65);
  wrong.signalled = false;  // failures make a completion all the same
  t.rc_a.post(wrong);
  t.rc_a.post(t.send(4));
  t.calendar.run_until();
  // At its own end of the connection the receives of the requester are flushed too, and those of the responder there.
  REQUIRE(statuses(t.a) == Statuses{Status::success, Status::success, Status::remote_invalid_request, Status::flushed,
                                    Status::flushed, Status::flushed});
  for (std::uint64_t i = 0; i < 4; ++i) CHECK(t.a.all[i].wr_id == i + 1);
  for (std::size_t i = 4; i < 6; ++i) {
    CHECK(t.a.all[i].wr_id == 70);
    CHECK(t.a.all[i].opcode == Opcode::receive);
    CHECK(t.a.all[i].qpn == t.rc_a.number());
  }
  CHECK(statuses(t.b) == Statuses{Status::success, Status::flushed, Status::flushed});
  CHECK(t.b.messages.size() == 1);
  CHECK(t.accounting.expected_in_flight() == 0);
}

TEST_CASE(
    "In the error state whatever is posted is flushed, and packets are dropped, until the queue pair is joined anew") {
  TwoNics t;
  t.rc_a.post(t.request(Opcode::fetch_add, 1, 65));
  t.calendar.run_until();
  REQUIRE(t.rc_a.state() == QueuePair::State::error);
  const std::vector<WorkRequest> list{t.write(2, 64, 64), t.send(3), t.request(Opcode::read, 4, 64)};
  CHECK(t.rc_a.post(list) == 3);
  t.rc_a.post_receive(2, {70});
  t.calendar.run_until();
  CHECK(statuses(t.a) == Statuses{Status::remote_invalid_request, Status::flushed, Status::flushed, Status::flushed,
                                  Status::flushed, Status::flushed});
  CHECK(t.ab.packets_sent() == 1);
  // The other side has been told nothing: it asks, gets no answer, and gives up.
  t.rc_b.connect(0, t.rc_a.number());
  t.rc_b.post(t.write(9, 64, 64));
  t.calendar.run_until();
  CHECK(statuses(t.b) == Statuses{Status::retries_exceeded});
  CHECK(t.accounting.dropped(DropReason::no_queue_pair) == 8);
  t.connect();
  t.rc_b.post_receive(1, {81});
  t.rc_a.post(t.send(5));
  t.calendar.run_until();
  CHECK(t.a.all.back().status == Status::success);
  CHECK(t.b.all.back().wr_id == 81);
  CHECK(t.accounting.expected_in_flight() == 0);
}

TEST_CASE("What a queue pair cannot send fails where it was posted, when all before it has ended") {
  struct Case {
    Opcode opcode;
    std::uint32_t bytes;
    Status status;
  };
  for (const Case& c : {Case{Opcode::fetch_add, 4, Status::local_length_error},
                        Case{Opcode::compare_swap, 16, Status::local_length_error},
                        Case{Opcode::read, (1u << 31) + 1, Status::local_length_error},
                        Case{Opcode::receive, 8, Status::local_operation_error}}) {
    INFO(name_of(c.opcode));
    TwoNics t;
    WorkRequest wrong = t.request(c.opcode, 2, 64);
    wrong.bytes = c.bytes;
    t.rc_a.post(std::vector<WorkRequest>{t.write(1, 64, 64), wrong, t.write(3, 64, 64)});
    CHECK(t.rc_a.state() == QueuePair::State::ready);
    t.calendar.run_until();
    CHECK(statuses(t.a) == Statuses{Status::success, c.status, Status::flushed});
    CHECK(t.rc_a.state() == QueuePair::State::error);
    CHECK(t.rc_b.state() == QueuePair::State::ready);
    CHECK(t.ab.packets_sent() == 1);
    CHECK(t.b.landings.size() == 1);
  }
}

TEST_CASE("A full send queue takes what there is room for, without a completion, and stays usable") {
  NicOptions options;
  options.send_queue = 2;
  TwoNics t(options);
  Datagram& datagram = t.a.nic.create_datagram({t.a.queue, t.a.queue});
  std::vector<WorkRequest> list;
  for (std::uint64_t i = 1; i <= 4; ++i) list.push_back(t.send(i, 1024));
  t.rc_b.post_receive(4);
  for (QueuePair* pair : {static_cast<QueuePair*>(&t.rc_a), static_cast<QueuePair*>(&datagram)}) {
    t.a.all.clear();
    for (WorkRequest& request : list) request.destination = {1, t.rc_b.number()};
    CHECK(pair->post(list) == 2);
    CHECK_FALSE(pair->post(list[2]));
    CHECK(pair->state() == QueuePair::State::ready);
    t.calendar.run_until();
    CHECK(statuses(t.a) == Statuses{Status::success, Status::success});
    CHECK(pair->post(std::span(list).subspan(2)) == 2);
    t.calendar.run_until();
    CHECK(statuses(t.a) == Statuses(4, Status::success));
  }
}

// InfiniBand, volume 1, chapter 9.7.5.1: a NAK acknowledges what is before its number, but for READs and atomics without
// their responses. Those are asked for again, however often they are lost.
TEST_CASE("An error is of the work request that earned it, not of one before it whose response was lost") {
  for (const Opcode innocent : {Opcode::read, Opcode::fetch_add}) {
    for (const Opcode guilty : {Opcode::write, Opcode::read, Opcode::fetch_add}) {
      for (const std::uint64_t losses : {1u, 2u, 5u}) {
        INFO(name_of(innocent) << " before " << name_of(guilty) << ", lost " << losses << " times");
        TwoNics t;
        t.b.nic.memory().set_word(64, 7);
        t.ba.add_targeted_fault({.match = {.header = "bth", .fields = {{"psn", 0}}}, .count = losses});
        WorkRequest first = verb(t, innocent, 1, t.b.memory_key);
        first.swap_or_add = 1;
        const WorkRequest wrong = verb(t, guilty, 2, guilty == Opcode::fetch_add ? t.b.memory_key : 77);
        WorkRequest misaligned = wrong;
        misaligned.remote.address = 65;
        t.rc_a.post(std::vector{first, guilty == Opcode::fetch_add ? misaligned : wrong, t.write(3, 64, 64)});
        t.calendar.run_until();
        CHECK(statuses(t.a) ==
              Statuses{Status::success,
                       guilty == Opcode::fetch_add ? Status::remote_invalid_request : Status::remote_access_error,
                       Status::flushed});
        if (innocent == Opcode::read) CHECK(t.a.all[0].content.as<std::uint64_t>() == 7);
        if (innocent == Opcode::fetch_add) CHECK(t.a.all[0].old_value == 7);
        CHECK(t.b.nic.memory().word(64) == (innocent == Opcode::fetch_add ? 8 : 7));
        CHECK(t.b.landings.empty());
        CHECK(t.counters.refused.value == 1);
        for (const auto* end : {&t.rc_a, &t.rc_b}) CHECK(end->state() == QueuePair::State::error);
        CHECK(t.accounting.expected_in_flight() == 0);
      }
    }
  }
}

TEST_CASE("A refusal that is lost is told again when its request comes again, and carries nothing out meanwhile") {
  TwoNics t;
  const auto key = t.b.nic.memory().add({.bytes = 128, .rights = {false, false, false}});
  t.ba.add_targeted_fault({.match = {.header = "aeth"}, .count = 2});
  t.rc_a.post(verb(t, Opcode::write, 1, key));
  t.rc_a.post(t.write(2, 64, 64));
  t.calendar.run_until(at(10_us));
  CHECK(t.rc_b.state() == QueuePair::State::error);
  t.b.nic.memory().remove(key);
  t.calendar.run_until();
  CHECK(statuses(t.a) == Statuses{Status::remote_access_error, Status::flushed});
  CHECK(t.counters.timeouts.value == 2);
  CHECK(t.counters.refused.value == 1);
  CHECK(t.b.landings.empty());
}

TEST_CASE("That a receiver is not ready is counted of the SEND, not of a READ before it whose response was lost") {
  for (const std::uint64_t retries : {0u, 1u}) {
    NicOptions options;
    options.rnr_timer = 1;
    options.rnr_retry_count = retries;
    TwoNics t(options);
    t.ba.add_targeted_fault({.match = {.header = "bth", .fields = {{"psn", 0}}}, .count = 3});
    t.rc_a.post(std::vector{verb(t, Opcode::read, 1, t.b.memory_key), t.send(2)});
    t.calendar.run_until();
    CHECK(statuses(t.a) == Statuses{Status::success, Status::rnr_retries_exceeded});
  }
}

}  // namespace verb_errors_test
