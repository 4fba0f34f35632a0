// Two NICs back to back, with everything that reaches their hosts noted.
#pragma once

#include <string>
#include <vector>

#include "models/nic/nic.hpp"
#include "models/packets/addressing.hpp"
#include "tests/models/hardware_fixture.hpp"

namespace racksim::models::test {

struct Host : PacketHandler, CompletionHandler, ReceiveHandler, MemoryTarget {
  Host(Hardware& owner, NicCounters& counters, NodeId node, const NicOptions& options, const CpuCosts& costs)
      : hardware(owner),
        core(owner.calendar, "core" + std::to_string(node)),
        nic(owner.context, counters, node, options, costs) {
    nic.set_memory_target(*this);
  }
  struct Seen {
    std::uint64_t what;  ///< first payload word, wr_id
    sim::Time when;
    bool operator==(const Seen&) const = default;
  };
  void on_packet(p4::PacketRef packet) override { packets.push_back({packet->payload[0], hardware.calendar.now()}); }
  void on_completion(std::uint64_t wr_id) override { completions.push_back({wr_id, hardware.calendar.now()}); }
  void on_failure(std::uint64_t wr_id) override { failures.push_back(wr_id); }
  void on_receive(NodeId, const Payload& payload) override {
    messages.push_back({payload.words[0], hardware.calendar.now()});
  }
  void landed(NodeId, std::uint64_t address, const Payload& payload) override {
    landings.push_back({payload.words[0], hardware.calendar.now()});
    addresses.push_back(address);
    bytes.push_back(payload.bytes);
  }
  Hardware& hardware;
  Core core;
  Nic nic;
  std::vector<Seen> packets, completions, messages, landings;
  std::vector<std::uint64_t> addresses, failures;
  std::vector<std::uint32_t> bytes;
};

struct TwoNics : Hardware {
  explicit TwoNics(const NicOptions& nic_options = {}, const CpuCosts& costs = {})
      : options(nic_options), a(*this, counters, 0, options, costs), b(*this, counters, 1, options, costs) {
    a.nic.plug(ab);
    b.nic.plug(ba);
    rc_a = a.nic.create_rc_qp(a.core, a, &a);
    rc_b = b.nic.create_rc_qp(b.core, b, &b);
    a.nic.connect(rc_a, 1, rc_b);
    b.nic.connect(rc_b, 0, rc_a);
    raw_a = a.nic.create_raw_qp(a.core, a);
    raw_b = b.nic.create_raw_qp(b.core, b);
  }
  /// A packet of `frame` bytes for node b's raw queue pair.
  p4::PacketRef to_b(std::uint64_t what, std::uint32_t frame = 64) {
    auto made = packets.make();
    made->push(p4::Ethernet{.dst = mac_of(1), .ether_type = p4::kEtherTypeIpv4});
    made->push(p4::Ipv4{.protocol = p4::kProtocolUdp, .dst = ipv4_of(1)});
    made->push(p4::Udp{.src_port = 0, .dst_port = raw_b});
    made->payload_bytes = frame - p4::kFcsBytes - made->header_bytes();
    made->payload[0] = what;
    return made;
  }
  std::uint64_t held() const { return ab.in_flight() + ba.in_flight() + a.nic.packets_held() + b.nic.packets_held(); }

  NicOptions options;
  NicCounters counters{metrics};
  Host a, b;
  Wire ab{context, "a-b", 100'000'000'000, 10_ns, b.nic, 0};
  Wire ba{context, "b-a", 100'000'000'000, 10_ns, a.nic, 0};
  std::uint32_t rc_a, rc_b, raw_a, raw_b;
};

}  // namespace racksim::models::test
