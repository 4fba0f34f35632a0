// What passes do beside their verdict: mirror copies, digests, random draws, four-bit predicates.
#include <catch2/catch.hpp>
#include <set>

#include "p4model/execute/mirror_sessions.hpp"
#include "p4model/execute/pipeline.hpp"
#include "p4model/language/generated_packet.hpp"
#include "p4model/language/headers.hpp"

namespace requests_test {

using namespace racksim;
using namespace racksim::p4;
using Catch::Contains;

namespace {

/// Ethernet and IPv4, of which ingress makes the time to live 1; the DSCP is the mirror session, in ingress or egress.
std::shared_ptr<Program> mirroring(Gress gress, bool drop = false) {
  auto program = std::make_shared<Program>("mirroring");
  auto& p = *program;
  for (const auto g : {Gress::ingress, Gress::egress}) {
    const std::string name(name_of(g));
    p.parser_state<Ethernet>(g, name + "_ethernet").then(name + "_ipv4");
    p.parser_state<Ipv4>(g, name + "_ipv4");
  }
  auto& forward = p.action("forward").set(p.intrinsics().ucast_egress_port, 1).set(p.header_field(&Ipv4::ttl), 1);
  auto& copy = p.action("copy")
                   .set(p.mirror().session, p.header_field(&Ipv4::dscp))
                   .set(p.mirror().values[0], 99)
                   .set(p.mirror().values[3], 97);
  if (drop) copy.set(p.intrinsics().drop, 1);
  p.ingress().apply(forward);
  (gress == Gress::ingress ? p.ingress() : p.egress()).apply(copy);
  return program;
}

PacketRef packet_in(PacketPool& pool, std::uint64_t dscp) {
  auto packet = pool.make();
  packet->push(Ethernet{});
  packet->push(Ipv4{.dscp = dscp, .ttl = 64});
  packet->payload_bytes = 50;
  return packet;
}

}  // namespace

TEST_CASE("an ingress mirror copies the packet as received, whatever becomes of it, and session 0 copies nothing") {
  const bool drop = GENERATE(false, true);
  Pipeline pipeline(mirroring(Gress::ingress, drop));
  PacketPool pool;
  auto packet = packet_in(pool, 5);
  CHECK(pipeline.run_ingress(*packet, {}).dropped() == drop);
  CHECK(packet->get<Ipv4>().ttl == (drop ? 64 : 1));
  REQUIRE(pipeline.has_mirror_copy());
  const auto copy = pipeline.take_mirror_copy();
  CHECK(!pipeline.has_mirror_copy());
  CHECK(copy.session == 5);
  CHECK(copy.packet->get<Ipv4>().ttl == 64);
  CHECK(copy.packet->mirror_kind == MirrorKind::ingress);
  CHECK(copy.packet->mirror_values == std::array<std::uint64_t, 4>{99, 0, 0, 97});
  auto none = packet_in(pool, 0);
  pipeline.run_ingress(*none, {});
  CHECK(!pipeline.has_mirror_copy());
}

TEST_CASE("an egress mirror copies the packet as deparsed, and a drop does not cancel it") {
  const bool drop = GENERATE(false, true);
  auto program = mirroring(Gress::egress, drop);
  program->egress().apply(program->action("age").set(program->header_field(&Ipv4::identification), 7));
  Pipeline pipeline(program);
  PacketPool pool;
  auto packet = packet_in(pool, 6);
  CHECK(pipeline.run_egress(*packet, {}) != drop);
  REQUIRE(pipeline.has_mirror_copy());
  const auto copy = pipeline.take_mirror_copy();
  CHECK(copy.packet->get<Ipv4>().identification == 7);
  CHECK(copy.packet->mirror_kind == MirrorKind::egress);
}

TEST_CASE("all 32 bytes that go with a mirror copy come to its own egress pass, and to no other") {
  auto program = std::make_shared<Program>("words");
  auto& p = *program;
  p.parser_state<Ethernet>(Gress::egress, "ethernet");
  auto& show = p.action("show").set(p.header_field(&Ethernet::dst), p.mirror().data[1]);
  show.set(p.header_field(&Ethernet::src), p.mirror().data[2])
      .set(p.header_field(&Ethernet::ether_type), p.mirror().data[3]);
  p.egress().apply(show);
  Pipeline pipeline(program);
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Ethernet{.dst = 9});
  packet->mirror_kind = MirrorKind::ingress;
  packet->mirror_values = {1, 2, 3, 4};
  const auto copy = packet->clone();
  CHECK(pipeline.run_egress(*copy, {}));
  CHECK(copy->get<Ethernet>().dst == 2);
  CHECK(copy->get<Ethernet>().src == 3);
  CHECK(copy->get<Ethernet>().ether_type == 4);
  packet->mirror_kind = MirrorKind::none;
  CHECK(pipeline.run_egress(*packet, {}));
  CHECK(packet->get<Ethernet>().dst == 0);
}

TEST_CASE("a resubmitted pass makes no mirror copy, but sends its digest") {
  auto program = std::make_shared<Program>("both");
  auto& p = *program;
  p.parser_state<Ethernet>(Gress::ingress, "ethernet");
  p.digest(3, "seen", {p.header_field(&Ethernet::dst), p.intrinsics().ingress_port});
  p.ingress().apply(p.action("all").set(p.intrinsics().resubmit, 1).set(p.mirror().session, 5).set(p.digest_type(), 3));
  Pipeline pipeline(program);
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Ethernet{.dst = 0xabc});
  CHECK(pipeline.run_ingress(*packet, {.port = 4}).resubmit);
  CHECK(!pipeline.has_mirror_copy());
  REQUIRE(pipeline.has_digest());
  const auto digest = pipeline.take_digest();
  CHECK(digest.what->name == "seen");
  CHECK(digest.values == std::vector<std::uint64_t>{0xabc, 4});
}

TEST_CASE("digests of more than 47 bytes, of an unknown type or one that is taken are refused") {
  const auto refusal = [](unsigned type, unsigned fields, bool twice = false) -> std::string {
    Program p("digests");
    std::vector<FieldRef> list;
    for (unsigned i = 0; i < fields; ++i) list.push_back(p.field("f" + std::to_string(i), 64));
    p.digest(type, "first", list);
    if (twice) p.digest(type, "second", list);
    try {
      Placement(p, {});
    } catch (const ProgramError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal(7, 5).empty());
  CHECK_THAT(refusal(7, 6), Contains("48 bytes, 1 to 47"));
  CHECK_THAT(refusal(8, 1), Contains("type is 8"));
  CHECK_THAT(refusal(7, 0), Contains("0 bytes"));
  CHECK_THAT(refusal(2, 1, true), Contains("has the same type"));
}

TEST_CASE("truncation keeps the first bytes, and a header that it cuts becomes payload") {
  PacketPool pool;
  const auto cut = [&](std::uint32_t bytes) {
    auto packet = packet_in(pool, 0);
    packet->truncate(bytes);
    return std::pair(packet->header_count(), packet->payload_bytes);
  };
  CHECK(cut(84) == std::pair(std::size_t{2}, 50U));
  CHECK(cut(83) == std::pair(std::size_t{2}, 49U));
  CHECK(cut(34) == std::pair(std::size_t{2}, 0U));
  CHECK(cut(33) == std::pair(std::size_t{1}, 19U));
  CHECK(cut(13) == std::pair(std::size_t{0}, 13U));
  MirrorSessions sessions;
  CHECK_THROWS(sessions.set(0, {.port = 1}));
  CHECK_THROWS(sessions.set(1024, {.port = 1}));
  CHECK_THROWS(sessions.set(1, {.port = 1, .bytes = 0}));
  sessions.set(1023, {.port = 1});
  CHECK(sessions.find(1023)->port == 1);
  sessions.remove(1023);
  CHECK(sessions.find(1023) == nullptr);
}

TEST_CASE("random draws depend on seed, packet, instant and place alone, and have the bits of their fields") {
  auto program = std::make_shared<Program>("random");
  auto& p = *program;
  const auto first = p.field("first", 32), second = p.field("second", 3);
  p.parser_state<Ethernet>(Gress::ingress, "ethernet");
  p.ingress().apply(p.action("draw").random(first).random(second));
  p.ingress().apply(p.action("show")
                        .set(p.intrinsics().ucast_egress_port, 1)
                        .set(p.header_field(&Ethernet::src), first)
                        .set(p.header_field(&Ethernet::ether_type), second));
  Pipeline pipeline(program);
  CHECK(!pipeline.passes_repeat());
  PacketPool pool;
  const auto drawn = [&](std::uint64_t seed, std::uint64_t serial, std::int64_t ps, std::uint16_t port) {
    pipeline.seed(seed);
    auto packet = pool.make();
    packet->push(Ethernet{});
    packet->serial = serial;
    pipeline.run_ingress(*packet, {.port = port, .begin = sim::Time::from_ps(ps)});
    CHECK(packet->get<Ethernet>().ether_type < 8);
    return packet->get<Ethernet>().src;
  };
  const auto reference = drawn(1, 2, 3, 4);
  CHECK(drawn(1, 2, 3, 4) == reference);
  CHECK(std::set{reference, drawn(2, 2, 3, 4), drawn(1, 3, 3, 4), drawn(1, 2, 4, 4), drawn(1, 2, 3, 5)}.size() == 5);
  // 4,000 draws of 3 bits: each value 500 times, give or take 6 standard deviations of 21.
  std::array<int, 8> counts{};
  for (std::uint64_t serial = 0; serial < 4000; ++serial) ++counts[drawn(9, serial, 0, 0) & 7];
  for (const int count : counts) CHECK(std::abs(count - 500) < 126);
  Program wide("wide");
  wide.ingress().apply(wide.action("draw").random(wide.field("f", 33)));
  CHECK_THROWS_WITH(Placement(wide, {}), Contains("takes a random number of 32"));
}

TEST_CASE("the four-bit predicate has the bit of both comparators' results") {
  Program p("predicates");
  auto& array = p.register_array("WINDOW", Width::pair_of(16), 4);
  auto& look = array.action("look");
  const auto x = p.field("x", 16);
  const auto input = look.input(x);
  look.compare_a(input, Comparison::less, kLo).compare_b(input, Comparison::greater, kHi).output(AluOutput::predicates);
  const auto code = compile(look);
  const auto output = [&](std::uint64_t value, std::uint64_t lo, std::uint64_t hi) {
    return run_alu(code, {lo, hi, value, 0}).output;
  };
  CHECK(output(5, 3, 7) == 0b0001);  // neither
  CHECK(output(2, 3, 7) == 0b0010);  // a
  CHECK(output(9, 3, 7) == 0b0100);  // b
  CHECK(output(5, 6, 4) == 0b1000);  // both
}

TEST_CASE("programs without such parts have none of their fields, and racksim fit says which parts others use") {
  Program plain("plain");
  const auto fields = plain.fields().size();
  CHECK(Placement(plain, {}).report().find("mirror") == std::string::npos);
  Program p("parts");
  CHECK(p.fields().size() == fields);
  p.digest(1, "port", {p.intrinsics().ingress_port});
  p.ingress().apply(p.action("copy").set(p.mirror().session, 5).set(p.mirror().values[2], 7).set(p.digest_type(), 1));
  p.parser_state<GeneratedPacket>(Gress::ingress, "generated");
  auto& look = p.register_array("SEEN", Width::single(8), 4).action("look").output(AluOutput::predicates);
  p.ingress().apply(p.action("ask").execute(look, 0, p.field("where", 4)));
  p.ingress().apply(p.action("draw").random(p.field("x", 8)));
  p.ingress().apply(p.action("stamp").set(p.field("t", 48), p.clock().arrived));
  p.ingress().apply(p.action("choose").set(p.selection().level1_hash, 3));
  const auto report = Placement(p, {}).report();
  CHECK_THAT(report, Contains("mirror copies: ingress, 8 of 32 bytes with a copy\n") &&
                         Contains("digest: type 1, 'port', 2 of 47 bytes\n") && Contains("time stamps: ingress\n") &&
                         Contains("random numbers: 1 draw\n") && Contains("multicast selection: ingress\n") &&
                         Contains("packet generator: its header of 6 bytes, in ingress\n") &&
                         Contains("four-bit predicates: 1 register action\n"));
}

}  // namespace requests_test
