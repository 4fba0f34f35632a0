// StarCache's program, driven packet by packet: tests/protocols/switch_cache/cache_switch.hpp with cache packets.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "protocols/starcache/star_program.hpp"
#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/switch_cache/cache_switch.hpp"

namespace racksim::starcache::testing {

using namespace switch_cache::testing;

inline constexpr std::uint16_t kRecirculation = 68;

struct Passed : PassedPacket {
  std::uint64_t ip() const { return packet->get<p4::Ipv4>().dst; }
  std::uint64_t udp_port() const { return packet->get<p4::Udp>().dst_port; }
  std::uint64_t mac() const { return packet->get<p4::Ethernet>().dst; }
  bool dropped() const { return ports.empty(); }
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

class StarSwitch : public CacheSwitch<Passed> {
 public:
  explicit StarSwitch(const StarShape& s) : StarSwitch(s, make_star_program(s)) {}

  /// What the controller does to cache a key; its value is still missing.
  void insert(Key k, std::uint64_t index) {
    write("QUEUE", index, std::uint64_t{1} << 32);  // §3.9: the ACKed-packet counter starts at 1
    insert_row(k, index);
  }

  /// The copy that went to the recirculation port comes in again.
  Passed recirculate(const Passed& circulating) {
    return pass(packets.clone_headers(*circulating.packet), kRecirculation);
  }

  /// The server's answer to a request as the server got it, or the packet of it that has this number.
  Passed reply(const Passed& to, Op op, std::uint64_t packets_of_item = 1, std::uint64_t number = 1) {
    const Host from = to.packet->get<p4::Ipv4>().src == kBobHost.ip     ? kBobHost
                      : to.packet->get<p4::Ipv4>().src == kAliceHost.ip ? kAliceHost
                                                                        : kController;
    auto packet = message(op, {to.store().hkey_high, to.store().hkey_low}, kServer, from,
                          static_cast<std::uint32_t>(to.store().seq));
    packet->get<StoreHeader>().flag = packets_of_item;
    if (shape.versions) packet->get<SafetyHeader>() = {to.version(), number};
    return pass(std::move(packet), kServer.port);
  }
  /// All packets of the answer.
  std::vector<Passed> replies(const Passed& to, Op op, std::uint64_t packets_of_item) {
    std::vector<Passed> all;
    for (std::uint64_t n = 1; n <= packets_of_item; ++n) all.push_back(reply(to, op, packets_of_item, n));
    return all;
  }
  /// Fetches a value; what circulates is returned.
  Passed fetch(Key k, std::uint64_t packets_of_item = 1) {
    return reply(fetch_request(k), switch_cache::kFetchReply, packets_of_item);
  }
  /// Caches a key and its value.
  Passed install(Key k, std::uint64_t index, std::uint64_t packets_of_item = 1) {
    insert(k, index);
    return fetch(k, packets_of_item);
  }

  /// Caches a key and an item of several packets.
  std::vector<Passed> install_item(Key k, std::uint64_t index, std::uint64_t packets_of_item) {
    insert(k, index);
    return replies(fetch_request(k), switch_cache::kFetchReply, packets_of_item);
  }

  void write(std::string_view array, std::uint64_t index, std::uint64_t v) {
    pipeline.registers().write(pipeline.registers().array(array), index, v);
  }
  std::uint64_t waiting(std::uint64_t index) const { return value("QUEUE", index) & 0xffffffff; }
  std::uint64_t acked(std::uint64_t index) const { return value("QUEUE", index) >> 32; }

  StarShape shape;
  StarProgram star;

 private:
  StarSwitch(const StarShape& s, StarProgram program)
      : CacheSwitch(program, s.versions), shape(s), star(std::move(program)) {
    std::uint16_t group = 0;
    for (const Host& h : {kAliceHost, kBobHost, kServer, kController}) {
      engine.set_group(++group, {{1, {h.port, kRecirculation}}});
      add(*star.clone, {h.ip}, *star.clone_to, {group, h.mac});
    }
  }
};

}  // namespace racksim::starcache::testing
