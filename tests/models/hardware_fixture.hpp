// A rack context with nothing in it, and a sink that notes what arrives.
#pragma once

#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/wire/wire.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::models::test {

struct Hardware {
  sim::Calendar calendar;
  sim::EventLog event_log;
  sim::Metrics metrics;
  p4::PacketPool packets;
  PacketAccounting accounting{metrics};
  RackContext context{calendar, event_log, metrics, packets, accounting, 42};

  /// A UDP packet whose frame has `frame` bytes (at least 64), numbered by its serial and its destination port.
  p4::PacketRef packet(std::uint64_t serial, std::uint32_t frame = 64) {
    auto made = packets.make();
    made->push(p4::Ethernet{1, 2, p4::kEtherTypeIpv4});
    made->push(p4::Ipv4{});
    made->push(p4::Udp{.src_port = 7, .dst_port = serial & 0xffff});
    made->payload_bytes = frame - p4::kFcsBytes - made->header_bytes();
    made->serial = serial;
    accounting.create();
    return made;
  }
};

inline sim::Time at(sim::Duration since_start) {
  return sim::Time{} + since_start;
}

struct Collector : PacketSink {
  explicit Collector(Hardware& owner) : hardware(owner) {}
  struct Entry {
    std::uint64_t serial;
    sim::Time when;
    bool operator==(const Entry&) const = default;
  };
  void receive(p4::PacketRef&& packet, unsigned) override {
    entries.push_back({packet->serial, hardware.calendar.now()});
    hardware.accounting.deliver();
  }
  std::vector<std::uint64_t> serials() const {
    std::vector<std::uint64_t> all;
    for (const auto& entry : entries) all.push_back(entry.serial);
    return all;
  }
  Hardware& hardware;
  std::vector<Entry> entries;
};

}  // namespace racksim::models::test
