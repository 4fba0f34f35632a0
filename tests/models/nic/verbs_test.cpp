// What each verb takes, to the picosecond, what it does, and how it fails.
#include "models/nic/verbs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "tests/models/nic/two_nics.hpp"

namespace nic_verbs_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

constexpr std::uint64_t kWord = 4096;

// Doorbell and transmit side; receive side and PCIe; 10 ns of wire.
constexpr auto kOut = 175_ns + 110_ns, kWire = 10_ns, kIn = 100_ns + 175_ns;
// 64 bytes of a completion cross PCIe at 100 Gbit/s, and the core polls it.
constexpr auto kCompletion = 5'120_ps, kPoll = 40_ns, kReceive = 60_ns;

const Completion& only(const Host& host) {
  REQUIRE(host.all.size() == 1);
  return host.all[0];
}

WorkRequest fetch_add(const TwoNics& t, std::uint64_t wr_id, std::uint64_t add, std::uint64_t address = kWord) {
  WorkRequest made = t.request(Opcode::fetch_add, wr_id, address);
  made.swap_or_add = add;
  return made;
}
WorkRequest compare_swap(const TwoNics& t, std::uint64_t wr_id, std::uint64_t compare, std::uint64_t swap,
                         std::uint64_t address = kWord) {
  WorkRequest made = t.request(Opcode::compare_swap, wr_id, address);
  made.compare = compare;
  made.swap_or_add = swap;
  return made;
}
WorkRequest read(const TwoNics& t, std::uint64_t wr_id, std::uint32_t bytes, std::uint64_t address = kWord) {
  WorkRequest made = t.request(Opcode::read, wr_id, address);
  made.bytes = bytes;
  return made;
}

}  // namespace

TEST_CASE("A READ takes request, read over PCIe, response and completion, and brings what memory holds") {
  TwoNics t;
  t.b.nic.memory().set_word(kWord, 42);
  t.rc_a.post(read(t, 7, 64));
  t.calendar.run_until();
  // Request: Eth 14 + IP 20 + UDP 8 + BTH 12 + RETH 16 + ICRC 4 + FCS 4 + gap 20 = 98 B = 7.84 ns. Response: AETH 4 and
  // 64 B instead of the RETH, 150 B = 12 ns.
  const auto asked = kOut + 7'840_ps + kWire;
  const auto answered = asked + 100_ns + 5'120_ps + 350_ns + 110_ns + 12_ns + kWire;
  CHECK(t.a.completions == std::vector<Host::Seen>{{7, at(answered + kIn + 5'120_ps + kCompletion + kPoll)}});
  CHECK(only(t.a).bytes == 64);
  CHECK(only(t.a).opcode == Opcode::read);
  std::uint64_t word = 0;
  std::memcpy(&word, only(t.a).content.bytes().data(), sizeof word);
  CHECK(word == 42);
  CHECK(t.b.core.busy_time() == 0_ns);
  CHECK(t.accounting.expected_in_flight() == 0);
}

TEST_CASE("A fetch-and-add takes request, atomic, response and completion, and brings the old value") {
  TwoNics t;
  t.b.nic.memory().set_word(kWord, 40);
  t.rc_a.post(fetch_add(t, 7, 2));
  t.calendar.run_until();
  // Request: AtomicETH 28 instead of the RETH, 110 B = 8.8 ns. Response: AETH 4 + AtomicAckETH 8, 94 B = 7.52 ns.
  const auto answered = kOut + 8'800_ps + kWire + 100_ns + 400_ns + 110_ns + 7'520_ps + kWire;
  CHECK(t.a.completions == std::vector<Host::Seen>{{7, at(answered + kIn + 640_ps + kCompletion + kPoll)}});
  CHECK(only(t.a).old_value == 40);
  CHECK(t.b.nic.memory().word(kWord) == 42);
  CHECK(t.b.core.busy_time() == 0_ns);
  CHECK(t.counters.atomics.value == 1);
}

TEST_CASE("A compare-and-swap swaps if it finds what it expects, and brings what it found") {
  TwoNics t;
  t.b.nic.memory().set_word(kWord, 1);
  t.rc_a.post(compare_swap(t, 1, 1, 5));
  t.rc_a.post(compare_swap(t, 2, 1, 6));
  t.calendar.run_until();
  REQUIRE(t.a.all.size() == 2);
  CHECK(t.a.all[0].old_value == 1);
  CHECK(t.a.all[1].old_value == 5);
  CHECK(t.b.nic.memory().word(kWord) == 5);
}

TEST_CASE("A SEND takes as long as a WRITE to its receive, and brings immediate data in four bytes more") {
  for (const bool immediate : {false, true}) {
    TwoNics t;
    t.rc_b.post_receive(1, {99});
    WorkRequest request = t.send(8);
    if (immediate) request.opcode = Opcode::send_imm;
    request.immediate = 77;
    t.rc_a.post(request);
    t.calendar.run_until();
    // Eth 14 + IP 20 + UDP 8 + BTH 12 + 32 + ICRC 4 + FCS 4 + gap 20 = 114 B = 9.12 ns; 4 B are 0.32 ns.
    const auto wire = 9'120_ps + (immediate ? 320_ps : 0_ps) + kWire;
    CHECK(t.b.messages == std::vector<Host::Seen>{{8, at(kOut + wire + kIn + 2'560_ps + kReceive)}});
    CHECK(only(t.b).wr_id == 99);
    CHECK(only(t.b).bytes == 32);
    CHECK(only(t.b).from == 0);
    CHECK(only(t.b).qpn == t.rc_b.number());
    CHECK(only(t.b).from_qpn == t.rc_a.number());
    CHECK(only(t.b).immediate == (immediate ? std::optional<std::uint32_t>(77) : std::nullopt));
  }
}

TEST_CASE("A WRITE with immediate data lands, and consumes a receive") {
  TwoNics t;
  t.rc_b.post_receive(1, {5});
  WorkRequest request = t.write(3, 64, kWord);
  request.opcode = Opcode::write_imm;
  request.immediate = 9;
  t.rc_a.post(request);
  t.calendar.run_until();
  CHECK(t.b.nic.memory().word(kWord) == 3);
  CHECK(only(t.b).wr_id == 5);
  CHECK(only(t.b).immediate == 9);
  CHECK(only(t.b).bytes == 64);
  REQUIRE(t.b.landings.size() == 1);
  CHECK(t.a.completions.size() == 1);
}

TEST_CASE("A list of work requests costs the core one doorbell and a little for each more") {
  TwoNics t;
  std::vector<WorkRequest> list;
  for (std::uint64_t i = 1; i <= 5; ++i) {
    list.push_back(t.write(i, 64, kWord));
    list.back().signalled = false;
  }
  CHECK(t.rc_a.post(list) == 5);
  t.calendar.run_until();
  CHECK(t.a.core.busy_time() == 40_ns + 4 * 10_ns);
  CHECK(t.b.landings.size() == 5);
}

TEST_CASE("A full send queue takes no more, and says so") {
  NicOptions options;
  options.send_queue = 3;
  TwoNics t(options);
  std::vector<WorkRequest> list;
  for (std::uint64_t i = 1; i <= 5; ++i) list.push_back(t.write(i, 64, kWord));
  CHECK(t.rc_a.post(list) == 3);
  CHECK_FALSE(t.rc_a.post(list[0]));
  t.calendar.run_until();
  CHECK(t.a.completions.size() == 3);
  CHECK(t.rc_a.post(list[4]));
}

TEST_CASE("READs and atomics beyond the limit wait, and what is behind them too") {
  NicOptions options;
  options.outstanding_reads = 2;
  TwoNics t(options);
  for (std::uint64_t i = 1; i <= 4; ++i) t.rc_a.post(fetch_add(t, i, 1, kWord + 8 * i));
  t.rc_a.post(t.write(5, 64, kWord));
  t.calendar.run_until(at(400_ns));
  CHECK(t.ab.packets_sent() == 2);
  t.calendar.run_until();
  REQUIRE(t.a.completions.size() == 5);
  CHECK(t.a.completions[4].what == 5);
  CHECK(t.b.landings.size() == 1);
}

TEST_CASE("A WRITE passes a READ on its way, unless it is fenced") {
  for (const bool fenced : {false, true}) {
    TwoNics t;
    t.b.nic.memory().set_word(kWord, 1);
    t.rc_a.post(read(t, 1, 8));
    WorkRequest write = t.write(2, 8, kWord);
    write.fenced = fenced;
    t.rc_a.post(write);
    t.calendar.run_until(at(500_ns));
    CHECK(t.ab.packets_sent() == (fenced ? 1 : 2));
    t.calendar.run_until();
    CHECK(t.b.nic.memory().word(kWord) == 2);
    REQUIRE(t.a.completions.size() == 2);
    CHECK(t.a.completions[0].what == 1);
    if (fenced) CHECK(t.a.all[0].content.as<std::uint64_t>() == 1);
  }
}

TEST_CASE("A READ or an atomic behind a WRITE of its queue pair sees it") {
  TwoNics t;
  t.rc_a.post(t.write(17, 4096, kWord));  // long on PCIe
  t.rc_a.post(read(t, 2, 8));
  t.rc_a.post(fetch_add(t, 3, 1));
  t.calendar.run_until();
  REQUIRE(t.a.all.size() == 3);
  CHECK(t.a.all[1].content.as<std::uint64_t>() == 17);
  CHECK(t.a.all[2].old_value == 17);
  CHECK(t.b.nic.memory().word(kWord) == 18);
}

TEST_CASE("What is posted later to another queue pair may overtake a WRITE, which it then does not see") {
  TwoNics t;
  auto &other_a = t.a.nic.create_reliable({t.a.queue, t.a.queue}),
       &other_b = t.b.nic.create_reliable({t.b.queue, t.b.queue});
  other_a.connect(1, other_b.number());
  other_b.connect(0, other_a.number());
  t.rc_a.post(t.write(17, 4096, kWord));  // long on PCIe
  other_a.post(read(t, 2, 8));
  other_a.post(fetch_add(t, 3, 1));
  other_a.post(t.write(4, 8, kWord + 4096));
  t.calendar.run_until();
  REQUIRE(t.a.all.size() == 4);
  CHECK(t.a.all.back().wr_id == 17);
  CHECK(t.a.all[0].content.as<std::uint64_t>() == 0);
  CHECK(t.a.all[1].old_value == 0);
  REQUIRE(t.b.landings.size() == 2);
  CHECK(t.b.landings[0].what == 4);
  CHECK(t.b.nic.memory().word(kWord) == 17);  // what the atomic made of it is overwritten
}

TEST_CASE("Atomics of one word follow each other, those of different words at the NIC's rate") {
  for (const bool one_word : {true, false}) {
    TwoNics t;
    for (std::uint64_t i = 0; i < 16; ++i) t.rc_a.post(fetch_add(t, i + 1, 1, kWord + (one_word ? 0 : 8 * i)));
    t.calendar.run_until();
    REQUIRE(t.a.completions.size() == 16);
    const auto took = t.a.completions.back().when - t.a.completions.front().when;
    if (one_word) {
      CHECK(took == 15 * 400_ns);
      CHECK(t.b.nic.memory().word(kWord) == 16);
    } else {
      CHECK(took == 15 * 40_ns);  // the core's 40 ns for each completion take longer than the NIC's 20
    }
  }
}

TEST_CASE("A READ or an atomic is at memory when its answer is there to be sent: one event at the responder") {
  for (const bool atomic : {false, true}) {
    TwoNics t;
    t.b.nic.memory().set_word(kWord, 1);
    t.rc_a.post(atomic ? fetch_add(t, 7, 1) : read(t, 7, 64));
    // Until then one packet has arrived, of 110 or 98 bytes on the wire.
    const auto there = kOut + (atomic ? 8'800_ps : 7'840_ps) + kWire + 100_ns + (atomic ? 400_ns : 355'120_ps) - 175_ns;
    t.calendar.run_until(at(there - 1_ps));
    CHECK(t.calendar.executed() == 1);
    CHECK(t.b.nic.memory().word(kWord) == 1);
    if (!atomic) t.b.nic.memory().set_word(kWord, 2);
    t.calendar.run_until(at(there));
    CHECK(t.calendar.executed() == 2);
    CHECK(t.b.nic.memory().word(kWord) == 2);
    t.b.nic.memory().set_word(kWord, 3);
    t.calendar.run_until(at(there + 5_us));
    CHECK(t.calendar.executed() == 4);  // the answer has arrived, and has been polled
    std::uint64_t found = 0;
    std::memcpy(&found, only(t.a).content.bytes().data(), atomic ? 0 : sizeof found);
    CHECK((atomic ? only(t.a).old_value + 1 : found) == 2);
  }
}

TEST_CASE("An atomic is done in its time though its answer waits for a long READ's, which does not see it") {
  TwoNics t;
  t.b.nic.memory().set_word(kWord, 40);
  t.rc_a.post(read(t, 1, 4096));
  t.rc_a.post(fetch_add(t, 2, 2));
  // The atomic's packet follows the other at the message rate; 4096 bytes take 327.68 ns over PCIe.
  const auto atomic = 10_ns + kOut + 8'800_ps + kWire + 100_ns + 400_ns - 175_ns;
  REQUIRE(atomic < kOut + 7'840_ps + kWire + 100_ns + 327'680_ps + 175_ns);
  t.calendar.run_until(at(atomic - 1_ps));
  CHECK(t.b.nic.memory().word(kWord) == 40);
  t.calendar.run_until(at(atomic));
  CHECK(t.b.nic.memory().word(kWord) == 42);
  t.calendar.run_until();
  REQUIRE(t.a.all.size() == 2);
  std::uint64_t found = 0;
  std::memcpy(&found, t.a.all[0].content.bytes().data(), sizeof found);
  CHECK(found == 40);
  CHECK(t.a.all[1].old_value == 40);
}

TEST_CASE("An atomic that makes no completion writes what it found into its node's memory, before those behind end") {
  constexpr std::uint64_t kHere = 64;
  TwoNics t;
  t.b.nic.memory().set_word(kWord, 40);
  for (const std::uint64_t found : {40, 42}) {
    WorkRequest list[2] = {fetch_add(t, 1, 2), read(t, 2, 8)};
    list[0].signalled = false;
    list[0].old_value_at = kHere;
    t.rc_a.post(list);
    t.calendar.run_until();
    CHECK(t.a.completions.back().what == 2);
    CHECK(t.a.all.back().content.as<std::uint64_t>() == found + 2);
    CHECK(t.a.nic.memory().word(kHere) == found);
  }
  CHECK(t.a.all.size() == 2);
}

TEST_CASE("What memory does not allow ends in an error, and both queue pairs with it") {
  struct Case {
    const char* what;
    WorkRequest request;
    Status status;
  };
  TwoNics shape;
  Memory::Region small;
  small.begin = 0;
  small.bytes = 64;
  const auto key = 2u;  // the second that a NIC registers
  WorkRequest beyond = shape.write(1, 65, 0);
  beyond.remote.key = key;
  WorkRequest unregistered = read(shape, 1, 8);
  unregistered.remote.key = 77;
  for (const Case& c :
       {Case{"beyond the region", beyond, Status::remote_access_error},
        Case{"an unknown key", unregistered, Status::remote_access_error},
        Case{"a misaligned atomic", fetch_add(shape, 1, 1, kWord + 4), Status::remote_invalid_request}}) {
    INFO(c.what);
    TwoNics t;
    REQUIRE(t.b.nic.memory().add(small) == key);
    WorkRequest behind = t.write(2, 64, kWord);
    behind.signalled = false;
    t.rc_a.post(c.request);
    t.rc_a.post(behind);
    t.calendar.run_until();
    REQUIRE(t.a.all.size() == 2);
    CHECK(t.a.all[0].status == c.status);
    CHECK(t.a.all[0].wr_id == 1);
    CHECK(t.a.all[1].status == Status::flushed);
    CHECK(t.rc_a.state() == QueuePair::State::error);
    CHECK(t.rc_b.state() == QueuePair::State::error);
    CHECK(t.counters.refused.value == 1);
    CHECK(t.b.landings.empty());
    t.rc_a.post(t.write(3, 64, kWord));
    t.calendar.run_until();
    CHECK(t.a.all.back().status == Status::flushed);
    CHECK(t.accounting.expected_in_flight() == 0);
    t.connect();
    t.rc_a.post(t.write(4, 64, kWord));
    t.calendar.run_until();
    CHECK(t.a.all.back().status == Status::success);
    CHECK(t.b.landings.size() == 1);
  }
}

TEST_CASE("A SEND without a receive comes again after the pause that the receiver asks for, and not by a timeout") {
  NicOptions options;
  options.rnr_timer = 1;  // 10 us
  TwoNics t(options);
  t.rc_a.post(t.send(1));
  t.calendar.run_until(at(5_us));
  CHECK(t.counters.not_ready.value == 1);
  t.rc_b.post_receive();
  t.calendar.run_until(at(10_us));
  CHECK(t.b.messages.empty());
  t.calendar.run_until();
  REQUIRE(t.b.messages.size() == 1);
  CHECK(t.b.messages[0].when < at(15_us));
  CHECK(t.counters.timeouts.value == 0);
  CHECK(t.a.completions.size() == 1);
}

TEST_CASE("The receiver that is never ready has a retry counter of its own") {
  NicOptions options;
  options.rnr_timer = 1;
  options.rnr_retry_count = 2;
  TwoNics t(options);
  t.rc_a.post(t.send(1));
  t.calendar.run_until();
  CHECK(t.counters.not_ready.value == 3);
  CHECK(only(t.a).status == Status::rnr_retries_exceeded);
  CHECK(t.counters.timeouts.value == 0);
}

TEST_CASE("A message longer than its receive is an error at both ends") {
  TwoNics t;
  t.rc_b.post_receive(1, {5, 16});
  t.rc_a.post(t.send(1, 32));
  t.calendar.run_until();
  CHECK(only(t.b).status == Status::local_length_error);
  CHECK(only(t.b).wr_id == 5);
  CHECK(only(t.a).status == Status::remote_invalid_request);
}

TEST_CASE("Queue pairs share receives, in the order in which messages come") {
  TwoNics t;
  ReceiveQueue& shared = t.b.nic.create_shared_receive_queue();
  std::vector<ReliableConnection*> at_a, at_b;
  for (int i = 0; i < 3; ++i) {
    at_a.push_back(&t.a.nic.create_reliable({t.a.queue, t.a.queue}));
    at_b.push_back(&t.b.nic.create_reliable({t.b.queue, t.b.queue, &shared}));
    at_a.back()->connect(1, at_b.back()->number());
    at_b.back()->connect(0, at_a.back()->number());
  }
  for (std::uint64_t i = 0; i < 3; ++i) shared.post(1, {100 + i});
  at_a[2]->post(t.send(1));
  at_a[0]->post(t.send(2));
  at_a[1]->post(t.send(3));
  t.calendar.run_until(at(20_us));
  REQUIRE(t.b.all.size() == 3);
  for (std::uint64_t i = 0; i < 3; ++i) CHECK(t.b.all[i].wr_id == 100 + i);
  CHECK(t.b.all[0].qpn == at_b[2]->number());
  CHECK(shared.empty());
}

TEST_CASE("A datagram takes eight bytes more than a SEND, completes when it is sent, and may be lost") {
  TwoNics t;
  Datagram& from = t.a.nic.create_datagram({t.a.queue, t.a.queue});
  Datagram& to = t.b.nic.create_datagram({t.b.queue, t.b.queue});
  to.post_receive(1, {50});
  WorkRequest request = t.send(8);
  request.destination = {1, to.number()};
  from.post(request);
  t.calendar.run_until();
  CHECK(t.b.messages ==
        std::vector<Host::Seen>{{8, at(kOut + 9'760_ps + kWire + kIn + 5'760_ps + kReceive)}});  // 40 and 32 B
  CHECK(only(t.b).from_qpn == from.number());
  CHECK(only(t.b).wr_id == 50);
  REQUIRE(t.a.completions.size() == 1);
  CHECK(t.a.completions[0].when == at(kOut + 9'760_ps + kIn + kCompletion + kPoll));
  // No receive: nobody tells the sender.
  from.post(request);
  t.calendar.run_until();
  CHECK(t.b.messages.size() == 1);
  CHECK(t.a.completions.size() == 2);
  CHECK(t.accounting.expected_in_flight() == 0);
}

TEST_CASE("A datagram queue pair does not what only connections do, and takes no message of several packets") {
  for (const bool too_long : {false, true}) {
    TwoNics t;
    Datagram& from = t.a.nic.create_datagram({t.a.queue, t.a.queue});
    from.post(too_long ? t.send(1, 4097) : t.write(1, 64, kWord));
    t.calendar.run_until();
    CHECK(only(t.a).status == (too_long ? Status::local_length_error : Status::local_operation_error));
    CHECK(from.state() == QueuePair::State::error);
    from.restart();
    CHECK(from.state() == QueuePair::State::ready);
  }
}

}  // namespace nic_verbs_test
