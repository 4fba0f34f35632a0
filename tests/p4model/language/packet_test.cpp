#include "p4model/language/packet.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "p4model/language/headers.hpp"

namespace packet_test {

using namespace racksim::p4;

namespace {
struct Odd {
  std::uint64_t wide = 0, bit = 0, rest = 0;
  static constexpr HeaderLayout kLayout{"odd", {{"wide", 64}, {"bit", 1}, {"rest", 7}}};
};
}  // namespace

TEST_CASE("a packet finds its headers by type, outermost first") {
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Ethernet{1, 2, kEtherTypeIpv4});
  packet->push(Ipv4{});
  packet->push(Udp{10, 4791});
  CHECK(packet->get<Udp>().dst_port == 4791);
  CHECK(packet->find<Odd>() == nullptr);
  CHECK_THROWS_WITH(packet->get<Odd>(), Catch::Contains("odd"));
  CHECK(packet->get_at<Udp>(2).dst_port == 4791);
  CHECK_THROWS_WITH(packet->get_at<Udp>(1), Catch::Contains("udp"));
  CHECK_THROWS_WITH(packet->get_at<Odd>(3), Catch::Contains("odd"));
  packet->get<Ethernet>().dst = 7;
  CHECK(packet->word(0, 0) == 7);
  packet->set_word(0, 1, 8);
  CHECK(packet->get<Ethernet>().src == 8);
  packet->pop();
  CHECK(packet->find<Udp>() == nullptr);
  CHECK(packet->header_count() == 2);
}

TEST_CASE("headers that are set at once are those that are pushed one by one, and others follow them") {
  PacketPool pool;
  const Ethernet ethernet{.dst = 7, .ether_type = kEtherTypeIpv4};
  const Ipv4 ipv4{.protocol = kProtocolUdp, .dst = 9};
  const Udp udp{.src_port = 3, .dst_port = 4};
  auto pushed = pool.make(), set = pool.make();
  pushed->push(ethernet);
  pushed->push(ipv4);
  pushed->push(udp);
  set->set_headers(ethernet, ipv4, udp);
  for (const bool one_more : {false, true}) {
    if (one_more) {
      pushed->push(udp);
      set->push(udp);
    }
    CHECK(set->same_headers(*pushed));
    CHECK(set->wire_bytes() == pushed->wire_bytes());
    CHECK(set->byte_image() == pushed->byte_image());
  }
  CHECK(set->get_at<Udp>(3).dst_port == 4);
  set->pop();
  set->pop();
  CHECK(set->header_bytes() == 14 + 20);
  CHECK(set->get<Ipv4>().dst == 9);
}

TEST_CASE("a packet refuses a ninth header and pops none that is not there") {
  PacketPool pool;
  auto packet = pool.make();
  for (int i = 0; i < 8; ++i) packet->push(Odd{});
  CHECK_THROWS_WITH(packet->push(Odd{}), Catch::Contains("odd"));
  packet->truncate_headers(0);
  CHECK_THROWS_AS(packet->pop(), PacketError);
}

TEST_CASE("wire bytes count headers, payload, FCS, preamble and gap, and the minimum frame") {
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Ethernet{});
  CHECK(packet->wire_bytes() == 84);  // a minimum frame: 148.8 Mpps at 100 Gb/s
  packet->push(Ipv4{});
  packet->push(Udp{});
  packet->payload_bytes = 1472;
  CHECK(packet->frame_bytes() == 1518);
  CHECK(packet->wire_bytes() == 1538);
}

TEST_CASE("the byte image is in network order and holds the payload as zeros") {
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Ethernet{0x0102030405060000 >> 16, 0xa0b0c0d0e0f0, 0x0800});
  packet->push(Odd{0x1122334455667788, 1, 0x2a});
  packet->payload_bytes = 2;
  const std::vector<std::uint8_t> expected{1, 2,    3,    4,    5,    6,    0xa0, 0xb0, 0xc0, 0xd0, 0xe0, 0xf0, 8,
                                           0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0xaa, 0,    0};
  CHECK(packet->byte_image() == expected);
}

TEST_CASE("headers parsed from a byte image have the values that made it") {
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Ethernet{0xffffffffffff, 3, kEtherTypeIpv4});
  packet->push(Ipv4{.total_length = 60, .flags = 5, .fragment_offset = 0x1abc, .protocol = 17, .src = 0x0a000001});
  packet->push(Udp{1, 65535, 40, 0x1234});
  const auto image = packet->byte_image();
  auto copy = pool.make();
  auto rest = copy->parse<Ethernet>(image);
  rest = copy->parse<Ipv4>(rest);
  rest = copy->parse<Udp>(rest);
  CHECK(rest.empty());
  CHECK(copy->byte_image() == image);
  CHECK(copy->get<Ipv4>().fragment_offset == 0x1abc);
  CHECK(copy->get<Udp>().dst_port == 65535);
  CHECK_THROWS_WITH(copy->parse<Udp>(rest), Catch::Contains("udp"));
}

TEST_CASE("references share one packet and the last one returns it to the pool") {
  PacketPool pool;
  auto first = pool.make();
  first->push(Ethernet{1, 2, 3});
  {
    auto second = first.share();
    CHECK_FALSE(first.unique());
    second->get<Ethernet>().dst = 9;
    auto* travelling = second.release();
    CHECK(pool.live() == 1);
    auto third = PacketRef::adopt(travelling);
    CHECK(third.get() == first.get());
  }
  CHECK(first.unique());
  CHECK(first->get<Ethernet>().dst == 9);
  first.reset();
  CHECK(pool.live() == 0);
}

TEST_CASE("a clone has headers of its own and the ids of the original") {
  PacketPool pool;
  auto original = pool.make();
  original->push(Ethernet{1, 2, 3});
  original->content = Content::of(std::uint64_t{6});
  original->operation = 7;
  original->serial = 8;
  auto clone = pool.clone_headers(*original);
  clone->get<Ethernet>().dst = 99;
  CHECK(original->get<Ethernet>().dst == 1);
  CHECK(clone->content.as<std::uint64_t>() == 6);
  CHECK(clone->operation == 7);
  CHECK(clone->serial == 8);
}

TEST_CASE("a packet taken again from the pool is empty") {
  PacketPool pool;
  {
    auto packet = pool.make();
    packet->push(Ethernet{});
    packet->payload_bytes = 100;
    packet->operation = 4;
  }
  auto packet = pool.make();
  CHECK(packet->header_count() == 0);
  CHECK(packet->payload_bytes == 0);
  CHECK(packet->operation == 0);
}

TEST_CASE("a visit of a pool sees each packet that somebody holds once") {
  PacketPool pool;
  std::vector<PacketRef> held;
  for (std::uint64_t i = 0; i < 600; ++i) {
    held.push_back(pool.make());
    held.back()->serial = i;
  }
  const PacketRef again = held[3].share();
  held.erase(held.begin() + 100, held.end());
  held.erase(held.begin() + 3);
  std::set<std::uint64_t> seen;
  pool.for_each_live([&](const Packet& packet) { CHECK(seen.insert(packet.serial).second); });
  CHECK(seen.size() == 100);
  CHECK(*seen.rbegin() == 99);
  CHECK(pool.live() == 100);
}

}  // namespace packet_test
