#include "models/nic/verb_call.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <optional>

#include "sim/kernel/task.hpp"
#include "tests/models/nic/two_nics.hpp"

namespace verb_call_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

struct Calling : TwoNics {
  explicit Calling(const NicOptions& options = {}) : TwoNics(options) {
    connection.connect(1, other.number());
    other.connect(0, connection.number());
  }
  sim::Task<void> add(std::uint64_t wr_id, std::uint64_t amount) {
    WorkRequest request = this->request(Opcode::fetch_add, wr_id, 64);
    request.swap_or_add = amount;
    ended.push_back(co_await calls.call(connection, request));
  }
  sim::Task<void> wait_for(QueuePair& queue_pair, WorkRequest request) {
    ended.push_back(co_await calls.call(queue_pair, request));
  }
  VerbCalls calls{&a};
  CompletionQueue& queue = a.nic.create_completion_queue(a.core, calls);
  ReliableConnection& connection = a.nic.create_reliable({queue, queue});
  ReliableConnection& other = b.nic.create_reliable({b.queue, b.queue});
  std::vector<Completion> ended;
  std::optional<sim::Scope> tasks{calendar};
};

}  // namespace

TEST_CASE("A task waits for its verb, and others' completions go on") {
  Calling t;
  for (std::uint64_t i = 1; i <= 3; ++i) t.tasks->spawn(t.add(i, 10));
  t.connection.post(t.write(9, 8, 128));
  t.calendar.run_until();
  REQUIRE(t.ended.size() == 3);
  for (std::uint64_t i = 0; i < 3; ++i) {
    CHECK(t.ended[i].wr_id == i + 1);
    CHECK(t.ended[i].old_value == 10 * i);
  }
  CHECK(t.a.completions.size() == 1);
  CHECK(t.a.completions[0].what == 9);
  CHECK(t.calls.waiting() == 0);
}

TEST_CASE("A full send queue ends a call at once") {
  NicOptions options;
  options.send_queue = 1;
  Calling t(options);
  t.tasks->spawn(t.add(1, 10));
  t.tasks->spawn(t.add(2, 10));
  REQUIRE(t.ended.size() == 1);
  CHECK(t.ended[0].wr_id == 2);
  CHECK(t.ended[0].status == Status::queue_full);
  t.calendar.run_until();
  CHECK(t.ended.size() == 2);
}

TEST_CASE("A task may be destroyed at any instant of its verb, which is carried out all the same") {
  for (int step = 0; step < 40; ++step) {
    Calling t;
    t.tasks->spawn(t.add(1, 10));
    for (int i = 0; i < step && t.calendar.run_one(); ++i) {
    }
    const bool over = !t.ended.empty();
    t.tasks.reset();
    t.calendar.run_until();
    CHECK(t.ended.size() == (over ? 1 : 0));
    CHECK(t.b.nic.memory().word(64) == 10);
    CHECK(t.calls.waiting() == 0);
    CHECK(t.accounting.expected_in_flight() == 0);
  }
}

TEST_CASE("A task may be destroyed at any instant of any verb, of one whose receiver is not ready, and of a datagram") {
  struct Case {
    const char* what;
    WorkRequest request;
    bool datagram = false, ready = true;
  };
  Calling shape;
  std::vector<Case> cases;
  for (const Opcode opcode : {Opcode::send, Opcode::send_imm, Opcode::write, Opcode::write_imm, Opcode::read,
                              Opcode::compare_swap, Opcode::fetch_add}) {
    WorkRequest request = shape.request(opcode, 1, 64);
    if (opcode == Opcode::read) request.bytes = 9'000;
    if (opcode <= Opcode::write_imm) {
      request.content = Content::of(std::uint64_t{5});
      request.bytes = 9'000;
    }
    cases.push_back({name_of(opcode).data(), request});
    if (opcode == Opcode::send || opcode == Opcode::write_imm) {
      cases.push_back({"receiver not ready", request, false, false});
    }
    if (opcode == Opcode::send) {
      request.bytes = 512;
      cases.push_back({"datagram", request, true});
    }
  }
  for (const Case& c : cases) {
    std::size_t ended = 0;
    for (int step = 0; step < 80; ++step) {
      INFO(c.what << ", step " << step);
      NicOptions options;
      options.rnr_timer = 1;
      Calling t(options);
      if (c.ready) t.other.post_receive();
      Datagram& datagram = t.a.nic.create_datagram({t.queue, t.queue});
      QueuePair& used = c.datagram ? static_cast<QueuePair&>(datagram) : t.connection;
      WorkRequest request = c.request;
      request.destination = {1, t.b.nic.create_datagram({t.b.queue, t.b.queue}).number()};
      t.tasks->spawn(t.wait_for(used, request));
      for (int i = 0; i < step && t.calendar.run_one(); ++i) {
      }
      const std::size_t before = t.ended.size();
      t.tasks.reset();
      t.other.post_receive();
      t.calendar.run_until();
      CHECK(t.ended.size() == before);
      CHECK(t.calls.waiting() == 0);
      CHECK(t.accounting.expected_in_flight() == 0);
      CHECK(t.packets.live() == 0);
      ended += before;
    }
    CHECK((ended > 0) == c.ready);
    CHECK(ended < 80);
  }
}

TEST_CASE("A call on a queue pair that fails ends with its error") {
  Calling t;
  t.ab.set_up(false);
  t.tasks->spawn(t.add(1, 10));
  t.calendar.run_until();
  REQUIRE(t.ended.size() == 1);
  CHECK(t.ended[0].status == Status::retries_exceeded);
  t.tasks->spawn(t.add(2, 10));
  t.calendar.run_until();
  REQUIRE(t.ended.size() == 2);
  CHECK(t.ended[1].status == Status::flushed);
}

}  // namespace verb_call_test
