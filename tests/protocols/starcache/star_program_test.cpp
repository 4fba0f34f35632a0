// What StarCache's program does with each message (StarCache §3.1, §3.3, §3.5, §3.6), with the printed and with the
// repaired state table.
#include "protocols/starcache/star_program.hpp"

#include <catch2/catch.hpp>

#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/starcache/star_switch.hpp"

namespace star_program_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

constexpr Key kHot = key(1), kOther = key(2);
constexpr std::uint64_t kByServer = 0, kBySwitch = 1, kOverflow = 2;

/// Each test runs on both programs.
StarShape either() {
  return small(GENERATE(false, true));
}

}  // namespace

TEST_CASE("a read request for an uncached key goes to the server and is not counted") {
  StarSwitch s(either());
  s.install(kOther, 3);
  const Passed request = s.read(kHot);
  CHECK(request.went_to(kServer));
  CHECK(request.cached() == kByServer);
  CHECK(s.value("HITS") == 0);
}

TEST_CASE("a key is found by both halves of its hash") {
  StarSwitch s(either());
  s.install(key(2), 3);
  CHECK(s.read(key(2)).dropped());
  CHECK(s.read(key(3)).went_to(kServer));  // the other low half
  CHECK(s.read(key(4)).went_to(kServer));  // the other high half
}

TEST_CASE("a read request for an invalid key goes to the server, counted as a hit",
          "[claim:starcache-fig12-no-write-gain][claim:starcache-s33-invalid-forward]") {
  StarSwitch s(either());
  s.insert(kHot, 3);
  const Passed request = s.read(kHot);
  CHECK(request.went_to(kServer));
  CHECK(request.cached() == kByServer);
  CHECK(s.value("HITS") == 1);
  CHECK(s.value("POPULARITY", 3) == 1);
  CHECK(s.value("OVERFLOW") == 0);
  CHECK(s.waiting(3) == 0);
}

TEST_CASE("a read request for a valid key waits in the request table, and its packet is dropped") {
  StarSwitch s(either());
  s.install(kHot, 3);
  CHECK(s.read(kHot, kBobHost, 77).dropped());
  CHECK(s.waiting(3) == 1);
  const std::uint64_t slot = 3 * 4;  // §3.4: index x queue size + offset
  CHECK(s.value("CLIENT_IP", slot) == kBobHost.ip);
  CHECK(s.value("CLIENT_PORT", slot) == kBobHost.udp_port);
  CHECK(s.value("CLIENT_SEQ", slot) == 77);
}

TEST_CASE("each key has a popularity counter, all together one of hits") {
  StarSwitch s(either());
  s.install(kHot, 3);
  s.install(kOther, 7);
  for (int i = 0; i < 3; ++i) s.read(kHot);
  s.read(kOther);
  CHECK(s.value("POPULARITY", 3) == 3);
  CHECK(s.value("POPULARITY", 7) == 1);
  CHECK(s.value("HITS") == 4);
}

TEST_CASE("a read request that finds its queue full goes to the server, counted and marked as overflow",
          "[claim:starcache-s33-overflow]") {
  StarSwitch s(either());
  s.install(kHot, 3);
  for (int i = 0; i < 4; ++i) REQUIRE(s.read(kHot).dropped());
  const Passed request = s.read(kHot);
  CHECK(request.went_to(kServer));
  CHECK(request.op() == Op::read_request);
  CHECK(request.cached() == kOverflow);
  CHECK(s.value("OVERFLOW") == 1);
  CHECK(s.value("HITS") == 5);  // the total number of hits, overflows among them
  CHECK(s.waiting(3) == 4);
}

TEST_CASE("a read reply from a server goes to its client and takes no waiting request") {
  StarSwitch s(either());
  s.install(kHot, 3);
  s.read(kHot, kBobHost, 5);
  const Passed reply = s.pass(s.message(Op::read_reply, kHot, kServer, kAliceHost, 9), kServer.port);
  CHECK(reply.went_to(kAliceHost));
  CHECK(reply.store().seq == 9);
  CHECK(s.waiting(3) == 1);
}

TEST_CASE("a cache packet serves the request at the front: client's address, port and request id, and by the switch") {
  StarSwitch s(either());
  const Passed value = s.install(kHot, 3);
  s.read(kHot, kBobHost, 77);
  const Passed served = s.recirculate(value);
  CHECK(served.op() == Op::read_reply);
  CHECK(served.ip() == kBobHost.ip);
  CHECK(served.mac() == kBobHost.mac);
  CHECK(served.udp_port() == kBobHost.udp_port);
  CHECK(served.store().seq == 77);
  CHECK(served.store().hkey_low == kHot.low);
  CHECK(served.cached() == kBySwitch);
  CHECK(s.waiting(3) == 0);
}

TEST_CASE("a cache packet that serves leaves in two copies, to the client's port and to the recirculation port") {
  StarSwitch s(either());
  const Passed value = s.install(kHot, 3);
  s.read(kHot, kBobHost);
  CHECK(s.recirculate(value).ports == std::vector<std::uint16_t>{kBobHost.port, kRecirculation});
}

TEST_CASE("one cache packet serves any number of requests, of any clients") {
  StarSwitch s(either());
  Passed value = s.install(kHot, 3);
  for (std::uint32_t i = 0; i < 20; ++i) {
    const Host client = i % 3 == 0 ? kAliceHost : kBobHost;
    s.read(kHot, client, i);
    value = s.recirculate(value);
    REQUIRE(value.cloned_to(client));
    REQUIRE(value.store().seq == i);
  }
}

TEST_CASE("a cache packet that nobody waits for goes round alone") {
  StarSwitch s(either());
  const Passed value = s.install(kHot, 3);
  s.install(kOther, 4);
  s.read(kOther);
  CHECK(s.recirculate(value).goes_round());
  CHECK(s.waiting(4) == 1);
}

TEST_CASE("a cache packet of a key that the controller has evicted is dropped",
          "[claim:starcache-s33-evicted-dropped]") {
  StarShape shape = either();
  shape.drop_stale = GENERATE(true, false);
  StarSwitch s(shape);
  const Passed value = s.install(kHot, 3);
  s.read(kHot);
  s.evict(kHot);
  CHECK(s.recirculate(value).dropped());
  CHECK(s.waiting(3) == 1);
}

TEST_CASE("a cache packet of an invalid key is dropped before it reaches the request table") {
  StarSwitch s(either());
  const Passed value = s.install(kHot, 3);
  s.read(kHot);
  s.write_request(kHot);
  CHECK(s.recirculate(value).dropped());
  CHECK(s.waiting(3) == 1);
}

TEST_CASE("a write request for a cached key invalidates it and goes to the server with FLAG 1",
          "[claim:starcache-fig12-no-write-gain]") {
  StarSwitch s(either());
  s.install(kHot, 3);
  const Passed request = s.write_request(kHot);
  CHECK(request.went_to(kServer));
  CHECK(request.op() == Op::write_request);
  CHECK(request.store().flag == 1);
  CHECK_FALSE(s.valid(3));
  CHECK(s.read(kHot).went_to(kServer));
  CHECK(s.value("HITS") == 1);  // the read's alone: §3.3 counts reads
}

TEST_CASE("a write request for an uncached key goes to the server with FLAG 0") {
  StarSwitch s(either());
  s.install(kOther, 3);
  const Passed request = s.write_request(kHot);
  CHECK(request.went_to(kServer));
  CHECK(request.store().flag == 0);
  CHECK(s.valid(3));
}

TEST_CASE("a write reply for a cached key validates it, and reaches both its client and the cache") {
  StarSwitch s(either());
  s.install(kHot, 3);
  const Passed reply = s.reply(s.write_request(kHot, kBobHost), Op::write_reply);
  CHECK(reply.cloned_to(kBobHost));
  CHECK(reply.op() == Op::write_reply);
  CHECK(reply.mac() == kBobHost.mac);
  CHECK(s.valid(3));
  CHECK(s.read(kHot).dropped());
}

TEST_CASE("a write reply for an uncached key goes to its client alone") {
  StarSwitch s(either());
  CHECK(s.reply(s.write_request(kHot, kBobHost), Op::write_reply).went_to(kBobHost));
}

TEST_CASE("a fetch reply for a cached key validates it, and reaches both the controller and the cache") {
  StarSwitch s(either());
  s.insert(kHot, 3);
  const Passed reply = s.fetch(kHot);
  CHECK(reply.cloned_to(kController));
  CHECK(reply.op() == switch_cache::kFetchReply);
  CHECK(s.valid(3));
}

TEST_CASE("a fetch reply for a key that is evicted by then goes to the controller alone") {
  StarSwitch s(either());
  s.insert(kHot, 3);
  const Passed request = s.fetch_request(kHot);
  s.evict(kHot);
  CHECK(s.reply(request, switch_cache::kFetchReply).went_to(kController));
}

TEST_CASE("the clone of a write or fetch reply becomes a read reply in its first recirculation") {
  const bool waits = GENERATE(false, true);
  StarSwitch s(either());
  const Passed fetched = s.install(kHot, 3);
  if (waits) s.read(kHot);
  CHECK(s.recirculate(fetched).op() == Op::read_reply);
  const Passed written = s.reply(s.write_request(kHot, kBobHost), Op::write_reply);
  if (waits) s.read(kHot);
  const Passed round = s.recirculate(written);
  CHECK(round.op() == Op::read_reply);
  CHECK((waits ? round.cloned_to(kAliceHost) : round.goes_round()));
}

TEST_CASE("requests that wait when a write comes are served by the new value") {
  StarSwitch s(either());
  s.install(kHot, 3);
  s.read(kHot, kAliceHost, 5);
  const Passed value = s.reply(s.write_request(kHot, kBobHost), Op::write_reply);
  const Passed served = s.recirculate(value);
  CHECK(served.cloned_to(kAliceHost));
  CHECK(served.store().seq == 5);
}

TEST_CASE("a correction request reaches the server though its key is valid, and is not counted") {
  StarSwitch s(either());
  s.install(kHot, 3);
  CHECK(s.request(Op::correction_request, kHot, kAliceHost).went_to(kServer));
  CHECK(s.value("HITS") == 0);
  CHECK(s.waiting(3) == 0);
  CHECK(s.valid(3));
}

TEST_CASE("a refused write goes to its client without cache logic") {
  StarSwitch s(either());
  s.install(kHot, 3);
  CHECK(s.pass(s.message(Op::write_refused, kHot, kServer, kAliceHost), kServer.port).went_to(kAliceHost));
  CHECK(s.valid(3));
}

TEST_CASE("a fetch request goes to the server with its FLAG as it was") {
  StarSwitch s(either());
  s.insert(kHot, 3);
  const Passed request = s.fetch_request(kHot);
  CHECK(request.went_to(kServer));
  CHECK(request.store().flag == 0);
  CHECK(s.value("HITS") == 0);
}

TEST_CASE("traffic outside the reserved ports is forwarded and nothing else, whatever it looks like") {
  StarSwitch s(either());
  s.install(kHot, 3);
  const std::uint16_t in_port = GENERATE(kAliceHost.port, kRecirculation);
  for (const std::uint64_t udp_port : {0, 53, 8191, 8256, 16384, 65535}) {
    auto packet = s.message(Op::read_request, kHot, kAliceHost, kServer);
    packet->get<p4::Udp>().dst_port = udp_port;
    const auto before = packet->byte_image();
    const Passed passed = s.pass(std::move(packet), in_port);
    CHECK(passed.went_to(kServer));
    CHECK(passed.packet->byte_image() == before);
  }
  CHECK(s.value("HITS") == 0);
  CHECK(s.waiting(3) == 0);
}

TEST_CASE("all reserved ports, and the destination's alone, are the cache's") {
  StarSwitch s(either());
  s.install(kHot, 3);
  const auto read_to = [&](std::uint64_t from, std::uint64_t to) {
    auto packet = s.message(Op::read_request, kHot, kAliceHost, kServer);
    packet->get<p4::Udp>() = {from, to};
    return s.pass(std::move(packet), kAliceHost.port);
  };
  CHECK(read_to(1, 8192).dropped());
  CHECK(read_to(1, 8255).dropped());
  CHECK(read_to(8192, 4321).went_to(kServer));
}

TEST_CASE("packets that are no UDP are forwarded") {
  StarSwitch s(either());
  auto tcp = s.packets.make();
  tcp->push(p4::Ethernet{kServer.mac, kAliceHost.mac, p4::kEtherTypeIpv4});
  tcp->push(p4::Ipv4{.protocol = 6, .dst = kServer.ip});
  CHECK(s.pass(std::move(tcp), kAliceHost.port).went_to(kServer));
  auto other = s.packets.make();
  other->push(p4::Ethernet{kServer.mac, kAliceHost.mac, 0x88cc});
  CHECK(s.pass(std::move(other), kAliceHost.port).went_to(kServer));
}

TEST_CASE("packets that wait, serve, go round or die are not looked up for plain forwarding") {
  StarSwitch s(either());
  const Passed value = s.install(kHot, 3);
  const auto looked_up = [&] {
    const auto& counters = s.pipeline.counters(*s.star.forwarding.by_mac);
    return counters.hits + counters.misses;
  };
  const auto before = looked_up();
  s.read(kHot);
  s.recirculate(value);
  s.recirculate(value);
  s.evict(kHot);
  s.recirculate(value);
  CHECK(looked_up() == before);
}

TEST_CASE("a reply to an address without a multicast group is dropped, which the clone table counts") {
  StarSwitch s(either());
  s.install(kHot, 3);
  s.read(kHot, host(30));
  const Passed value = s.reply(s.write_request(kHot), Op::write_reply);
  CHECK(s.recirculate(value).dropped());
  CHECK(s.pipeline.counters(*s.star.clone).misses == 1);
}

}  // namespace star_program_test
