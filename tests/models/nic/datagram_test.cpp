// Datagrams in bulk: lists of work requests, doorbells, payloads, receives and selective signalling, against closed
// forms (ccKVS §6.3, §6.4).
#include "models/nic/datagram.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <vector>

#include "tests/models/nic/two_nics.hpp"

namespace datagram_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

constexpr std::uint32_t kInline = 188;

// Doorbell and transmit side, 10 ns of wire, receive side with PCIe, and what the receiving core takes.
constexpr auto kOut = 175_ns + 110_ns, kWire = 10_ns, kIn = 100_ns + 175_ns, kReceive = 60_ns;

// Eth 14 + IP 20 + UDP 8 + BTH 12 + DETH 8 + ICRC 4 + FCS 4 + preamble and gap 20.
constexpr std::uint32_t kHeaders = 90;

/// At 100 Gbit/s, which is the rate of PCIe too.
sim::Duration bits_of(std::uint32_t bytes) {
  return sim::Duration::from_ps(bytes * 80);
}

struct Bulk : TwoNics {
  explicit Bulk(std::uint64_t send_queue = 4096) : Bulk(options(send_queue)) {}
  explicit Bulk(const NicOptions& options, const CpuCosts& costs = {}) : TwoNics(options, costs) {}
  static NicOptions options(std::uint64_t send_queue) {
    NicOptions made;
    made.inline_bytes = kInline;
    made.messages_per_second = 50'000'000;
    made.send_queue = send_queue;
    return made;
  }
  /// Of so many datagrams to node b, numbered from 1, of which one in `signalled` makes a completion.
  std::vector<WorkRequest> list(unsigned count, std::uint32_t bytes, unsigned signalled = 0) const {
    std::vector<WorkRequest> made;
    for (unsigned i = 1; i <= count; ++i) {
      made.push_back(send(i, bytes));
      made.back().destination = {1, to.number()};
      made.back().signalled = signalled != 0 && i % signalled == 0;
    }
    return made;
  }
  Datagram& from = a.nic.create_datagram({a.queue, a.queue});
  Datagram& to = b.nic.create_datagram({b.queue, b.queue});
};

}  // namespace

TEST_CASE("A list of inline datagrams is one doorbell, and comes at the message rate", "[claim:cckvs-s64-inline]") {
  Bulk t;
  t.to.post_receive(10);
  CHECK(t.from.post(t.list(10, kInline)) == 10);
  t.calendar.run_until();
  CHECK(t.a.core.busy_time() == 40_ns + 9 * 10_ns);
  CHECK(t.counters.pcie_reads.value == 0);
  REQUIRE(t.b.messages.size() == 10);
  // 20 ns of the engine for each, less than 278 bytes on the wire; the core that polls takes 60 ns for each.
  const auto first = kOut + bits_of(kHeaders + kInline) + kWire + kIn + bits_of(kGrhBytes + kInline) + kReceive;
  for (unsigned i = 0; i < 10; ++i) CHECK(t.b.messages[i] == Host::Seen{i + 1, at(first + kReceive * i)});
  CHECK(t.b.core.busy_time() == kReceive * 10);
}

TEST_CASE("Small and large datagrams in turn come at the scarcest of engine, wire and PCIe, which work side by side") {
  struct Limits {
    std::uint64_t messages_per_second, pcie_bits_per_second;
    sim::Duration pair;  // of a datagram of 1,024 bytes and one of 24
  };
  // Of a pair the wire takes 89.12 and 9.12 ns, PCIe at 100 Gb/s 85.12 and 5.12 with the route headers.
  for (const Limits limits :
       {Limits{50'000'000, 100'000'000'000, 98'240_ps}, Limits{10'000'000, 100'000'000'000, 200_ns},
        Limits{50'000'000, 25'000'000'000, 360'960_ps}}) {
    NicOptions options = Bulk::options(4096);
    options.messages_per_second = limits.messages_per_second;
    options.pcie_bits_per_second = limits.pcie_bits_per_second;
    Bulk t(options, {0_ps, 0_ps, 0_ps, 0_ps, 0_ps});  // cores are no limit
    constexpr unsigned kPairs = 100;
    t.to.post_receive(2 * kPairs);
    auto list = t.list(2 * kPairs, 1024);
    for (std::size_t i = 1; i < list.size(); i += 2) list[i].bytes = 24;
    REQUIRE(t.from.post(list) == list.size());
    t.calendar.run_until();
    REQUIRE(t.b.messages.size() == 2 * kPairs);
    const sim::Duration took = t.b.messages[2 * kPairs - 2].when - t.b.messages[20].when;
    CHECK(took == limits.pair * (kPairs - 11));
  }
}

TEST_CASE("Payloads above the inline limit are read over PCIe, once for each work request of a list",
          "[claim:cckvs-s64-inline]") {
  Bulk t;
  t.to.post_receive(10);
  CHECK(t.from.post(t.list(10, kInline + 1)) == 10);
  t.calendar.run_until();
  CHECK(t.counters.pcie_reads.value == 10);
  REQUIRE(t.b.messages.size() == 10);
  // Asked for when the doorbell is there, and there a round trip later. On the wire it is padded to four bytes.
  const auto payload = bits_of(kInline + 1);
  const auto there = kOut + payload + 350_ns + bits_of(kHeaders + kInline + 4) + kWire;
  const auto first = there + kIn + bits_of(kGrhBytes) + payload + kReceive;
  CHECK(t.b.messages[0].when == at(first));
  CHECK(t.b.messages[9].when == at(first + kReceive * 9));
}

TEST_CASE("All work requests of a broadcast share one payload: nothing of it is copied, to the last receiver") {
  Bulk t;
  t.to.post_receive(8);
  struct Object {
    std::byte bytes[1024];
  } object{};
  object.bytes[1000] = std::byte{7};
  const Content payload = Content::of(object);
  std::vector<WorkRequest> list = t.list(8, 1024);
  for (WorkRequest& request : list) request.content = payload;
  // The harness reads what it is told as a number, so this watches by itself.
  struct Watcher final : CompletionHandler {
    void on_completion(const Completion& completion) override { contents.push_back(completion.content); }
    std::vector<Content> contents;
  } watcher;
  CompletionQueue& queue = t.b.nic.create_completion_queue(t.b.core, watcher);
  Datagram& there = t.b.nic.create_datagram({queue, queue});
  there.post_receive(8);
  for (WorkRequest& request : list) request.destination.qpn = there.number();
  CHECK(t.from.post(list) == 8);
  list.clear();
  t.calendar.run_until();
  REQUIRE(watcher.contents.size() == 8);
  for (const Content& content : watcher.contents) CHECK(content.bytes().data() == payload.bytes().data());
}

TEST_CASE("A datagram without a receive is dropped and counted, and one that is longer than its receive is an error") {
  Bulk t;
  t.to.post_receive(3, {.wr_id = 9, .bytes = kGrhBytes + 64});
  t.from.post(t.list(5, 64));
  t.calendar.run_until();
  CHECK(t.b.messages.size() == 3);
  CHECK(t.counters.not_ready.value == 2);
  CHECK(t.accounting.dropped(DropReason::ring_full) == 2);
  t.to.post_receive(1, {.wr_id = 9, .bytes = kGrhBytes + 64});
  t.from.post(t.list(1, 65));
  t.calendar.run_until();
  CHECK(t.b.all.back().status == Status::local_length_error);
  CHECK(t.b.failures == std::vector<std::uint64_t>{9});
  CHECK(t.to.state() == QueuePair::State::ready);
  CHECK(t.accounting.expected_in_flight() == 0);
}

TEST_CASE("A send queue has room again for each datagram that is on the wire, without a completion or an event") {
  Bulk t(4);
  t.to.post_receive(100);
  CHECK(t.from.post(t.list(6, 24)) == 4);
  CHECK_FALSE(t.from.post(t.list(1, 24)[0]));
  // The first is on the wire after the doorbell, the transmit side and its bits, the next 20 ns later.
  const auto first = kOut + bits_of(kHeaders + 24);
  t.calendar.run_until(at(first - 1_ps));
  CHECK_FALSE(t.from.post(t.list(1, 24)[0]));
  t.calendar.run_until(at(first + 20_ns));
  CHECK(t.from.post(t.list(6, 24)) == 2);
  CHECK(t.calendar.executed() == 1);  // the first has reached the other NIC
  t.calendar.run_until();
  CHECK(t.b.messages.size() == 6);
  CHECK(t.a.completions.empty());
  CHECK(t.calendar.executed() == 2 * 6);  // each at the other NIC and at its core
}

TEST_CASE("One completion for a batch costs the core one poll, and frees the whole batch") {
  Bulk t(16);
  t.to.post_receive(1000);
  const auto batch = t.list(16, 22, 16);
  for (unsigned round = 1; round <= 5; ++round) {
    CHECK(t.from.post(batch) == 16);
    CHECK_FALSE(t.from.post(batch[0]));
    t.calendar.run_until();
    REQUIRE(t.a.completions.size() == round);
    CHECK(t.a.completions.back().what == 16);
    // A doorbell and 15 more, an attempt in vain, and the poll.
    CHECK(t.a.core.busy_time() == (40_ns + 15 * 10_ns + 40_ns + 40_ns) * round);
  }
  CHECK(t.b.messages.size() == 80);
}

TEST_CASE("Signalled and other datagrams complete in their order, whatever the queue has forgotten") {
  Bulk t(8);
  t.to.post_receive(1000);
  std::vector<std::uint64_t> expected;
  for (unsigned i = 1; i <= 200; ++i) {
    WorkRequest request = t.list(1, 22)[0];
    request.wr_id = i;
    request.signalled = i % 5 == 0 || i % 7 == 0;
    while (!t.from.post(request)) t.calendar.run_until(t.calendar.now() + 13_ns);
    if (request.signalled) expected.push_back(i);
  }
  t.calendar.run_until();
  std::vector<std::uint64_t> completed;
  for (const auto& completion : t.a.completions) completed.push_back(completion.what);
  CHECK(completed == expected);
  CHECK(t.b.messages.size() == 200);
}

// InfiniBand, volume 1, chapter 11.4.1.2, and ibv_post_recv(3): the first 40 bytes of a datagram's receive are the global
// route header's, which counts as received. What a SEND over a connection brings has none.
TEST_CASE("A datagram's receive needs room for the global route header, and tells of it in its bytes") {
  for (const std::uint32_t payload : {0u, 1u, 64u, 4096u}) {
    for (const std::uint32_t room : {payload, payload + 39, payload + 40, payload + 41}) {
      INFO(payload << " bytes into " << room);
      Bulk t;
      t.to.post_receive(1, {.wr_id = 9, .bytes = room});
      t.from.post(t.list(1, payload));
      t.rc_b.post_receive(1, {.wr_id = 10, .bytes = payload});
      t.rc_a.post(t.send(1, payload));
      t.calendar.run_until();
      REQUIRE(t.b.all.size() == 2);
      for (const Completion& completion : t.b.all) {
        const bool datagram = completion.wr_id == 9;
        CHECK(completion.bytes == (datagram ? 40 + payload : payload));
        const bool fits = !datagram || room >= 40 + payload;
        CHECK(completion.status == (fits ? Status::success : Status::local_length_error));
        CHECK(completion.content.as<std::uint64_t>() == 1);
      }
    }
  }
}

}  // namespace datagram_test
