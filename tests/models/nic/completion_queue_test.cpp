// What polling costs: a poll, and each completion that it finds, against closed forms (ccKVS §6.4: what is there is
// dealt with in batches).
#include "models/nic/completion_queue.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/models/nic/two_nics.hpp"

namespace completion_queue_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

constexpr auto kPoll = 20_ns, kReceive = 40_ns, kCompletion = 15_ns;

struct Polled : TwoNics {
  Polled()
      : TwoNics({},
                {.post = 40_ns, .post_more = 10_ns, .receive = kReceive, .completion = kCompletion, .poll = kPoll}) {
    to.post_receive(100);
  }
  void post(unsigned count, bool signalled = false) {
    std::vector<WorkRequest> made;
    for (unsigned i = 1; i <= count; ++i) {
      made.push_back(send(i));
      made.back().destination = {1, to.number()};
      made.back().signalled = signalled;
    }
    CHECK(from.post(made) == count);
  }
  Datagram& from = a.nic.create_datagram({a.queue, a.queue});
  Datagram& to = b.nic.create_datagram({b.queue, b.queue});
};

}  // namespace

TEST_CASE("A message that comes alone costs a poll and its own receipt, and is handled after both") {
  Polled alone;
  alone.post(1);
  alone.calendar.run_until();
  CHECK(alone.b.core.busy_time() == kPoll + kReceive);
  TwoNics without({}, {.post = 40_ns, .receive = 0_ns, .completion = 0_ns});
  Datagram& from = without.a.nic.create_datagram({without.a.queue, without.a.queue});
  Datagram& to = without.b.nic.create_datagram({without.b.queue, without.b.queue});
  to.post_receive();
  WorkRequest request = without.send(1);
  request.destination = {1, to.number()};
  from.post(request);
  without.calendar.run_until();
  CHECK(alone.b.messages.at(0).when == without.b.messages.at(0).when + kPoll + kReceive);
}

TEST_CASE("What is there when the core polls shares a poll") {
  Polled t;
  t.b.core.charge(5_us);  // all come meanwhile
  t.post(10);
  t.calendar.run_until();
  CHECK(t.b.core.busy_time() == 5_us + kPoll + kReceive * 10);
  for (unsigned i = 0; i < 10; ++i) CHECK(t.b.messages.at(i).when == at(5_us + kPoll + kReceive * (i + 1)));
}

TEST_CASE("What comes later than a poll is found by the next one") {
  // Ten of 32 bytes come every 10 ns, as the message rate has it; the core needs longer.
  Polled t;
  t.post(10);
  t.calendar.run_until();
  const sim::Time first = t.b.messages.at(0).when - kPoll - kReceive;
  sim::Time poll = first - 1_ns, free = first;
  for (unsigned i = 0; i < 10; ++i) {
    const sim::Time ready = first + 10_ns * i;
    const sim::Time begin = std::max(free, ready);
    const bool found = ready <= poll;
    if (!found) poll = begin;
    free = begin + kReceive + (found ? 0_ns : kPoll);
    CHECK(t.b.messages.at(i).when == free);
  }
}

TEST_CASE("A completion of a work request costs its poll too") {
  Polled t;
  t.post(1, true);
  t.calendar.run_until();
  CHECK(t.a.core.busy_time() == 40_ns + kPoll + kCompletion);
}

}  // namespace completion_queue_test
