// Checksum units against an obvious implementation of RFC 1071 over the packet's bytes.
#include <catch2/catch.hpp>
#include <functional>

#include "p4model/execute/pipeline.hpp"
#include "p4model/language/headers.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace checksum_test {

using namespace racksim;
using namespace racksim::p4;
using Catch::Contains;

namespace {

/// The Internet checksum of some bytes, as section 4.1 of RFC 1071 has it.
std::uint16_t rfc1071(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    sum += static_cast<std::uint32_t>(bytes[i] << 8) + (i + 1 < bytes.size() ? bytes[i + 1] : 0U);
  }
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

std::vector<std::uint8_t> part(const std::vector<std::uint8_t>& bytes, std::size_t from, std::size_t count) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.begin() + static_cast<std::ptrdiff_t>(from + count)};
}

std::vector<FieldRef> without(std::vector<FieldRef> fields, FieldRef one) {
  std::erase_if(fields, [&](FieldRef field) { return field.id == one.id; });
  return fields;
}

Ipv4 random_ip(racksim::p4::testing::RandomNumbers& random) {
  return {.dscp = random.below(64),
          .ecn = random.below(4),
          .total_length = random.below(65536),
          .identification = random.below(65536),
          .flags = random.below(8),
          .fragment_offset = random.below(8192),
          .ttl = random.below(256),
          .protocol = random.below(256),
          .src = random.below(1ULL << 32),
          .dst = random.below(1ULL << 32)};
}

/// Ethernet, IPv4 and UDP; what `fill` adds. Forwards to port 1.
std::shared_ptr<Program> over_ip(const std::function<void(Program&)>& fill) {
  auto program = std::make_shared<Program>("checksums");
  auto& p = *program;
  p.parser_state<Ethernet>(Gress::ingress, "ethernet").then("ipv4");
  p.parser_state<Ipv4>(Gress::ingress, "ipv4").select(p.header_field(&Ipv4::protocol), {{17, "udp"}});
  p.parser_state<Udp>(Gress::ingress, "udp");
  p.ingress().apply(p.action("forward").set(p.intrinsics().ucast_egress_port, 1));
  fill(p);
  return program;
}

/// The bytes of IPv4, with the UDP header behind it.
PacketRef packet_of(PacketPool& pool, const Ipv4& ip) {
  auto packet = pool.make();
  packet->push(Ethernet{});
  packet->push(ip);
  if (ip.protocol == 17) packet->push(Udp{});
  return packet;
}

struct Words {
  std::uint64_t a = 0, b = 0, c = 0, d = 0, sum = 0;
  static constexpr HeaderLayout kLayout{"words", {{"a", 16}, {"b", 16}, {"c", 16}, {"d", 16}, {"sum", 16}}};
};

struct Six {
  std::uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0;
  static constexpr HeaderLayout kLayout{"six",
                                        {{"a", 16}, {"b", 16}, {"c", 16}, {"d", 16}, {"e", 16}, {"f", 16}, {"g", 16}}};
};

std::string refusal_of(const std::function<void(Program&)>& fill, const SwitchResources& resources = {}) {
  try {
    Pipeline pipeline(over_ip(fill), resources);
  } catch (const ProgramError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("RFC 1071's own example: the sum of 0001 f203 f4f5 f6f7 is ddf2") {
  CHECK(rfc1071({0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7}) == static_cast<std::uint16_t>(~0xddf2));
  auto program = std::make_shared<Program>("words");
  auto& p = *program;
  p.parser_state<Words>(Gress::ingress, "words");
  const auto sum = p.header_field(&Words::sum);
  p.update_checksum(Gress::ingress, sum, without(p.header_fields<Words>(), sum));
  p.ingress().apply(p.action("forward").set(p.intrinsics().ucast_egress_port, 1));
  Pipeline pipeline(program);
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Words{.a = 0x0001, .b = 0xf203, .c = 0xf4f5, .d = 0xf6f7});
  pipeline.run_ingress(*packet, {});
  CHECK(packet->get<Words>().sum == (~0xddf2U & 0xffff));
}

TEST_CASE("a deparser writes the checksum of IPv4 headers whose fields are no whole bytes") {
  const auto program = over_ip([](Program& p) {
    const auto sum = p.header_field(&Ipv4::checksum), ttl = p.header_field(&Ipv4::ttl);
    p.update_checksum(Gress::ingress, sum, without(p.header_fields<Ipv4>(), sum));
    p.ingress().apply(p.action("age").sub(ttl, ttl, 1));
  });
  Pipeline pipeline(program);
  PacketPool pool;
  testing::RandomNumbers random(3);
  for (int i = 0; i < 2000; ++i) {
    auto ip = random_ip(random);
    ip.checksum = random.below(65536);
    auto packet = packet_of(pool, ip);
    pipeline.run_ingress(*packet, {});
    auto bytes = part(packet->byte_image(), 14, 20);
    CHECK(packet->get<Ipv4>().ttl == ((ip.ttl - 1) & 0xff));
    REQUIRE(rfc1071(bytes) == 0);  // RFC 1071: with its checksum the sum of a header is all ones
    bytes[10] = bytes[11] = 0;
    REQUIRE(packet->get<Ipv4>().checksum == rfc1071(bytes));
  }
}

TEST_CASE("a parser flags a wrong checksum, whatever bit is wrong, and no right one") {
  FieldRef flag;
  const auto program = over_ip([&](Program& p) {
    flag = p.verify_checksum(Gress::ingress, "broken", p.header_fields<Ipv4>());
    p.ingress().if_(flag == 1).then([&](Block& b) { b.apply(p.action("drop").set(p.intrinsics().drop, 1)); });
  });
  Pipeline pipeline(program);
  PacketPool pool;
  testing::RandomNumbers random(4);
  for (int i = 0; i < 200; ++i) {
    auto packet = packet_of(pool, random_ip(random));
    auto& ip = packet->get<Ipv4>();
    ip.checksum = rfc1071(part(packet->byte_image(), 14, 20));
    CHECK(!pipeline.run_ingress(*packet, {}).dropped());
    CHECK(pipeline.counters().parser_rejects == 0);
    ip.checksum ^= std::uint64_t{1} << random.below(16);
    CHECK(pipeline.run_ingress(*packet, {}).dropped());
    ip.checksum = rfc1071(part(
        [&] {
          ip.checksum = 0;
          return packet->byte_image();
        }(),
        14, 20));
    ip.dst ^= std::uint64_t{1} << random.below(32);
    CHECK(pipeline.run_ingress(*packet, {}).dropped());
  }
}

TEST_CASE("a residual keeps a checksum right whose payload the switch does not see (RFC 1624)") {
  const auto program = over_ip([](Program& p) {
    const auto sum = p.header_field(&Udp::checksum), dst = p.header_field(&Ipv4::dst);
    const auto port = p.header_field(&Udp::dst_port);
    const auto rest = p.checksum_residual(Gress::ingress, "rest", sum, {dst, port});
    p.update_checksum(Gress::ingress, sum, {dst, port, rest}, std::nullopt, true);
    p.ingress().apply(p.action("translate").set(dst, 0x0a00'0063).set(port, 4242));
  });
  Pipeline pipeline(program);
  PacketPool pool;
  testing::RandomNumbers random(5);
  for (int i = 0; i < 2000; ++i) {
    auto ip = random_ip(random);
    ip.protocol = 17;
    auto packet = packet_of(pool, ip);
    auto& udp = packet->get<Udp>();
    udp = {.src_port = random.below(65536), .dst_port = random.below(65536), .length = 8 + 6, .checksum = 0};
    std::vector<std::uint8_t> payload;
    for (int b = 0; b < 6; ++b) payload.push_back(static_cast<std::uint8_t>(random.next()));
    // RFC 768: the pseudo header, the UDP header and the data.
    const auto covered = [&] {
      const auto bytes = packet->byte_image();
      auto all = part(bytes, 26, 8);
      all.insert(all.end(), {0, 17, 0, 14});
      const auto header = part(bytes, 34, 8);
      all.insert(all.end(), header.begin(), header.end());
      all.insert(all.end(), payload.begin(), payload.end());
      return all;
    };
    const auto sum = rfc1071(covered());
    udp.checksum = sum == 0 ? 0xffff : sum;
    pipeline.run_ingress(*packet, {});
    CHECK(packet->get<Ipv4>().dst == 0x0a00'0063);
    REQUIRE(rfc1071(covered()) == 0);
    CHECK(packet->get<Udp>().checksum != 0);
    const auto after = packet->get<Udp>().checksum;
    packet->get<Udp>().checksum = 0;
    const auto anew = rfc1071(covered());
    REQUIRE(after == (anew == 0 ? 0xffff : anew));
  }
}

TEST_CASE("an update waits for its condition, and for its header") {
  const auto program = over_ip([](Program& p) {
    const auto when = p.field("when", 1), sum = p.header_field(&Udp::checksum);
    p.update_checksum(Gress::ingress, sum, {p.header_field(&Udp::length)}, when);
    p.ingress().apply(p.action("say").set(when, p.header_field(&Ipv4::ecn)));
  });
  Pipeline pipeline(program);
  PacketPool pool;
  for (const std::uint64_t ecn : {0, 1}) {
    auto packet = packet_of(pool, {.ecn = ecn, .protocol = 17});
    packet->get<Udp>() = {.length = 5, .checksum = 77};
    pipeline.run_ingress(*packet, {});
    CHECK(packet->get<Udp>().checksum == (ecn == 1 ? 0xfffaU : 77U));
    auto other = packet_of(pool, {.ecn = ecn, .protocol = 6});
    pipeline.run_ingress(*other, {});
    CHECK(other->header_count() == 2);
  }
}

TEST_CASE("a checksum of 0 is written as it is, or, for UDP, as all ones (RFC 768)") {
  const bool as_ones = GENERATE(false, true);
  const auto program = over_ip([&](Program& p) {
    const auto sum = p.header_field(&Udp::checksum);
    p.update_checksum(Gress::ingress, sum, {p.header_field(&Udp::src_port)}, std::nullopt, as_ones);
  });
  Pipeline pipeline(program);
  PacketPool pool;
  for (const std::uint64_t data : {0xffff, 0xfffe}) {
    auto packet = packet_of(pool, {.protocol = 17});
    packet->get<Udp>() = {.src_port = data, .checksum = 77};
    pipeline.run_ingress(*packet, {});
    CHECK(packet->get<Udp>().checksum == (data == 0xfffe ? 1U : as_ones ? 0xffffU : 0U));
  }
}

TEST_CASE("a header that a program takes away is not added up, and one that it puts in is") {
  const auto program = over_ip([](Program& p) {
    const auto sum = p.header_field(&Ipv4::checksum);
    p.update_checksum(Gress::ingress, sum, {p.header_field(&Ipv4::identification), p.header_field(&Udp::src_port)});
    p.ingress().apply(p.action("take").set(p.valid<Udp>(), 0));
  });
  Pipeline pipeline(program);
  PacketPool pool;
  auto packet = packet_of(pool, {.identification = 3, .protocol = 17});
  packet->get<Udp>().src_port = 1000;
  pipeline.run_ingress(*packet, {});
  CHECK(packet->header_count() == 2);
  CHECK(packet->get<Ipv4>().checksum == 0xfffc);
}

TEST_CASE("egress has units of its own, and a copy that others share keeps its checksum") {
  auto program = over_ip([](Program&) {});
  auto& p = *program;
  p.parser_state<Ethernet>(Gress::egress, "e_ethernet").then("e_ipv4");
  p.parser_state<Ipv4>(Gress::egress, "e_ipv4");
  const auto sum = p.header_field(&Ipv4::checksum);
  p.update_checksum(Gress::egress, sum, without(p.header_fields<Ipv4>(), sum));
  Pipeline pipeline(program);
  CHECK(pipeline.egress_changes_headers());
  PacketPool pool;
  auto packet = packet_of(pool, {.identification = 9});
  CHECK(pipeline.run_egress(*packet, {}));
  CHECK(rfc1071(part(packet->byte_image(), 14, 20)) == 0);
}

TEST_CASE("checksum units that hardware has not are refused by name and number") {
  const auto verify = [](Program& p, int n) {
    for (int i = 0; i < n; ++i) {
      p.verify_checksum(Gress::ingress, "flag" + std::to_string(i), p.header_fields<Ipv4>());
    }
  };
  CHECK(refusal_of([&](Program& p) { verify(p, 2); }).empty());
  CHECK_THAT(refusal_of([&](Program& p) { verify(p, 3); }),
             Contains("a way through the ingress parser takes 3 checksum units, 2 are available"));
  SwitchResources one;
  one.parser_checksum_units = 1;
  CHECK_THAT(refusal_of([&](Program& p) { verify(p, 2); }, one), Contains("takes 2 checksum units, 1 are available"));
  const auto update = [](Program& p, Gress gress, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      p.update_checksum(gress, p.header_fields<Six>()[i], {p.header_field(&Ipv4::dst)});
    }
  };
  CHECK(refusal_of([&](Program& p) { update(p, Gress::ingress, 6); }).empty());
  CHECK_THAT(refusal_of([&](Program& p) { update(p, Gress::ingress, 7); }),
             Contains("the ingress deparser takes 7 checksum units, 6 are available"));
  CHECK(refusal_of([&](Program& p) {
          update(p, Gress::ingress, 6);
          update(p, Gress::egress, 2);
        }).empty());
  CHECK_THAT(refusal_of([&](Program& p) {
               update(p, Gress::ingress, 5);
               update(p, Gress::egress, 4);
             }),
             Contains("take 5 checksum units beside their own 2 each, 4 are shared"));
}

TEST_CASE("checksums that make no sense are refused") {
  const auto field = [](Program& p) { return p.header_field(&Ipv4::dst); };
  CHECK_THAT(refusal_of([&](Program& p) { p.update_checksum(Gress::ingress, field(p), {field(p)}); }),
             Contains("'ipv4.dst'") && Contains("16 bits"));
  CHECK_THAT(refusal_of([](Program& p) {
               p.update_checksum(Gress::ingress, p.header_field(&Ipv4::checksum), {p.header_field(&Ipv4::version)});
             }),
             Contains("4 bits, which are no whole bytes"));
  CHECK_THAT(refusal_of([](Program& p) {
               p.verify_checksum(Gress::ingress, "flag", {p.header_field(&Ipv4::checksum), p.field("own", 16)});
             }),
             Contains("'flag'") && Contains("'own' is no header field"));
  CHECK_THAT(refusal_of([](Program& p) { p.verify_checksum(Gress::egress, "flag", p.header_fields<Ipv4>()); }),
             Contains("no state of the parser extracts 'ipv4'"));
  CHECK_THAT(refusal_of([](Program& p) { p.update_checksum(Gress::ingress, p.header_field(&Ipv4::checksum), {}); }),
             Contains("no fields"));
  CHECK_THAT(refusal_of([&](Program& p) {
               for (int i = 0; i < 2; ++i) {
                 p.update_checksum(Gress::ingress, p.header_field(&Ipv4::checksum), {field(p)});
               }
             }),
             Contains("two units write it"));
}

}  // namespace checksum_test
