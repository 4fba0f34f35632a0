// NetCache's program on a pipeline and a replication engine, driven packet by packet: no wires, no time, no hosts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "p4model/headers.hpp"
#include "p4model/pipeline.hpp"
#include "p4model/replication.hpp"
#include "protocols/netcache/net_program.hpp"
#include "protocols/nocache/messages.hpp"

namespace racksim::netcache::testing {

using nocache::MeasureHeader;
using nocache::Op;
using nocache::SafetyHeader;
using nocache::StoreHeader;
using nocache::ValueHeader;

struct Host {
  std::uint64_t ip, mac;
  std::uint16_t port, udp_port;
};
constexpr Host host(std::uint16_t n) {
  return {0x0a000000u + n, 0x020000000000u + n, n, static_cast<std::uint16_t>(nocache::kFirstPort + n)};
}
inline constexpr Host kAlice = host(1), kBob = host(2), kServer = host(10), kController = host(20);

struct Key {
  std::uint64_t high, low;
};
/// Keys that differ in either half alone.
constexpr Key key(std::uint64_t n) {
  return {0xfeed000000000000u + n / 2, 0xbeef000000000000u + n % 2};
}

/// A packet after its pass, and where its copies go, in order.
struct Passed {
  p4::PacketRef packet;
  std::vector<std::uint16_t> ports;

  StoreHeader& store() const { return packet->get<StoreHeader>(); }
  Op op() const { return store().operation(); }
  std::uint64_t cached() const { return packet->get<MeasureHeader>().cached; }
  std::uint64_t version() const { return packet->get<SafetyHeader>().version; }
  bool has_value() const { return packet->find<ValueHeader>() != nullptr; }
  std::uint64_t word(unsigned i) const { return packet->word(packet->header_count() - 1, i); }
  bool went_to(const Host& only) const { return ports == std::vector<std::uint16_t>{only.port}; }
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

class NetSwitch {
 public:
  explicit NetSwitch(const NetShape& s) : shape(s), net(make_net_program(s)), pipeline(net.program) {
    for (const Host& h : {kAlice, kBob, kServer, kController}) {
      add(*net.forwarding.by_mac, {h.mac}, *net.forwarding.to_port, {h.port});
    }
    engine.set_group(kReportGroup, {{0, {kController.port}}});
  }

  /// What the controller does to cache a key; its value is still missing.
  void insert(Key k, std::uint64_t index) { add(*net.lookup, {k.high, k.low}, *net.set_index, {index}); }
  void evict(Key k) { pipeline.remove_entry(*net.lookup, std::vector{k.high, k.low}); }

  p4::PacketRef message(Op op, Key k, const Host& from, const Host& to, std::uint32_t seq = 0) {
    auto packet = packets.make();
    packet->push(p4::Ethernet{to.mac, from.mac, p4::kEtherTypeIpv4});
    packet->push(p4::Ipv4{.protocol = p4::kProtocolUdp, .src = from.ip, .dst = to.ip});
    packet->push(p4::Udp{from.udp_port, to.udp_port});
    packet->push(StoreHeader{nocache::number(op), seq, k.high, k.low, 0});
    packet->push(MeasureHeader{});
    if (shape.versions) packet->push(SafetyHeader{});
    return packet;
  }
  Passed pass(p4::PacketRef packet, std::uint16_t port) {
    p4::IngressMetadata metadata;
    metadata.port = port;
    const p4::Verdict verdict = pipeline.run_ingress(*packet, metadata);
    std::vector<p4::Copy> copies;
    engine.replicate(verdict, copies);
    Passed result{std::move(packet), {}};
    for (const p4::Copy& copy : copies) result.ports.push_back(copy.port);
    return result;
  }

  Passed request(Op op, Key k, const Host& from, std::uint32_t seq = 0) {
    return pass(message(op, k, from, kServer, seq), from.port);
  }
  Passed read(Key k, const Host& from = kAlice, std::uint32_t seq = 0) {
    return request(Op::read_request, k, from, seq);
  }
  Passed write_request(Key k, const Host& from = kAlice) { return request(Op::write_request, k, from); }
  Passed fetch_request(Key k) { return request(Op::fetch_request, k, kController); }
  /// The server's update of a key, of a version if there are any.
  Passed update(Key k, std::uint64_t value, std::uint64_t version = 0) {
    auto packet = message(Op::cache_update, k, kServer, kController, 7);
    if (shape.versions) packet->get<SafetyHeader>().version = version;
    auto& header = packet->push<ValueHeader>();
    const auto place = packet->header_count() - 1;
    static_cast<void>(header);
    for (unsigned i = 0; i < ValueHeader::kWords; ++i) packet->set_word(place, i, ValueHeader::word(value, i));
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

  std::uint64_t value(std::string_view array, std::uint64_t index = 0) const {
    return pipeline.registers().read(pipeline.registers().array(array), index);
  }
  /// Whether a read request would be answered here.
  bool valid(std::uint64_t index) const {
    return (shape.versions ? value("STATE", index) >> 32 : value("STATE", index)) == 1;
  }

  NetShape shape;
  NetProgram net;
  p4::PacketPool packets;
  p4::Pipeline pipeline;
  p4::ReplicationEngine engine;

 private:
  void add(const p4::Table& table, const std::vector<std::uint64_t>& match, const p4::Action& action,
           const std::vector<std::uint64_t>& data) {
    pipeline.add_entry(table, match, action, data);
  }
};

}  // namespace racksim::netcache::testing
