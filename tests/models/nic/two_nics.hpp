// Two NICs back to back, with everything that reaches their hosts noted.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "models/nic/nic.hpp"
#include "models/packets/addressing.hpp"
#include "tests/models/hardware_fixture.hpp"

namespace racksim::models::test {

struct Host : PacketHandler, CompletionHandler, MemoryObserver {
  Host(Hardware& owner, NicCounters& counters, NodeId node, const NicOptions& options, const CpuCosts& costs)
      : hardware(owner),
        core(owner.calendar, "core" + std::to_string(node)),
        nic(owner.context, counters, node, options, costs),
        queue(nic.create_completion_queue(core, *this)) {
    Memory::Region everywhere;
    everywhere.bytes = std::numeric_limits<std::uint64_t>::max();
    everywhere.observers.push_back(this);
    memory_key = nic.memory().add(everywhere);
  }
  struct Seen {
    std::uint64_t what;  ///< first payload word, wr_id
    sim::Time when;
    bool operator==(const Seen&) const = default;
  };
  void on_packet(p4::PacketRef packet) override {
    packets.push_back({packet->content.as<std::uint64_t>(), hardware.calendar.now()});
  }
  void on_completion(const Completion& completion) override {
    all.push_back(completion);
    if (completion.status != Status::success) {
      failures.push_back(completion.wr_id);
    } else if (completion.opcode == Opcode::receive) {
      const std::uint64_t what = completion.content.empty() ? 0 : completion.content.as<std::uint64_t>();
      messages.push_back({what, hardware.calendar.now()});
    } else {
      completions.push_back({completion.wr_id, hardware.calendar.now()});
    }
  }
  void landed(NodeId, std::uint64_t address, std::uint32_t length, const Content& content) override {
    landings.push_back({content.as<std::uint64_t>(), hardware.calendar.now()});
    addresses.push_back(address);
    bytes.push_back(length);
  }
  Hardware& hardware;
  Core core;
  Nic nic;
  CompletionQueue& queue;
  std::uint32_t memory_key = 0;  // of a region of all addresses
  std::vector<Completion> all;
  std::vector<Seen> packets, completions, messages, landings;
  std::vector<std::uint64_t> addresses, failures;
  std::vector<std::uint32_t> bytes;
};

struct TwoNics : Hardware {
  explicit TwoNics(const NicOptions& nic_options = {}, const CpuCosts& core_costs = {})
      : options(nic_options),
        costs(core_costs),
        a(*this, counters, 0, options, costs),
        b(*this, counters, 1, options, costs) {
    a.nic.plug(ab);
    b.nic.plug(ba);
    connect();
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
    made->content = Content::of(what);
    return made;
  }
  void connect() {
    rc_a.connect(1, rc_b.number());
    rc_b.connect(0, rc_a.number());
  }
  WorkRequest request(Opcode opcode, std::uint64_t wr_id, std::uint64_t address = 0) const {
    WorkRequest made;
    made.opcode = opcode;
    made.remote = {address, b.memory_key};
    made.wr_id = wr_id;
    made.operation = sim::OperationId{wr_id};
    return made;
  }
  WorkRequest write(std::uint64_t what, std::uint32_t length, std::uint64_t address) const {
    WorkRequest made = request(Opcode::write, what, address);
    made.content = Content::of(what);
    made.bytes = length;
    return made;
  }
  WorkRequest send(std::uint64_t what, std::uint32_t length = 32) const {
    WorkRequest made = request(Opcode::send, what);
    made.content = Content::of(what);
    made.bytes = length;
    return made;
  }
  std::uint64_t held() const { return ab.in_flight() + ba.in_flight() + a.nic.packets_held() + b.nic.packets_held(); }

  NicOptions options;
  CpuCosts costs;
  NicCounters counters{metrics};
  Host a, b;
  Wire ab{context, "a-b", 100'000'000'000, 10_ns, b.nic, 0};
  Wire ba{context, "b-a", 100'000'000'000, 10_ns, a.nic, 0};
  ReliableConnection& rc_a = a.nic.create_reliable({a.queue, a.queue});
  ReliableConnection& rc_b = b.nic.create_reliable({b.queue, b.queue});
  Qpn raw_a, raw_b;
};

}  // namespace racksim::models::test
