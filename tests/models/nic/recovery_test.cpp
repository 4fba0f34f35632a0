// What a connection does about what was lost or found no receive, and what an earlier connection or a crash leaves
// behind, which is nothing.
#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "models/nic/verbs.hpp"
#include "tests/models/nic/two_nics.hpp"

namespace nic_recovery_test {

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

/// The packet with this PSN is lost, so often.
TargetedFault loss_of(std::uint64_t psn, std::uint64_t times = 1) {
  return {.match = {.header = "bth", .fields = {{"psn", psn}}}, .count = times};
}

/// When a SEND that finds no receive fails, having been sent twice.
sim::Time failure_with(std::uint64_t rnr_timer) {
  NicOptions options;
  options.rnr_timer = rnr_timer;
  options.rnr_retry_count = 1;
  TwoNics t(options);
  t.rc_a.post(t.send(1));
  t.calendar.run_until();
  REQUIRE(t.a.all.size() == 1);
  CHECK(t.a.all[0].status == Status::rnr_retries_exceeded);
  return t.calendar.now();
}

}  // namespace

TEST_CASE("A READ of which the middle was lost asks for the rest, and brings all bytes in their places") {
  NicOptions options;
  options.mtu_bytes = 256;
  for (std::uint64_t lost = 0; lost < 4; ++lost) {
    INFO("packet " << lost);
    TwoNics t(options);
    std::vector<std::byte> bytes(900);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
    t.b.nic.memory().write(kWord, bytes);
    t.ba.add_targeted_fault(loss_of(lost));
    WorkRequest read = t.request(Opcode::read, 1, kWord);
    read.bytes = 900;
    t.rc_a.post(read);
    t.calendar.run_until();
    REQUIRE(t.a.all.size() == 1);
    const auto brought = t.a.all[0].content.bytes();
    CHECK(std::vector<std::byte>(brought.begin(), brought.end()) == bytes);
    // The responder has sent what was asked for again, and nothing that had come in order.
    CHECK(t.ba.packets_sent() == 4 + 4 - lost);
  }
}

// What is behind the READ says that its response is lost, once more after a timeout: it is asked for again at once.
TEST_CASE("A response that is lost again and again is asked for again by what comes behind it, after a timeout too") {
  TwoNics t;
  t.b.nic.memory().set_word(kWord, 5);
  WorkRequest read = t.request(Opcode::read, 1, kWord);
  read.bytes = 8;
  t.ba.add_targeted_fault(loss_of(0, 3));
  t.rc_a.post(read);
  t.rc_a.post(t.write(2, 8, kWord + 8));
  t.calendar.run_until();
  REQUIRE(t.a.all.size() == 2);
  CHECK(t.a.all[0].content.as<std::uint64_t>() == 5);
  CHECK(t.counters.timeouts.value == 1);
}

TEST_CASE("A lost response is asked for again at once on a connection that is joined anew while another was missing") {
  TwoNics t;
  WorkRequest read = t.request(Opcode::read, 1, kWord);
  read.bytes = 8;
  t.ba.add_targeted_fault(loss_of(0, 3));
  for (int connection = 1; connection <= 2; ++connection) {
    t.rc_a.post(read);
    t.rc_a.post(t.write(2, 8, kWord + 8));
    if (connection == 2) break;
    t.calendar.run_until(at(50_us));  // lost twice
    t.connect();
  }
  t.calendar.run_until();
  CHECK(t.a.all.size() == 2);
  CHECK(t.counters.timeouts.value == 0);
}

// InfiniBand, volume 1, chapter 9.7.5.1.5: a repeated request is acknowledged with the PSN of the latest that is done.
TEST_CASE("The acknowledgement of a repeated WRITE covers all that has been carried out since") {
  TwoNics t;
  t.ba.add_targeted_fault({.match = {.header = "aeth"}, .count = 2});
  t.ab.add_targeted_fault({.match = {.header = "bth", .fields = {{"psn", 1}}}, .first = 2});
  t.rc_a.post(t.write(1, 64, kWord));
  t.rc_a.post(t.write(2, 64, kWord + 64));
  t.calendar.run_until();
  CHECK(t.a.completions.size() == 2);
  CHECK(t.b.landings.size() == 2);
  CHECK(t.counters.timeouts.value == 1);
}

TEST_CASE("A receiver that is not ready is left alone until its pause is over, whatever was posted behind the SEND") {
  NicOptions options;
  options.rnr_timer = 1;  // 10 us
  TwoNics t(options);
  for (std::uint64_t i = 1; i <= 3; ++i) t.rc_a.post(t.send(i));
  t.calendar.run_until(at(10_us));
  CHECK(t.ab.packets_sent() == 3);
  CHECK(t.counters.naks.value == 0);
  t.rc_b.post_receive(3);
  t.calendar.run_until();
  CHECK(t.ab.packets_sent() == 6);
  CHECK(t.counters.not_ready.value == 1);
  CHECK(t.b.messages.size() == 3);
}

// ibv_modify_qp(3), min_rnr_timer, in milliseconds.
TEST_CASE("The pause that a receiver asks for is that of its code") {
  constexpr std::array<int, 32> kHundredths{65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                            48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                            2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  const sim::Time shortest = failure_with(1);
  for (std::uint64_t code = 0; code < 32; ++code) {
    INFO("code " << code);
    CHECK(failure_with(code) - shortest == 10_us * (kHundredths[code] - 1));
  }
}

// InfiniBand, volume 1, chapter 9.9.2.1.1: the counter is loaded anew once a request is acknowledged.
TEST_CASE("Each message may find the receiver not ready as often as the retry counter says") {
  NicOptions options;
  options.rnr_timer = 1;
  options.rnr_retry_count = 2;
  TwoNics t(options);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    t.rc_a.post(t.send(i));
    const std::uint64_t before = t.counters.not_ready.value;
    while (t.counters.not_ready.value < before + 2) REQUIRE(t.calendar.run_one());
    t.rc_b.post_receive();
    t.calendar.run_until();
    CHECK(t.a.completions.size() == i);
  }
  CHECK(t.a.failures.empty());
}

TEST_CASE("A connection that is joined anew waits for no pause of the one before") {
  for (const bool crash : {false, true}) {
    NicOptions options;
    options.rnr_timer = 0;  // 655 ms
    TwoNics t(options);
    t.rc_a.post(t.send(1));
    t.calendar.run_until(at(50_us));
    CHECK(t.counters.not_ready.value == 1);
    if (crash) {
      t.a.nic.power_off();
      t.a.nic.power_on();
    }
    t.connect();
    t.rc_a.post(t.write(2, 64, kWord));
    t.calendar.run_until(at(100_us));
    CHECK(t.a.completions.size() == 1);
    CHECK(t.b.landings.size() == 1);
  }
}

TEST_CASE("A repeated atomic gets its own result, not that of the connection before") {
  TwoNics t;
  t.rc_a.post(fetch_add(t, 1, 7));
  t.calendar.run_until();
  t.connect();
  // It comes twice, the second time before the first is carried out, and the answer to the first is lost.
  t.ab.add_targeted_fault({.effect = TargetedFault::Effect::duplicate, .match = {.header = "bth"}});
  t.ba.add_targeted_fault({.match = {.header = "aeth"}});
  t.rc_a.post(fetch_add(t, 2, 1));
  t.calendar.run_until();
  REQUIRE(t.a.all.size() == 2);
  CHECK(t.a.all[0].old_value == 0);
  CHECK(t.a.all[1].old_value == 7);
  CHECK(t.counters.duplicates.value == 2);  // the copy, and after a timeout the answer's cause
  CHECK(t.b.nic.memory().word(kWord) == 8);
}

// No acknowledgement stands for an atomic's response, be the atomic signalled or not.
TEST_CASE("What is behind an atomic without a completion does not end before what the atomic found has come") {
  enum class Lost : std::uint8_t { request, response, response_and_what_is_behind };
  for (const Lost lost : {Lost::request, Lost::response, Lost::response_and_what_is_behind}) {
    constexpr std::uint64_t kHere = 64;
    TwoNics t;
    t.b.nic.memory().set_word(kWord, 7);
    (lost == Lost::request ? t.ab : t.ba).add_targeted_fault(loss_of(0));
    if (lost == Lost::response_and_what_is_behind) t.ba.add_targeted_fault(loss_of(1));
    WorkRequest list[2] = {fetch_add(t, 1, 1), t.request(Opcode::read, 2, kWord)};
    list[0].signalled = false;
    list[0].old_value_at = kHere;
    list[1].bytes = 8;
    t.rc_a.post(list);
    while (t.a.all.empty() && t.calendar.run_one()) {
    }
    CHECK(t.a.nic.memory().word(kHere) == 7);
    REQUIRE(t.a.all.size() == 1);
    CHECK(t.a.all[0].wr_id == 2);
    CHECK(t.a.all[0].content.as<std::uint64_t>() == 8);
    CHECK(t.b.nic.memory().word(kWord) == 8);
    CHECK(t.counters.atomics.value == 1);
    CHECK(t.counters.timeouts.value == (lost == Lost::response_and_what_is_behind ? 1 : 0));
  }
}

TEST_CASE("A crash forgets datagrams that were not sent yet: those of afterwards complete with their own numbers") {
  TwoNics t;
  Datagram& from = t.a.nic.create_datagram({t.a.queue, t.a.queue});
  Datagram& to = t.b.nic.create_datagram({t.b.queue, t.b.queue});
  to.post_receive(10);
  const auto post = [&](std::uint64_t wr_id) {
    WorkRequest request = t.send(wr_id, 1024);
    request.destination = {1, to.number()};
    CHECK(from.post(request));
  };
  for (std::uint64_t i = 1; i <= 3; ++i) post(i);
  t.a.nic.power_off();
  t.calendar.run_until(at(20_us));
  t.a.nic.power_on();
  from.restart();
  for (std::uint64_t i = 4; i <= 6; ++i) post(i);
  t.calendar.run_until();
  std::vector<std::uint64_t> completed, heard;
  for (const Host::Seen& one : t.a.completions) completed.push_back(one.what);
  for (const Host::Seen& one : t.b.messages) heard.push_back(one.what);
  CHECK(completed == std::vector<std::uint64_t>{4, 5, 6});
  CHECK(heard == std::vector<std::uint64_t>{4, 5, 6});
  CHECK(t.accounting.expected_in_flight() == 0);
}

TEST_CASE(
    "A completion that a crash has lost is not taken for one of afterwards, which nobody sees before it is there") {
  constexpr auto kCrash = 3_us;
  TwoNics undisturbed;
  undisturbed.calendar.run_until(at(kCrash));
  undisturbed.rc_a.post(undisturbed.write(2, 64, 0));
  undisturbed.calendar.run_until();
  const sim::Time earliest = undisturbed.a.completions.at(0).when;
  // The core comes to the lost one at any instant until the other is there.
  for (sim::Duration busy = kCrash; at(busy) < earliest; busy += 20_ns) {
    TwoNics t;
    t.a.core.charge(busy);
    t.rc_a.post(t.write(1, 64, 0));
    t.calendar.run_until(at(kCrash));
    t.a.nic.power_off();
    t.a.nic.power_on();
    t.connect();
    t.rc_a.post(t.write(2, 64, 0));
    t.calendar.run_until();
    REQUIRE(t.a.completions.size() == 1);
    CHECK(t.a.completions[0].what == 2);
    CHECK(t.a.completions[0].when >= earliest);
  }
}

// ibv_poll_cq(3): every work request of a queue pair in error completes, one that a message has begun to fill too.
TEST_CASE("A receive that half a message has come for is flushed with the others, its own or a shared one") {
  for (const bool is_shared : {false, true}) {
    NicOptions options;
    options.mtu_bytes = 256;
    TwoNics t(options);
    ReceiveQueue& shared = t.b.nic.create_shared_receive_queue();
    auto& a = t.a.nic.create_reliable({t.a.queue, t.a.queue});
    auto& b = t.b.nic.create_reliable({t.b.queue, t.b.queue, is_shared ? &shared : nullptr});
    a.connect(1, b.number());
    b.connect(0, a.number());
    b.post_receive(1, {80});
    b.post_receive(1, {81});
    t.ab.add_targeted_fault(loss_of(1, 1'000'000));
    a.post(t.send(1, 512));
    t.calendar.run_until(at(20_us));
    CHECK(t.b.all.empty());
    WorkRequest wrong = t.request(Opcode::read, 9, kWord);
    wrong.remote.key = 77;
    wrong.bytes = 8;
    b.post(wrong);
    t.calendar.run_until();
    std::vector<std::uint64_t> flushed;
    for (const Completion& c : t.b.all) {
      if (c.opcode != Opcode::receive) continue;
      CHECK(c.status == Status::flushed);
      CHECK(c.qpn == b.number());
      flushed.push_back(c.wr_id);
    }
    CHECK(flushed == (is_shared ? std::vector<std::uint64_t>{80} : std::vector<std::uint64_t>{80, 81}));
    CHECK(shared.size() == (is_shared ? 1 : 0));
  }
}

// ibv_modify_qp(3): a transition to RESET removes what was posted. Both connections number from 0.
TEST_CASE("What was posted to an earlier connection and was not sent yet never is, and lands nowhere") {
  for (const bool stalled : {false, true}) {
    TwoNics t;
    if (stalled) t.a.nic.stall_transmit(at(500_ns));
    t.rc_a.post(t.write(1, 4096, kWord));  // its payload is being read
    t.calendar.run_until(at(stalled ? 5_us : 200_ns));
    t.connect();
    t.rc_a.post(t.write(2, 64, 2 * kWord));
    if (stalled) t.a.nic.resume_transmit(at(500_ns));
    t.calendar.run_until();
    REQUIRE(t.b.landings.size() == 1);
    CHECK(t.b.landings[0].what == 2);
    CHECK(t.b.addresses[0] == 2 * kWord);
    REQUIRE(t.a.completions.size() == 1);
    CHECK(t.a.completions[0].what == 2);
    CHECK(t.counters.duplicates.value == 0);
    CHECK(t.accounting.expected_in_flight() == 0);
    CHECK(t.packets.live() == 0);
  }
}

TEST_CASE("A NIC that comes back from a crash is as fast as a new one, whatever it had to do before") {
  const auto read_takes = [](bool crash) {
    TwoNics t;
    if (crash) {
      for (std::uint64_t i = 1; i <= 4; ++i) {
        WorkRequest read = t.request(Opcode::read, i, kWord);
        read.bytes = 100'000;
        t.rc_a.post(read);
      }
      t.calendar.run_until(at(3_us));
      for (Host* host : {&t.a, &t.b}) {
        host->nic.power_off();
        host->nic.power_on();
      }
      t.b.memory_key = t.b.nic.memory().add({.bytes = 1 << 20});
      t.connect();
    }
    const sim::Time begin = t.calendar.now();
    WorkRequest read = t.request(Opcode::read, 9, kWord);
    read.bytes = 8;
    t.rc_a.post(read);
    t.calendar.run_until();
    REQUIRE(t.a.completions.size() == 1);
    return t.a.completions[0].when - begin;
  };
  CHECK(read_takes(true) == read_takes(false));
}

}  // namespace nic_recovery_test
