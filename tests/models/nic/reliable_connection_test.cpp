#include "models/nic/reliable_connection.hpp"

#include <catch2/catch.hpp>

#include "tests/models/nic/two_nics.hpp"

namespace reliable_connection_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {
void write(TwoNics& t, std::uint64_t what, std::uint32_t bytes, bool signalled = true) {
  WorkRequest request = t.write(what, bytes, 4096 * what);
  request.signalled = signalled;
  t.rc_a.post(request);
}
}  // namespace

TEST_CASE("A 4 KB WRITE lands and completes at closed-form instants, and no core takes part in the landing") {
  TwoNics t;
  write(t, 1, 4096);
  t.calendar.run_until(at(100_us));
  // Doorbell 175 + read 4096 B at 100 Gb/s 327.68 + 350, transmit 110; on the wire Eth 14 + IP 20 + UDP 8 + BTH 12 +
  // RETH 16 + 4096 + ICRC 4 + FCS 4 + 20 = 4194 B = 335.52; 10; receive 100 + 327.68 DMA + 175. Engine pcie latency is
  // part of the read.
  const auto arrival = 175_ns + 327'680_ps + 350_ns + 110_ns + 335'520_ps + 10_ns;
  CHECK(t.b.landings == std::vector<Host::Seen>{{1, at(arrival + 100_ns + 327'680_ps + 175_ns)}});
  CHECK(t.b.addresses == std::vector<std::uint64_t>{4096});
  CHECK(t.b.bytes == std::vector<std::uint32_t>{4096});
  CHECK(t.b.core.busy_time() == 0_ns);
  // The acknowledgement: 175 + 110, 14 + 20 + 8 + 12 + 4 + 4 + 4 = 66 + 20 B = 6.88, 10; 100 + 64 B 5.12 + 175; CPU 40.
  CHECK(t.a.completions ==
        std::vector<Host::Seen>{{1, at(arrival + 285_ns + 6'880_ps + 10_ns + 100_ns + 5'120_ps + 175_ns + 40_ns)}});
}

TEST_CASE("Of two observers of a region the one that comes first in it is told first of what has landed") {
  struct Named final : MemoryObserver {
    Named(char the_name, std::string& all_calls) : name(the_name), calls(all_calls) {}
    void landed(NodeId, std::uint64_t, std::uint32_t, const Content&) override { calls += name; }
    char name;
    std::string& calls;
  };
  TwoNics t;
  std::string calls;
  Named first('a', calls), second('b', calls);
  t.b.memory_key = t.b.nic.memory().add({.begin = 0, .bytes = 1 << 20, .observers = {&first, &second}});
  write(t, 1, 64);
  write(t, 2, 64);
  t.calendar.run_until(at(100_us));
  CHECK(calls == "abab");
  CHECK(t.b.landings.empty());
}

TEST_CASE("A message longer than the MTU is cut into segments and lands once") {
  NicOptions options;
  options.mtu_bytes = 1024;
  TwoNics t(options);
  write(t, 1, 4096);
  write(t, 2, 1025);
  write(t, 3, 0);
  t.calendar.run_until(at(100_us));
  CHECK(t.ab.packets_sent() == 4 + 2 + 1);
  CHECK(t.ba.packets_sent() == 3);
  CHECK(t.b.bytes == std::vector<std::uint32_t>{4096, 1025, 0});
  CHECK(t.a.completions.size() == 3);
  // Per segment Eth 14 + IP 20 + UDP 8 + BTH 12 + ICRC 4 + FCS 4 + gap 20 = 82; RETH 16 once a message; pad to 4.
  CHECK(t.ab.bytes_sent() == 7 * 82 + 3 * 16 + 4096 + 1028 + 0);
}

TEST_CASE("Only signalled work requests complete") {
  TwoNics t;
  for (std::uint64_t i = 1; i <= 6; ++i) write(t, i, 64, i % 3 == 0);
  t.calendar.run_until(at(100_us));
  REQUIRE(t.a.completions.size() == 2);
  CHECK(t.a.completions[0].what == 3);
  CHECK(t.a.completions[1].what == 6);
  CHECK(t.b.landings.size() == 6);
}

TEST_CASE("A lost segment is sent again when its successor reports the gap, without a timeout") {
  TwoNics t;
  t.ab.add_targeted_fault({.match = {.header = "bth", .fields = {{"psn", 1}}}});
  for (std::uint64_t i = 0; i < 3; ++i) write(t, i, 64);
  t.calendar.run_until(at(50_us));
  CHECK(t.b.landings.size() == 3);
  CHECK(t.counters.naks.value == 1);
  CHECK(t.counters.timeouts.value == 0);
  CHECK(t.counters.retransmitted.value == 2);
}

TEST_CASE("A gap is reported as the one before it was, whatever has come between them") {
  TwoNics t;
  for (const std::uint64_t lost : {1, 4})
    t.ab.add_targeted_fault({.match = {.header = "bth", .fields = {{"psn", lost}}}});
  for (std::uint64_t i = 0; i < 3; ++i) write(t, i, 64);
  t.calendar.run_until(at(50_us));
  for (std::uint64_t i = 3; i < 6; ++i) write(t, i, 64);
  t.calendar.run_until(at(100_us));
  CHECK(t.b.landings.size() == 6);
  CHECK(t.counters.naks.value == 2);
  CHECK(t.counters.timeouts.value == 0);
}

TEST_CASE("A lost last segment is sent again after the timeout") {
  TwoNics t;
  t.ab.add_targeted_fault({.match = {.header = "bth", .fields = {{"psn", 0}}}});
  write(t, 1, 64);
  t.calendar.run_until(at(t.options.rc_retransmission_timeout));
  CHECK(t.b.landings.empty());
  t.calendar.run_until();
  REQUIRE(t.b.landings.size() == 1);
  CHECK(t.b.landings[0].when > at(t.options.rc_retransmission_timeout));
  CHECK(t.counters.timeouts.value == 1);
}

TEST_CASE("A lost acknowledgement is repaired without landing the data twice") {
  TwoNics t;
  t.ba.add_targeted_fault({.match = {.header = "aeth"}});
  write(t, 1, 64);
  t.calendar.run_until();
  CHECK(t.b.landings.size() == 1);
  CHECK(t.a.completions.size() == 1);
  CHECK(t.counters.duplicates.value == 1);
}

TEST_CASE("Data lands exactly once and in order under loss, duplication and reordering") {
  for (const std::uint64_t mtu : {256, 4096}) {
    NicOptions options;
    options.mtu_bytes = mtu;
    options.rc_retry_count = 1000;
    TwoNics t(options);
    const WireFaults faults{.loss = 0.2, .duplicate = 0.2, .reorder = 0.2, .reorder_delay = 3_us};
    t.ab.set_faults(faults);
    t.ba.set_faults(faults);
    const std::uint64_t n = 300;
    for (std::uint64_t i = 1; i <= n; ++i) {
      write(t, i, static_cast<std::uint32_t>(i * 37 % 900));
      t.calendar.run_until(t.calendar.now() + 20_us);
      CHECK(t.held() == static_cast<std::uint64_t>(t.accounting.expected_in_flight()));
    }
    t.calendar.run_until();
    REQUIRE(t.b.landings.size() == n);
    REQUIRE(t.a.completions.size() == n);
    for (std::uint64_t i = 0; i < n; ++i) {
      CHECK(t.b.landings[i].what == i + 1);
      CHECK(t.b.bytes[i] == (i + 1) * 37 % 900);
      CHECK(t.a.completions[i].what == i + 1);
    }
    CHECK(t.accounting.expected_in_flight() == 0);
    CHECK(t.packets.live() == 0);
  }
}

TEST_CASE("Sequence numbers wrap at 24 bits") {
  CHECK(Psn(0) - Psn(0xffffff) == 1);
  CHECK(Psn(0xffffff) - Psn(0) == -1);
  CHECK(Psn(5) - Psn(3) == 2);
  CHECK(Psn(0x800000) - Psn(1) == 0x7fffff);
  CHECK(Psn(0xffffff) + 1 == Psn(0));
  CHECK(Psn(0) - 1 == Psn(0xffffff));
}

TEST_CASE("When retries run out the connection fails and says so for every work request") {
  TwoNics t;
  t.ab.set_up(false);
  write(t, 1, 64);
  write(t, 2, 64, false);
  t.calendar.run_until();
  CHECK(t.a.failures == std::vector<std::uint64_t>{1, 2});
  CHECK(t.counters.timeouts.value == t.options.rc_retry_count + 1);
  write(t, 3, 64);
  t.calendar.run_until();
  CHECK(t.a.failures == std::vector<std::uint64_t>{1, 2, 3});

  t.ab.set_up(true);
  t.connect();
  write(t, 4, 64);
  t.calendar.run_until();
  REQUIRE(t.b.landings.size() == 1);
  CHECK(t.b.landings[0].what == 4);
}

TEST_CASE("A receive posted before the queue pair is connected counts; one of an earlier connection does not") {
  TwoNics t;
  auto& a = t.a.nic.create_reliable({t.a.queue, t.a.queue});
  auto& b = t.b.nic.create_reliable({t.b.queue, t.b.queue});
  b.post_receive(2);
  a.connect(1, b.number());
  b.connect(0, a.number());
  a.post(t.send(21));
  t.calendar.run_until(at(50_us));
  REQUIRE(t.b.messages.size() == 1);
  CHECK(t.b.messages[0].what == 21);
  CHECK(t.counters.not_ready.value == 0);

  // One of the two is left. Connected again, the queue pair begins without.
  a.connect(1, b.number());
  b.connect(0, a.number());
  a.post(t.send(22));
  t.calendar.run_until(at(100_us));
  CHECK(t.b.messages.size() == 1);
  CHECK(t.counters.not_ready.value == 1);
  b.post_receive();
  t.calendar.run_until();
  CHECK(t.b.messages.size() == 2);
}

TEST_CASE("A crash loses the receives that were posted, before or after the connection") {
  TwoNics t;
  t.rc_b.post_receive();
  t.b.nic.power_off();
  t.b.nic.power_on();
  t.connect();
  t.rc_a.post(t.send(31));
  t.calendar.run_until(at(50_us));
  CHECK(t.b.messages.empty());
  CHECK(t.counters.not_ready.value == 1);
}

TEST_CASE("A SEND consumes a posted receive; without one it is counted and sent again") {
  TwoNics t;
  t.rc_b.post_receive();
  t.rc_a.post(t.send(11));
  t.rc_a.post(t.send(12));
  t.calendar.run_until(at(50_us));
  REQUIRE(t.b.messages.size() == 1);
  CHECK(t.b.messages[0].what == 11);
  CHECK(t.counters.not_ready.value == 1);
  t.rc_b.post_receive();
  t.calendar.run_until();
  REQUIRE(t.b.messages.size() == 2);
  CHECK(t.b.messages[1].what == 12);
  CHECK(t.a.completions.size() == 2);
  CHECK(t.accounting.expected_in_flight() == 0);
}

// InfiniBand, volume 1, chapter 9.7.2: half of the 2^24 numbers are new to a responder, half have been.
TEST_CASE("Numbers of packets are ahead or behind within half of their range, wherever they wrap around") {
  for (const std::uint32_t origin : {0u, 5u, 0x7fffffu, 0xffffffu}) {
    const Psn here(origin);
    CHECK((here + 0x7fffff) - here == 0x7fffff);
    CHECK((here + 0x800000) - here == -0x800000);
    CHECK((here - 1) - here == -1);
    CHECK(count_between(here, here) == 0);
    CHECK(count_between(here, here + 0x800000) == 0x800000);
    CHECK(count_between(here, here - 1) == 0xffffff);
  }
}

TEST_CASE("Of all the numbers half may be under way: what goes beyond waits until the oldest are answered") {
  constexpr std::uint32_t kHalf = 1 << 23, kMtu = 256;
  NicOptions options;
  options.mtu_bytes = kMtu;
  for (const std::uint32_t origin : {0u, 0xfffffeu}) {
    TwoNics t(options);
    const Psn first(origin), second = first + 1;
    t.rc_a.connect(1, t.rc_b.number(), first);
    t.rc_b.connect(0, t.rc_a.number(), first);
    WorkRequest small = t.request(Opcode::read, 1), large = t.request(Opcode::read, 2);
    small.bytes = kMtu;
    large.bytes = (kHalf - 1) * kMtu;
    t.ab.add_targeted_fault({.match = {.header = "bth", .fields = {{"psn", first.number()}}}, .count = 1});
    t.ab.add_targeted_fault({.match = {.header = "bth", .fields = {{"psn", second.number()}}}, .count = 1'000});
    t.rc_a.post(std::vector{small, large, t.write(3, 8, 64)});
    t.calendar.run_until(at(100_us));
    CHECK(t.ab.packets_sent() == 2);
    CHECK(t.counters.duplicates.value == 0);
    // After a timeout the small READ is answered. One number is free: the WRITE takes it, and shows that a READ is lost.
    t.calendar.run_until(at(150_us));
    REQUIRE(t.a.completions.size() == 1);
    CHECK(t.a.completions[0].what == 1);
    CHECK(t.counters.naks.value == 1);
    CHECK(t.counters.duplicates.value == 0);
    t.calendar.run_until();
    REQUIRE(t.a.all.size() == 3);
    CHECK(t.a.all[1].status == Status::retries_exceeded);
    CHECK(t.a.all[2].status == Status::flushed);
  }
}

TEST_CASE("The longest message takes half of the numbers and goes alone; a longer one fails, whatever its packets") {
  NicOptions options;
  options.mtu_bytes = 256;
  for (const std::uint32_t more : {0u, 1u}) {
    TwoNics t(options);
    WorkRequest read = t.request(Opcode::read, 1);
    read.bytes = (std::uint32_t{1} << 31) + more;
    read.remote.key = 77;
    t.rc_a.post(read);
    t.calendar.run_until();
    REQUIRE(t.a.all.size() == 1);
    CHECK(t.a.all[0].status == (more == 0 ? Status::remote_access_error : Status::local_length_error));
  }
}

}  // namespace reliable_connection_test
