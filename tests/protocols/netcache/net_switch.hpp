// NetCache's program, driven packet by packet: tests/protocols/switch_cache/cache_switch.hpp with its updates.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "protocols/netcache/messages.hpp"
#include "protocols/netcache/net_program.hpp"
#include "tests/protocols/switch_cache/cache_switch.hpp"

namespace racksim::netcache::testing {

using store::ValueHeader;
using namespace switch_cache::testing;

struct Passed : PassedPacket {
  bool has_value() const { return packet->find<ValueHeader>() != nullptr; }
  std::uint64_t word(unsigned i) const { return packet->word(packet->header_count() - 1, i); }
  /// To the server and, as a copy, to the controller.
  bool reported() const { return ports == std::vector<std::uint16_t>{kServer.port, kController.port}; }
  bool from_to(const Host& from, const Host& to) const {
    const auto& ethernet = packet->get<p4::Ethernet>();
    const auto& ip = packet->get<p4::Ipv4>();
    const auto& udp = packet->get<p4::Udp>();
    return ethernet.src == from.mac && ethernet.dst == to.mac && ip.src == from.ip && ip.dst == to.ip &&
           udp.src_port == from.udp_port && udp.dst_port == to.udp_port;
  }
};

inline NetShape small(bool versions) {
  NetShape shape;
  shape.cache_entries = 8;
  shape.versions = versions;
  return shape;
}

class NetSwitch : public CacheSwitch<Passed> {
 public:
  explicit NetSwitch(const NetShape& s) : NetSwitch(s, make_net_program(s)) {}

  /// What the controller does to cache a key; its value is still missing.
  void insert(Key k, std::uint64_t index) { insert_row(k, index); }

  /// The server's update of a key, of a version if there are any.
  Passed update(Key k, std::uint64_t value, std::uint64_t version = 0) {
    auto packet = message(netcache::kCacheUpdate, k, kServer, kController, 7);
    if (shape.versions) packet->get<SafetyHeader>().version = version;
    packet->push<ValueHeader>();
    const auto place = packet->header_count() - 1;
    for (unsigned i = 0; i < ValueHeader::kWords; ++i)
      packet->set_word(place, i, ValueHeader::word(sim::Value{value}, i));
    return pass(std::move(packet), kServer.port);
  }
  /// The update that follows a request that has passed.
  Passed update(Key k, std::uint64_t value, const Passed& request) {
    return update(k, value, shape.versions ? request.version() : 0);
  }
  /// Caches a key and its value.
  void install(Key k, std::uint64_t index, std::uint64_t value) {
    insert(k, index);
    update(k, value, fetch_request(k));
  }

  NetShape shape;
  NetProgram net;

 private:
  NetSwitch(const NetShape& s, NetProgram program)
      : CacheSwitch(program, s.versions), shape(s), net(std::move(program)) {
    engine.set_group(kReportGroup, {{0, {kController.port}}});
  }
};

}  // namespace racksim::netcache::testing
