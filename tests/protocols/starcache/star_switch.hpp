// StarCache's program on a pipeline and a replication engine, driven packet by packet: no wires, no time, no hosts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "p4model/headers.hpp"
#include "p4model/pipeline.hpp"
#include "p4model/replication.hpp"
#include "protocols/nocache/messages.hpp"
#include "protocols/starcache/star_program.hpp"

namespace racksim::starcache::testing {

using nocache::MeasureHeader;
using nocache::Op;
using nocache::SafetyHeader;
using nocache::StoreHeader;

struct Host {
  std::uint64_t ip, mac;
  std::uint16_t port, udp_port;
};
constexpr Host host(std::uint16_t n) {
  return {0x0a000000u + n, 0x020000000000u + n, n, static_cast<std::uint16_t>(nocache::kFirstPort + n)};
}
inline constexpr Host kAlice = host(1), kBob = host(2), kServer = host(10), kController = host(20);
inline constexpr std::uint16_t kRecirculation = 68;

struct Key {
  std::uint64_t high, low;
};
/// Keys that differ in either half of their hash alone.
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
  std::uint64_t ip() const { return packet->get<p4::Ipv4>().dst; }
  std::uint64_t udp_port() const { return packet->get<p4::Udp>().dst_port; }
  std::uint64_t mac() const { return packet->get<p4::Ethernet>().dst; }
  bool dropped() const { return ports.empty(); }
  bool went_to(const Host& only) const { return ports == std::vector<std::uint16_t>{only.port}; }
  /// To the host and, as a copy, to the recirculation port; to nobody else.
  bool cloned_to(const Host& h) const { return ports == std::vector<std::uint16_t>{h.port, kRecirculation}; }
  bool goes_round() const { return ports == std::vector<std::uint16_t>{kRecirculation}; }
};

/// Four requests a key and eight keys, unless a test needs something else.
inline StarShape small(bool versions) {
  StarShape shape;
  shape.recirculation_port = kRecirculation;
  shape.cache_entries = 8;
  shape.queue_size = 4;
  shape.versions = versions;
  return shape;
}

class StarSwitch {
 public:
  explicit StarSwitch(const StarShape& s) : shape(s), star(make_star_program(s)), pipeline(star.program) {
    std::uint16_t group = 0;
    for (const Host& h : {kAlice, kBob, kServer, kController}) {
      add(*star.forwarding.by_mac, {h.mac}, *star.forwarding.to_port, {h.port});
      engine.set_group(++group, {{1, {h.port, kRecirculation}}});
      add(*star.clone, {h.ip}, *star.clone_to, {group, h.mac});
    }
  }

  /// What the controller does to cache a key; its value is still missing.
  void insert(Key k, std::uint64_t index) {
    write("QUEUE", index, std::uint64_t{1} << 32);  // §3.9: the ACKed-packet counter starts at 1
    add(*star.lookup, {k.high, k.low}, *star.set_index, {index});
  }
  void evict(Key k) { pipeline.remove_entry(*star.lookup, std::vector{k.high, k.low}); }

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
  /// The copy that went to the recirculation port comes in again.
  Passed recirculate(const Passed& circulating) {
    return pass(packets.clone_headers(*circulating.packet), kRecirculation);
  }

  Passed request(Op op, Key k, const Host& from, std::uint32_t seq = 0) {
    return pass(message(op, k, from, kServer, seq), from.port);
  }
  Passed read(Key k, const Host& from = kAlice, std::uint32_t seq = 0) {
    return request(Op::read_request, k, from, seq);
  }
  Passed write_request(Key k, const Host& from = kAlice) { return request(Op::write_request, k, from); }
  /// The server's answer to a request as the server got it.
  Passed reply(const Passed& to, Op op, std::uint64_t packets_of_item = 1) {
    const Host from = to.packet->get<p4::Ipv4>().src == kBob.ip     ? kBob
                      : to.packet->get<p4::Ipv4>().src == kAlice.ip ? kAlice
                                                                    : kController;
    auto packet = message(op, {to.store().hkey_high, to.store().hkey_low}, kServer, from,
                          static_cast<std::uint32_t>(to.store().seq));
    packet->get<StoreHeader>().flag = packets_of_item;
    if (shape.versions) packet->get<SafetyHeader>() = to.packet->get<SafetyHeader>();
    return pass(std::move(packet), kServer.port);
  }
  Passed fetch_request(Key k) { return request(Op::fetch_request, k, kController); }
  /// Fetches a value; what circulates is returned.
  Passed fetch(Key k, std::uint64_t packets_of_item = 1) {
    return reply(fetch_request(k), Op::fetch_reply, packets_of_item);
  }
  /// Caches a key and its value.
  Passed install(Key k, std::uint64_t index, std::uint64_t packets_of_item = 1) {
    insert(k, index);
    return fetch(k, packets_of_item);
  }

  std::uint64_t value(std::string_view array, std::uint64_t index = 0) const {
    return pipeline.registers().read(pipeline.registers().array(array), index);
  }
  void write(std::string_view array, std::uint64_t index, std::uint64_t v) {
    pipeline.registers().write(pipeline.registers().array(array), index, v);
  }
  std::uint64_t waiting(std::uint64_t index) const { return value("QUEUE", index) & 0xffffffff; }
  std::uint64_t acked(std::uint64_t index) const { return value("QUEUE", index) >> 32; }
  /// Whether a read request would wait for a cache packet.
  bool valid(std::uint64_t index) const {
    return (shape.versions ? value("STATE", index) >> 32 : value("STATE", index)) == 1;
  }

  StarShape shape;
  StarProgram star;
  p4::PacketPool packets;
  p4::Pipeline pipeline;
  p4::ReplicationEngine engine;

 private:
  void add(const p4::Table& table, const std::vector<std::uint64_t>& match, const p4::Action& action,
           const std::vector<std::uint64_t>& data) {
    pipeline.add_entry(table, match, action, data);
  }
};

}  // namespace racksim::starcache::testing
