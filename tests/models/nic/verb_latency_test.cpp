// What each verb takes between idle hosts, to the picosecond: the sum of the testbed's constants, for payloads that
// come with the doorbell and those that are read over PCIe.
//
// A packet's bytes are the IPv4 lengths that the InfiniBand and RoCE v2 specifications give (READ request 60, response
// 48 + n, acknowledgement 48, WRITE 60 + n, SEND 44 + n, UD SEND 52 + n, immediate data 4, CAS or FAA 72 and 56), with
// Ethernet 14, FCS 4, preamble and gap 20.
#include <catch2/catch.hpp>
#include <optional>

#include "models/nic/verbs.hpp"
#include "tests/models/nic/two_nics.hpp"

namespace verb_latency_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

constexpr std::uint64_t kAddress = 4096;
constexpr auto kPcie = 175_ns, kTransmit = 110_ns, kReceive = 100_ns, kPropagation = 10_ns, kAtomic = 400_ns;
constexpr auto kPollCompletion = 40_ns, kPollMessage = 60_ns;
constexpr std::uint32_t kInline = 128, kCompletionBytes = 64;

// Both PCIe and the wire take 100 Gbit/s.
constexpr sim::Duration bytes(std::uint64_t n) {
  return sim::Duration::from_ps(static_cast<std::int64_t>(n) * 80);
}
constexpr std::uint32_t padded(std::uint32_t n) {
  return (n + 3) / 4 * 4;
}
// From the NIC's turn to the last bit at the other one.
constexpr sim::Duration flight(std::uint32_t ip_bytes) {
  return kTransmit + bytes(14 + ip_bytes + 4 + 20) + kPropagation;
}
// From the doorbell to the NIC's turn: the payload comes along, or is asked for and read.
constexpr sim::Duration doorbell(std::uint32_t n) {
  return n <= kInline ? kPcie : kPcie + kPcie + bytes(n) + kPcie;
}
// From the last bit to host memory.
constexpr sim::Duration landing(std::uint32_t n) {
  return kReceive + bytes(n) + kPcie;
}
// An acknowledgement takes its turn like a message that was posted without a payload.
constexpr sim::Duration acknowledged() {
  return kPcie + flight(48) + landing(kCompletionBytes) + kPollCompletion;
}

struct Expected {
  std::optional<sim::Duration> message, landed;  ///< at the other host
  sim::Duration completion;
};

Expected expected(Opcode opcode, bool datagram, std::uint32_t n) {
  const std::uint32_t immediate = opcode == Opcode::send_imm || opcode == Opcode::write_imm ? 4 : 0;
  if (datagram) {
    const auto there = doorbell(n) + flight(52 + immediate + padded(n));
    return {there + landing(kGrhBytes + n) + kPollMessage,
            {},
            there - kPropagation + landing(kCompletionBytes) + kPollCompletion};
  }
  switch (opcode) {
    case Opcode::send:
    case Opcode::send_imm: {
      const auto there = doorbell(n) + flight(44 + immediate + padded(n));
      return {there + landing(n) + kPollMessage, {}, there + acknowledged()};
    }
    case Opcode::write:
    case Opcode::write_imm: {
      const auto there = doorbell(n) + flight(60 + immediate + padded(n));
      Expected made{{}, there + landing(n), there + acknowledged()};
      if (opcode == Opcode::write_imm) made.message = there + landing(n) + kPollMessage;
      return made;
    }
    case Opcode::read: {
      const auto there = doorbell(0) + flight(60);
      const auto back = there + kReceive + kPcie + bytes(n) + kPcie + flight(48 + padded(n));
      return {{}, {}, back + landing(n + kCompletionBytes) + kPollCompletion};
    }
    default: {
      const auto back = doorbell(0) + flight(72) + kReceive + kAtomic + flight(56);
      return {{}, {}, back + landing(8 + kCompletionBytes) + kPollCompletion};
    }
  }
}

}  // namespace

TEST_CASE("Each verb takes the sum of its parts, whether its payload comes with the doorbell or is read") {
  struct Verb {
    Opcode opcode;
    bool datagram;
  };
  for (const Verb verb : {Verb{Opcode::send, false}, Verb{Opcode::send_imm, false}, Verb{Opcode::write, false},
                          Verb{Opcode::write_imm, false}, Verb{Opcode::read, false}, Verb{Opcode::compare_swap, false},
                          Verb{Opcode::fetch_add, false}, Verb{Opcode::send, true}, Verb{Opcode::send_imm, true}}) {
    for (const std::uint32_t n : {8u, 32u, 101u, 128u, 129u, 1024u, 4096u}) {
      const bool atomic = verb.opcode == Opcode::compare_swap || verb.opcode == Opcode::fetch_add;
      if (atomic && n != 8) continue;
      INFO(name_of(verb.opcode) << (verb.datagram ? " of a datagram, " : ", ") << n << " bytes");
      TwoNics t;
      Datagram& from = t.a.nic.create_datagram({t.a.queue, t.a.queue});
      Datagram& to = t.b.nic.create_datagram({t.b.queue, t.b.queue});
      t.rc_b.post_receive();
      to.post_receive();
      WorkRequest request = t.request(verb.opcode, 7, kAddress);
      request.bytes = n;
      request.destination = {1, to.number()};
      if (verb.opcode != Opcode::read && !atomic) request.content = Content::of(std::uint64_t{9});
      QueuePair& queue_pair = verb.datagram ? static_cast<QueuePair&>(from) : t.rc_a;
      queue_pair.post(request);
      t.calendar.run_until();
      const Expected wanted = expected(verb.opcode, verb.datagram, n);
      REQUIRE(t.a.completions.size() == 1);
      CHECK(t.a.completions[0].when == at(wanted.completion));
      REQUIRE(t.b.messages.size() == (wanted.message ? 1 : 0));
      if (wanted.message) CHECK(t.b.messages[0].when == at(*wanted.message));
      REQUIRE(t.b.landings.size() == (wanted.landed ? 1 : 0));
      if (wanted.landed) CHECK(t.b.landings[0].when == at(*wanted.landed));
      CHECK(t.counters.pcie_reads.value == (n > kInline && verb.opcode != Opcode::read ? 1 : 0));
      CHECK(t.accounting.expected_in_flight() == 0);
    }
  }
}

}  // namespace verb_latency_test
