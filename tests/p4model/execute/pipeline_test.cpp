#include "p4model/execute/pipeline.hpp"

#include <fmt/core.h>

#include <catch2/catch.hpp>

#include "p4model/execute/forwarding.hpp"
#include "p4model/execute/registry.hpp"
#include "p4model/language/headers.hpp"

namespace pipeline_test {

using namespace racksim::p4;

namespace {

struct Fields {
  std::uint64_t a = 0, b = 0, c = 0, d = 0;
  static constexpr HeaderLayout kLayout{"fields", {{"a", 16}, {"b", 16}, {"c", 16}, {"d", 64}}};
};
struct Tag {
  std::uint64_t value = 0;
  static constexpr HeaderLayout kLayout{"tag", {{"value", 32}}};
};

/// A program over one Fields header whose ingress forwards to port 1 after what `fill` adds.
template <class Fill>
std::shared_ptr<Program> program_with(Fill fill) {
  auto p = std::make_shared<Program>("p");
  p->parser_state<Fields>(Gress::ingress, "start");
  p->parser_state<Fields>(Gress::egress, "start");
  fill(*p);
  p->ingress().apply(p->action("out").set(p->intrinsics().ucast_egress_port, 1));
  return p;
}

Fields run(const std::shared_ptr<Program>& program, const Fields& header) {
  PacketPool pool;
  Pipeline pipeline(program);
  auto packet = pool.make();
  packet->push(header);
  REQUIRE(pipeline.run_ingress(*packet, {}).ucast_port == 1);
  return packet->get<Fields>();
}

}  // namespace

TEST_CASE("the instructions of an action read the packet as it entered the stage") {
  const auto swap = program_with([](Program& p) {
    const auto a = p.header_field(&Fields::a), b = p.header_field(&Fields::b), c = p.header_field(&Fields::c);
    p.ingress().apply(p.action("swap").set(a, b).set(b, a).add(c, a, b));
  });
  const auto after = run(swap, {3, 5, 0, 0});
  CHECK(after.a == 5);
  CHECK(after.b == 3);
  CHECK(after.c == 8);
}

TEST_CASE("instructions compute modulo the width of their destination") {
  const auto program = program_with([](Program& p) {
    const auto a = p.header_field(&Fields::a), b = p.header_field(&Fields::b), c = p.header_field(&Fields::c);
    p.ingress().apply(p.action("one").add(a, a, 2).sub(b, b, 2).bit_not(c, c));
    p.ingress().apply(p.action("two").shift_left(a, a, 15).max(b, b, 7).bit_xor(c, c, 0xff));
  });
  const auto after = run(program, {0xffff, 1, 0xf0f0, 0});
  CHECK(after.a == 0x8000);
  CHECK(after.b == 0xffff);
  CHECK(after.c == 0x0ff0);
}

TEST_CASE("a gateway decides once, whatever its branches change") {
  const auto program = program_with([](Program& p) {
    const auto a = p.header_field(&Fields::a), b = p.header_field(&Fields::b), c = p.header_field(&Fields::c);
    p.ingress()
        .if_((a == 1 && b < 4) || !(a != 2) || a == b)
        .split()
        .then([&](Block& yes) {
          yes.apply(p.action("change").set(a, 100));
          yes.apply(p.action("then_again").add(c, a, 1));
        })
        .else_([&](Block& no) { no.apply(p.action("otherwise").set(c, 7)); });
  });
  CHECK(run(program, {1, 3, 0, 0}).c == 101);
  CHECK(run(program, {1, 4, 0, 0}).c == 7);
  CHECK(run(program, {2, 5, 0, 0}).c == 101);
  CHECK(run(program, {9, 9, 0, 0}).c == 101);
  CHECK(run(program, {9, 8, 0, 0}).c == 7);
}

TEST_CASE("tables match exactly, with entries that come and go") {
  const Table* table = nullptr;
  const Action* put = nullptr;
  const auto program = program_with([&](Program& p) {
    auto& action = p.action("put");
    action.set(p.header_field(&Fields::c), action.data("value", 16));
    auto& missing = p.action("missing");
    missing.set(p.header_field(&Fields::c), missing.data("value", 16));
    auto& t = p.table("t").key(p.header_field(&Fields::a)).key(p.header_field(&Fields::d)).size(2).action(action);
    t.default_action(missing, {99}).entry({1, 2}, action, {10});
    p.ingress().apply(t).on_hit([&](Block& b) { b.apply(p.action("hit").set(p.header_field(&Fields::b), 1)); });
    table = &t;
    put = &action;
  });
  Pipeline pipeline(program);
  PacketPool pool;
  const auto lookup = [&](std::uint64_t a, std::uint64_t d) {
    auto packet = pool.make();
    packet->push(Fields{a, 0, 0, d});
    pipeline.run_ingress(*packet, {});
    return std::pair{packet->get<Fields>().c, packet->get<Fields>().b};
  };
  using Keys = std::vector<std::uint64_t>;
  const auto is = [](std::uint64_t c, std::uint64_t b) { return std::pair{c, b}; };
  CHECK(lookup(1, 2) == is(10, 1));
  CHECK(lookup(2, 1) == is(99, 0));
  pipeline.add_entry(*table, Keys{2, ~0ull}, *put, Keys{20});
  CHECK(lookup(2, ~0ull) == is(20, 1));
  CHECK_THROWS_WITH(pipeline.add_entry(*table, Keys{3, 3}, *put, Keys{30}), Catch::Contains("'t' is full"));
  CHECK(pipeline.modify_entry(*table, Keys{1, 2}, *put, Keys{11}));
  CHECK(lookup(1, 2) == is(11, 1));
  CHECK(pipeline.remove_entry(*table, Keys{1, 2}));
  CHECK_FALSE(pipeline.remove_entry(*table, Keys{1, 2}));
  CHECK_FALSE(pipeline.modify_entry(*table, Keys{1, 2}, *put, Keys{11}));
  CHECK(lookup(1, 2) == is(99, 0));
  CHECK_THROWS_WITH(pipeline.add_entry(*table, Keys{0x10000, 0}, *put, Keys{1}), Catch::Contains("exceeds"));
  CHECK(pipeline.counters(*table).hits == 3);
  CHECK(pipeline.counters(*table).misses == 2);
}

TEST_CASE("resubmission discards header changes, hands over 64 bits, and happens once") {
  auto p = std::make_shared<Program>("p");
  const auto& md = p->intrinsics();
  p->parser_state<Fields>(Gress::ingress, "start");
  const auto a = p->header_field(&Fields::a), d = p->header_field(&Fields::d);
  p->ingress()
      .if_(md.resubmit_flag == 0 || a == 2)
      .then([&](Block& b) {
        b.apply(p->action("again")
                    .set(p->header_field(&Fields::c), 9)
                    .set(md.resubmit, 1)
                    .set(md.resubmit_value, d)
                    .set(md.ucast_egress_port, 4)
                    .set(md.drop, 1));
      })
      .else_([&](Block& b) {
        b.apply(p->action("done").set(d, md.resubmit_data).set(md.ucast_egress_port, md.ingress_port));
      });
  Pipeline pipeline(p);
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Fields{1, 2, 3, ~0ull});
  auto verdict = pipeline.run_ingress(*packet, {7});
  CHECK(verdict.resubmit);
  CHECK(verdict.resubmit_data == ~0ull);
  CHECK(verdict.ucast_port == Verdict::kNone);  // nothing goes to the traffic manager from that pass
  CHECK(packet->get<Fields>().c == 3);
  verdict = pipeline.run_ingress(*packet, {7, true, 55});
  CHECK(verdict.ucast_port == 7);
  CHECK(packet->get<Fields>().d == 55);
  packet->get<Fields>().a = 2;
  CHECK(pipeline.run_ingress(*packet, {7, true, 55}).dropped());
  CHECK(pipeline.run_ingress(*packet, {7, false, 0, false}).dropped());
  CHECK(pipeline.counters().resubmits == 1);
  CHECK(pipeline.counters().refused_resubmits == 2);
}

TEST_CASE("a packet may go to a port and two groups at once, and drop cancels them all") {
  auto p = std::make_shared<Program>("p");
  const auto& md = p->intrinsics();
  p->parser_state<Fields>(Gress::ingress, "start");
  p->ingress().apply(p->action("all")
                         .set(md.ucast_egress_port, 3)
                         .set(md.mcast_grp_a, 0)
                         .set(md.mcast_grp_b, p->header_field(&Fields::b))
                         .set(md.rid, 5)
                         .set(md.l2_exclusion_id, 6)
                         .set(md.drop, p->header_field(&Fields::a)));
  Pipeline pipeline(p);
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Fields{0, 0xffff, 0, 0});
  const auto verdict = pipeline.run_ingress(*packet, {});
  CHECK(verdict == Verdict{false, 0, 3, 0, 0xffff, 5, 6});  // group 0 is a group, unlike in bmv2
  packet->get<Fields>().a = 1;
  CHECK(pipeline.run_ingress(*packet, {}).dropped());
  auto other = pool.make();
  other->push(Tag{});
  CHECK(pipeline.run_ingress(*other, {}).dropped());
  CHECK(pipeline.counters().parser_rejects == 1);
  CHECK(pipeline.counters().ingress_drops == 2);
}

TEST_CASE("egress writes what differs per copy and can drop one") {
  const auto program = program_with([](Program& p) {
    const auto& md = p.intrinsics();
    p.egress().apply(p.action("stamp")
                         .set(p.header_field(&Fields::a), md.egress_rid)
                         .set(p.header_field(&Fields::b), md.egress_port)
                         .set(p.header_field(&Fields::c), md.packet_length));
    p.egress().if_(md.egress_rid == 9).then([&](Block& b) { b.apply(p.action("prune").set(md.drop, 1)); });
  });
  Pipeline pipeline(program);
  CHECK(pipeline.egress_changes_headers());
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Fields{});
  CHECK(pipeline.run_egress(*packet, {4, 2, 64}));
  CHECK(packet->get<Fields>().a == 2);
  CHECK(packet->get<Fields>().b == 4);
  CHECK(packet->get<Fields>().c == 64);
  CHECK_FALSE(pipeline.run_egress(*packet, {4, 9, 64}));
  CHECK(packet->get<Fields>().a == 2);
  CHECK(pipeline.counters().egress_drops == 1);
}

TEST_CASE("headers that become valid are added in the program's order, before what was not parsed") {
  auto p = std::make_shared<Program>("p");
  p->parser_state<Ethernet>(Gress::ingress, "start");
  const auto tag = p->header_field(&Tag::value);
  p->ingress().if_(p->valid<Tag>() == 0).then([&](Block& b) {
    b.apply(p->action("push").set(p->valid<Tag>(), 1).set(tag, 42).set(p->intrinsics().ucast_egress_port, 1));
  });
  Pipeline pipeline(p);
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Ethernet{1, 2, 3});
  packet->push(Fields{1, 2, 3, 4});
  pipeline.run_ingress(*packet, {});
  REQUIRE(packet->header_count() == 3);
  CHECK(&packet->layout(1) == &Tag::kLayout);
  CHECK(packet->get<Tag>().value == 42);
  CHECK(packet->get<Fields>().d == 4);
}

TEST_CASE("a hash is the CRC of its fields' bytes cut to its bits, and an index outside an array is an error") {
  const auto program = program_with([](Program& p) {
    const auto a = p.header_field(&Fields::a), d = p.header_field(&Fields::d);
    p.ingress().apply(p.action("hash").set(p.header_field(&Fields::c), p.hash("h", {a, d}, 12, CrcKind::crc32c)));
    auto& array = p.register_array("SMALL", Width::single(8), 4);
    auto& read = array.action("read").output(AluOutput::old_lo);
    p.ingress().apply(p.action("read").execute(read, p.header_field(&Fields::b)));
  });
  const std::vector<std::uint8_t> bytes{0x12, 0x34, 0, 0, 0, 0, 0, 0, 0x56, 0x78};
  CHECK(run(program, {0x1234, 3, 0, 0x5678}).c == (crc_of(CrcKind::crc32c, bytes) & 0xfff));
  Pipeline pipeline(program);
  PacketPool pool;
  auto packet = pool.make();
  packet->push(Fields{0, 4, 0, 0});
  CHECK_THROWS_WITH(pipeline.run_ingress(*packet, {}), Catch::Contains("SMALL") && Catch::Contains("index 4"));
  const std::vector<std::uint8_t> digits{'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  CHECK(crc_of(CrcKind::crc32, digits) == 0xcbf43926);
  CHECK(crc_of(CrcKind::crc32c, digits) == 0xe3069283);
  CHECK(crc_of(CrcKind::crc32d, digits) == 0x87315576);
}

TEST_CASE("plain forwarding goes by MAC, else by IPv4, else drops and counts") {
  const auto made = make_forwarding_program();
  Pipeline pipeline(made.program);
  using V = std::vector<std::uint64_t>;
  pipeline.add_entry(*made.forwarding.by_mac, V{0xaa}, *made.forwarding.to_port, V{5});
  pipeline.add_entry(*made.forwarding.by_ip, V{0x0a000001}, *made.forwarding.to_port, V{6});
  PacketPool pool;
  const auto send = [&](std::uint64_t mac, std::uint64_t type, std::uint64_t ip) {
    auto packet = pool.make();
    packet->push(Ethernet{mac, 1, type});
    packet->push(Ipv4{.protocol = 6, .dst = ip});
    return pipeline.run_ingress(*packet, {}).ucast_port;
  };
  CHECK(send(0xaa, kEtherTypeIpv4, 0) == 5);
  CHECK(send(0xbb, kEtherTypeIpv4, 0x0a000001) == 6);
  CHECK(send(0xbb, kEtherTypeIpv4, 0x0a000002) == Verdict::kNone);
  CHECK(send(0xbb, 0x1234, 0x0a000001) == Verdict::kNone);
  CHECK(pipeline.counters().ingress_drops == 2);
  CHECK(pipeline.counters(*made.forwarding.by_ip).misses == 1);
}

TEST_CASE("a packet goes to a port of any number that the program's bits have, and to none by all ones") {
  using V = std::vector<std::uint64_t>;
  for (const unsigned bits : {9u, 11u}) {
    const auto made = make_forwarding_program(bits);
    Pipeline pipeline(made.program);
    PacketPool pool;
    const std::uint64_t none = made.program->no_port();
    CHECK(none == (1u << bits) - 1);
    for (std::uint64_t port = 0; port <= none; ++port) {
      pipeline.add_entry(*made.forwarding.by_mac, V{port}, *made.forwarding.to_port, V{port});
      auto packet = pool.make();
      packet->push(Ethernet{.dst = port});
      const auto sent_to = pipeline.run_ingress(*packet, {}).ucast_port;
      REQUIRE(sent_to == (port == none ? Verdict::kNone : static_cast<std::int32_t>(port)));
    }
    CHECK_THROWS_WITH(
        pipeline.add_entry(*made.forwarding.by_mac, V{none + 1}, *made.forwarding.to_port, V{none + 1}),
        fmt::format("table 'forward_by_mac': value {} of 'port' of action 'forward_to_port' exceeds its {} bits",
                    none + 1, bits));
  }
}

TEST_CASE("pipes that share a table's entries keep them apart once one is changed") {
  const auto made = make_forwarding_program();
  Pipeline first(made.program), second(made.program);
  using V = std::vector<std::uint64_t>;
  const auto& by_mac = *made.forwarding.by_mac;
  first.add_entry(by_mac, V{1}, *made.forwarding.to_port, V{5});
  second.share_entries(by_mac, first);
  CHECK(second.entry(by_mac, std::vector{KeyMatch(1)})->data == V{5});
  first.modify_entry(by_mac, V{1}, *made.forwarding.to_port, V{6});
  second.add_entry(by_mac, V{2}, *made.forwarding.to_port, V{7});
  CHECK(second.entry(by_mac, std::vector{KeyMatch(1)})->data == V{5});
  CHECK(first.entry(by_mac, std::vector{KeyMatch(1)})->data == V{6});
  CHECK(first.entries(by_mac) == 1);
}

TEST_CASE("the registry finds programs by name") {
  using Registry = racksim::sim::Registry<ProgramEntry>;
  REQUIRE(Registry::find("l2l3-forwarding"));
  CHECK(Placement(*Registry::find("l2l3-forwarding")->make(), {}).stages_used() <= 12);
  CHECK(Registry::find("none") == nullptr);
}

TEST_CASE("a table in TCAM runs the action of its most important entry, and its default action on a miss") {
  const auto program = program_with([](Program& p) {
    const auto a = p.header_field(&Fields::a), b = p.header_field(&Fields::b), c = p.header_field(&Fields::c);
    auto& note = p.action("note");
    note.set(c, note.data("note", 16));
    auto& nothing = p.action("nothing").set(c, 99);
    p.ingress().apply(p.table("acl")
                          .key(a)
                          .key(b, MatchKind::ternary)
                          .key(p.header_field(&Fields::d), MatchKind::range)
                          .size(64)
                          .action(note)
                          .entry({7, KeyMatch::masked(0x10, 0xf0), KeyMatch::range(100, 199)}, note, {1})
                          .entry({7, KeyMatch::any(), KeyMatch::range(150, 300)}, note, {2})
                          .default_action(nothing));
  });
  CHECK(run(program, {7, 0x1f, 0, 150}).c == 1);  // both match: the one listed first
  CHECK(run(program, {7, 0x2f, 0, 150}).c == 2);
  CHECK(run(program, {7, 0x1f, 0, 99}).c == 99);
  CHECK(run(program, {7, 0x1f, 0, 300}).c == 2);
  CHECK(run(program, {8, 0x1f, 0, 150}).c == 99);
}

TEST_CASE("the control plane changes routes, of which the longest prefix counts") {
  auto p = std::make_shared<Program>("router");
  p->parser_state<Ipv4>(Gress::ingress, "ip");
  auto& to_port = p->action("to_port");
  to_port.set(p->intrinsics().ucast_egress_port, to_port.data("port", 9));
  auto& routes = p->table("routes").key(p->header_field(&Ipv4::dst), MatchKind::lpm).size(16).action(to_port);
  p->ingress().apply(routes);
  Pipeline pipeline(p);
  PacketPool pool;
  const auto port_to = [&](std::uint64_t address) {
    auto packet = pool.make();
    packet->push(Ipv4{.dst = address});
    return pipeline.run_ingress(*packet, {}).ucast_port;
  };
  const auto add = [&](std::uint64_t address, unsigned length, std::uint64_t port) {
    pipeline.add_entry(routes, std::vector{KeyMatch::prefix(address, length)}, to_port, std::vector{port});
  };
  CHECK(port_to(0x0a010203) == Verdict::kNone);
  add(0x0a000000, 8, 1);
  add(0x0a010200, 24, 3);
  add(0x0a010000, 16, 2);
  CHECK(pipeline.entries(routes) == 3);
  CHECK(port_to(0x0a010203) == 3);
  CHECK(port_to(0x0a010303) == 2);
  CHECK(port_to(0x0a020303) == 1);
  CHECK(port_to(0x0b020303) == Verdict::kNone);
  CHECK(pipeline.counters(routes).hits == 3);
  CHECK(pipeline.counters(routes).misses == 2);
  CHECK(pipeline.remove_entry(routes, std::vector{KeyMatch::prefix(0x0a010200, 24)}));
  CHECK_FALSE(pipeline.remove_entry(routes, std::vector{KeyMatch::prefix(0x0a010200, 24)}));
  CHECK(port_to(0x0a010203) == 2);
  CHECK(pipeline.modify_entry(routes, std::vector{KeyMatch::prefix(0x0a010000, 16)}, to_port,
                              std::vector<std::uint64_t>{5}));
  CHECK(port_to(0x0a010203) == 5);
  const std::vector<std::uint64_t> host{0x0a010203}, to_nine{9};
  pipeline.add_entry(routes, host, to_port, to_nine);  // a plain value is the longest prefix of all
  CHECK(port_to(0x0a010203) == 9);
}

TEST_CASE("an exact table takes neither masks nor priorities") {
  auto p = std::make_shared<Program>("p");
  auto& action = p->action("a").set(p->field("f", 8), 1);
  auto& table = p->table("exact").key(p->field("k", 8)).size(4).action(action);
  p->ingress().apply(table);
  Pipeline pipeline(p);
  CHECK_THROWS_WITH(pipeline.add_entry(table, std::vector{KeyMatch::masked(1, 1)}, action),
                    Catch::Contains("'exact' matches exactly"));
  CHECK_THROWS_WITH(pipeline.add_entry(table, std::vector<KeyMatch>{1}, action, {}, 2),
                    Catch::Contains("'exact' matches exactly"));
}

TEST_CASE("a parser state that selects by masked value takes the first case that matches") {
  auto p = std::make_shared<Program>("p");
  p->parser_state<Udp>(Gress::ingress, "udp")
      .select_masked(p->header_field(&Udp::dst_port),
                     {{8200, 0xffff, "reject"}, {8192, 0xffc0, "fields"}, {0, 0, "tag"}});
  p->parser_state<Fields>(Gress::ingress, "fields");
  p->parser_state<Tag>(Gress::ingress, "tag");
  const auto& md = p->intrinsics();
  p->ingress()
      .if_(p->valid<Fields>() == 1)
      .then([&](Block& b) { b.apply(p->action("fields").set(md.ucast_egress_port, 1)); })
      .else_([&](Block& b) { b.apply(p->action("tag").set(md.ucast_egress_port, 2)); });
  Pipeline pipeline(p);
  PacketPool pool;
  const auto port_for = [&](std::uint64_t udp_port, bool fields) {
    auto packet = pool.make();
    packet->push(Udp{.dst_port = udp_port});
    if (fields) {
      packet->push(Fields{});
    } else {
      packet->push(Tag{});
    }
    return pipeline.run_ingress(*packet, {}).ucast_port;
  };
  for (const std::uint64_t inside : {8192, 8199, 8201, 8255}) CHECK(port_for(inside, true) == 1);
  for (const std::uint64_t outside : {0, 8191, 8256, 0x6000, 0xffff}) CHECK(port_for(outside, false) == 2);
  CHECK(port_for(8200, true) == Verdict::kNone);  // the exact case comes before the range that it lies in
  CHECK(port_for(8192, false) == Verdict::kNone);
  CHECK(pipeline.counters().parser_rejects == 2);
}

TEST_CASE("a parser state that selects by masked value goes on as told when no case matches") {
  auto p = std::make_shared<Program>("p");
  p->parser_state<Udp>(Gress::ingress, "udp")
      .select_masked(p->header_field(&Udp::src_port), {{0x8000, 0x8000, kAccept}}, kReject);
  p->ingress().apply(p->action("out").set(p->intrinsics().ucast_egress_port, 1));
  Pipeline pipeline(p);
  PacketPool pool;
  const auto passes = [&](std::uint64_t udp_port) {
    auto packet = pool.make();
    packet->push(Udp{.src_port = udp_port});
    return !pipeline.run_ingress(*packet, {}).dropped();
  };
  CHECK(passes(0x8000));
  CHECK(passes(0xabcd));
  CHECK_FALSE(passes(0x7fff));
}

}  // namespace pipeline_test
