// The program of a cache in the switch on a pipeline and a replication engine, driven packet by packet: no wires, no
// time, no hosts.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "p4model/execute/pipeline.hpp"
#include "p4model/execute/replication.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/store/messages.hpp"
#include "protocols/switch_cache/cache_program.hpp"
#include "protocols/switch_cache/messages.hpp"

namespace racksim::switch_cache::testing {

using store::MeasureHeader;
using store::Op;
using store::SafetyHeader;
using store::StoreHeader;

struct Host {
  std::uint64_t ip, mac;
  std::uint16_t port, udp_port;
};
constexpr Host host(std::uint16_t n) {
  return {0x0a000000u + n, 0x020000000000u + n, n, static_cast<std::uint16_t>(store::kFirstPort + n)};
}
inline constexpr Host kAliceHost = host(1), kBobHost = host(2), kServer = host(10), kController = host(20);

struct Key {
  std::uint64_t high, low;
};
/// Keys that differ in either half of their hash alone.
constexpr Key key(std::uint64_t n) {
  return {0xfeed000000000000u + n / 2, 0xbeef000000000000u + n % 2};
}

/// A packet after its pass, and where its copies go, in order.
struct PassedPacket {
  p4::PacketRef packet;
  std::vector<std::uint16_t> ports;

  StoreHeader& store() const { return packet->get<StoreHeader>(); }
  Op op() const { return store().operation(); }
  std::uint64_t cached() const { return packet->get<MeasureHeader>().cached; }
  std::uint64_t version() const { return packet->get<SafetyHeader>().version; }
  bool went_to(const Host& only) const { return ports == std::vector<std::uint16_t>{only.port}; }
};

/// `Passed` is a PassedPacket with what a scheme's tests ask of it.
template <class Passed>
class CacheSwitch {
 public:
  void evict(Key k) { pipeline.remove_entry(*lookup_, std::vector{k.high, k.low}); }

  p4::PacketRef message(Op op, Key k, const Host& from, const Host& to, std::uint32_t seq = 0) {
    auto packet = packets.make();
    packet->push(p4::Ethernet{to.mac, from.mac, p4::kEtherTypeIpv4});
    packet->push(p4::Ipv4{.protocol = p4::kProtocolUdp, .src = from.ip, .dst = to.ip});
    packet->push(p4::Udp{from.udp_port, to.udp_port});
    packet->push(StoreHeader{store::number(op), seq, k.high, k.low, 0});
    packet->push(MeasureHeader{});
    if (versions_) packet->push(SafetyHeader{});
    return packet;
  }
  Passed pass(p4::PacketRef packet, std::uint16_t port) {
    p4::IngressMetadata metadata;
    metadata.port = port;
    const p4::Verdict verdict = pipeline.run_ingress(*packet, metadata);
    std::vector<p4::Copy> copies;
    engine.replicate(verdict, copies);
    Passed result{{std::move(packet), {}}};
    for (const p4::Copy& copy : copies) result.ports.push_back(copy.port);
    return result;
  }

  Passed request(Op op, Key k, const Host& from, std::uint32_t seq = 0) {
    return pass(message(op, k, from, kServer, seq), from.port);
  }
  Passed read(Key k, const Host& from = kAliceHost, std::uint32_t seq = 0) {
    return request(Op::read_request, k, from, seq);
  }
  Passed write_request(Key k, const Host& from = kAliceHost) { return request(Op::write_request, k, from); }
  Passed fetch_request(Key k) { return request(switch_cache::kFetchRequest, k, kController); }

  std::uint64_t value(std::string_view array, std::uint64_t index = 0) const {
    return pipeline.registers().read(pipeline.registers().array(array), index);
  }
  /// Whether a read request would be served by the switch.
  bool valid(std::uint64_t index) const {
    return (versions_ ? value("STATE", index) >> 32 : value("STATE", index)) == 1;
  }

  p4::PacketPool packets;
  p4::Pipeline pipeline;
  p4::ReplicationEngine engine;

 protected:
  /// Forwards to all four hosts.
  CacheSwitch(const CacheProgram& program, bool versions)
      : pipeline(program.program), lookup_(program.lookup), set_index_(program.set_index), versions_(versions) {
    for (const Host& h : {kAliceHost, kBobHost, kServer, kController}) {
      add(*program.forwarding.by_mac, {h.mac}, *program.forwarding.to_port, {h.port});
    }
  }
  /// Makes a row for a key.
  void insert_row(Key k, std::uint64_t index) { add(*lookup_, {k.high, k.low}, *set_index_, {index}); }
  void add(const p4::Table& table, const std::vector<std::uint64_t>& match, const p4::Action& action,
           const std::vector<std::uint64_t>& data) {
    pipeline.add_entry(table, match, action, data);
  }

 private:
  const p4::Table* lookup_;
  const p4::Action* set_index_;
  bool versions_;
};

}  // namespace racksim::switch_cache::testing
