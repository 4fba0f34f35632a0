#include "models/nic/queue_pair_cache.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "tests/models/nic/two_nics.hpp"

namespace queue_pair_cache_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

TEST_CASE("The state of the queue pair that was not used for longest gives way") {
  for (const std::size_t capacity : {1u, 2u, 5u, 40u}) {
    QueuePairCache cache(capacity);
    std::deque<std::uint32_t> reference;  // the latest first
    std::mt19937_64 random(11);
    for (int i = 0; i < 20'000; ++i) {
      if (i == 10'000) {
        cache.clear();
        reference.clear();
      }
      const auto used = static_cast<std::uint32_t>(random() % (i % 3 == 0 ? 4 : 50));
      const auto found = std::find(reference.begin(), reference.end(), used);
      const bool held = found != reference.end();
      REQUIRE(cache.holds(used) == held);
      REQUIRE(cache.use(used) == held);
      if (held) reference.erase(found);
      reference.push_front(used);
      if (reference.size() > capacity) reference.pop_back();
    }
    for (std::uint32_t i = 0; i < 50; ++i) {
      CHECK(cache.holds(i) == (std::find(reference.begin(), reference.end(), i) != reference.end()));
    }
  }
}

TEST_CASE("A cache without a limit holds all") {
  QueuePairCache cache(0);
  for (std::uint32_t i = 0; i < 100; ++i) CHECK(cache.use(i));
}

namespace {

/// When a READ on the second of two connections comes back, after one on each.
sim::Duration second_read(std::uint64_t capacity, sim::Duration fetch) {
  NicOptions options;
  options.queue_pair_cache = capacity;
  options.queue_pair_fetch = fetch;
  TwoNics t(options, {0_ps, 0_ps, 0_ps, 0_ps});
  auto &other_a = t.a.nic.create_reliable({t.a.queue, t.a.queue}),
       &other_b = t.b.nic.create_reliable({t.b.queue, t.b.queue});
  other_a.connect(1, other_b.number());
  other_b.connect(0, other_a.number());
  const auto read = [&](ReliableConnection& on) {
    const sim::Time begun = t.calendar.now();
    WorkRequest request = t.request(Opcode::read, 1, 64);
    request.bytes = 8;
    on.post(request);
    t.calendar.run_until();
    return t.a.completions.back().when - begun;
  };
  read(t.rc_a);
  read(other_a);
  return read(t.rc_a);
}

}  // namespace

TEST_CASE("A READ waits at both NICs for the state of its queue pair, unless they hold it") {
  const sim::Duration held = second_read(0, 700_ns);
  CHECK(second_read(2, 700_ns) == held);
  // Fetched for the request, at either end; the response finds it.
  CHECK(second_read(1, 700_ns) == held + 1400_ns);
  CHECK(second_read(1, 0_ps) == held);
}

TEST_CASE(
    "Of a verb's packets those that carry its data take its time of the engine, and a READ's only at its responder") {
  // Eight at once in one direction: the last ends so much later than with the message rate alone.
  const auto last = [](const NicOptions& options, Opcode opcode, std::uint32_t bytes) {
    TwoNics t(options, {0_ps, 0_ps, 0_ps, 0_ps});
    t.rc_b.post_receive(8);
    for (std::uint64_t i = 1; i <= 8; ++i) {
      WorkRequest request = opcode == Opcode::send ? t.send(i, bytes) : t.write(i, bytes, 64 * i);
      if (opcode == Opcode::read) request = t.request(Opcode::read, i, 64 * i);
      request.bytes = bytes;
      REQUIRE(t.rc_a.post(request));
    }
    t.calendar.run_until();
    REQUIRE(t.a.completions.size() == 8);
    return t.a.completions.back().when;
  };
  struct Case {
    Opcode opcode;
    std::uint32_t bytes;
    sim::Duration NicOptions::*time;
    bool counts;
  };
  for (const Case& c :
       {Case{Opcode::write, 8, &NicOptions::write_time, true}, Case{Opcode::write, 8, &NicOptions::send_time, false},
        Case{Opcode::send, 8, &NicOptions::send_time, true}, Case{Opcode::send, 8, &NicOptions::read_time, false},
        Case{Opcode::read, 8, &NicOptions::read_time, true}, Case{Opcode::read, 8, &NicOptions::write_time, false},
        Case{Opcode::read, 256, &NicOptions::long_read_time, false},
        Case{Opcode::read, 257, &NicOptions::long_read_time, true}}) {
    INFO(name_of(c.opcode) << " of " << c.bytes);
    NicOptions plain;
    plain.messages_per_second = 1'000'000;  // slower than anything else
    NicOptions with = plain;
    with.*(c.time) = 300_ns;
    CHECK(last(with, c.opcode, c.bytes) == last(plain, c.opcode, c.bytes) + (c.counts ? 7 * 300_ns : 0_ps));
  }
}

}  // namespace queue_pair_cache_test
