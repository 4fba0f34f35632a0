#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <functional>

#include "p4model/fit/placement.hpp"
#include "p4model/language/headers.hpp"

namespace refusal_test {

using namespace racksim::p4;
using Catch::Contains;

namespace {

/// What loading a program says: empty when it is accepted.
std::string refusal(const std::function<void(Program&)>& build, const SwitchResources& resources = {}) {
  Program program("p");
  build(program);
  try {
    Placement placement(program, resources);
  } catch (const ProgramError& error) {
    return error.what();
  }
  return {};
}

Action& counting(Program& p, const std::string& name, RegisterArray& array, Operand index = 0) {
  auto& increment = array.action(name);
  increment.update(kLo, AluOperation::add, kLo, 1).output(AluOutput::new_lo);
  return p.action(name).execute(increment, index);
}

/// One array "A" of 16-bit words with one action, applied once.
std::string refusal_of_action(const std::function<void(Program&, RegisterAction&)>& fill,
                              Width width = Width::single(16)) {
  return refusal([&](Program& p) {
    auto& act = p.register_array("A", width, 16).action("act");
    fill(p, act);
    p.ingress().apply(p.action("run").execute(act, 0));
  });
}

}  // namespace

TEST_CASE("an array accessed twice in a pass is refused, on exclusive branches it is not") {
  const auto twice = refusal([](Program& p) {
    auto& a = p.register_array("TWICE", Width::single(16), 16);
    p.ingress().apply(counting(p, "first", a));
    p.ingress().apply(counting(p, "second", a));
  });
  CHECK_THAT(twice,
             Contains("'TWICE'") && Contains("twice in one pass") && Contains("'first'") && Contains("'second'"));
  const auto in_one_action = refusal([](Program& p) {
    auto& a = p.register_array("TWICE", Width::single(16), 16);
    auto& read = a.action("read").output(AluOutput::old_lo);
    p.ingress().apply(p.action("both").execute(read, 0).execute(read, 1));
  });
  CHECK_THAT(in_one_action, Contains("'TWICE'") && Contains("twice in one pass"));
  CHECK(refusal([](Program& p) {
          auto& a = p.register_array("ONCE", Width::single(16), 16);
          p.ingress()
              .if_(p.field("f", 1) == 1)
              .then([&](Block& b) { b.apply(counting(p, "first", a)); })
              .else_([&](Block& b) { b.apply(counting(p, "second", a)); });
        }).empty());
}

TEST_CASE("an array wider than a stateful ALU is refused") {
  for (const auto width : {Width::single(64), Width::pair_of(64), Width::single(24), Width::pair_of(1)}) {
    CHECK_THAT(refusal_of_action([](Program&, RegisterAction&) {}, width), Contains("'A'") && Contains("bits wide"));
  }
  for (const auto width :
       {Width::single(1), Width::single(8), Width::single(32), Width::pair_of(8), Width::pair_of(32)}) {
    CHECK(refusal_of_action([](Program&, RegisterAction&) {}, width).empty());
  }
}

TEST_CASE("an output word of more than 32 bits is refused") {
  const auto text = refusal([](Program& p) {
    auto& a = p.register_array("WIDE", Width::single(32), 16);
    auto& read = a.action("read").output(AluOutput::old_lo);
    p.ingress().apply(p.action("take").execute(read, 0, p.field("sixty_four", 64)));
  });
  CHECK_THAT(text, Contains("'WIDE'") && Contains("'sixty_four' of 64 bits") && Contains("at most 32"));
}

TEST_CASE("more than a stateful ALU's inputs, predicates, updates, actions and constants are refused") {
  CHECK_THAT(refusal_of_action([](Program& p, RegisterAction& act) {
               for (const auto* name : {"x", "y", "z"}) act.input(p.field(name, 8));
             }),
             Contains("'A'") && Contains("3 inputs"));
  CHECK_THAT(refusal_of_action([](Program&, RegisterAction& act) {
               act.compare_a(kLo, Comparison::less, 1).compare_b(kLo, Comparison::less, 2);
               act.compare_a(kLo, Comparison::less, 3);
             }),
             Contains("'A'") && Contains("3 predicates"));
  CHECK_THAT(refusal_of_action([](Program&, RegisterAction& act) {
               act.compare_a(kLo, Comparison::less, 1).compare_b(kLo, Comparison::less, 2);
               act.set(kLo, 1, kA & kB).set(kLo, 2, kA & ~kB).set(kLo, 3, ~kA);
             }),
             Contains("'A'") && Contains("3 updates"));
  CHECK_THAT(refusal_of_action([](Program&, RegisterAction& act) { act.set(kLo, 1).set(kLo, 2); }),
             Contains("can happen together"));
  CHECK_THAT(refusal_of_action([](Program&, RegisterAction& act) { act.set(kHi, 1); }), Contains("no high half"));
  CHECK_THAT(refusal_of_action([](Program&, RegisterAction& act) { act.set(kLo, 1, kB); }), Contains("comparator b"));
  CHECK_THAT(refusal_of_action([](Program& p, RegisterAction& act) {
               act.compare_a(act.input(p.field("x", 8)), Comparison::less, act.input(p.field("y", 8)));
             }),
             Contains("sees one input"));
  CHECK_THAT(refusal_of_action([](Program&, RegisterAction& act) { act.update(kLo, AluOperation::add, kLo, 1); },
                               Width::single(1)),
             Contains("one-bit"));
  CHECK_THAT(refusal_of_action(
                 [](Program&, RegisterAction& act) {
                   act.compare_a(kLo, Comparison::less, 100).compare_b(kHi, Comparison::less, 200);
                   act.set(kLo, 300, kA).set(kLo, 400, ~kA).set(kHi, 500, kB);
                 },
                 Width::pair_of(32)),
             Contains("5 constants"));
  CHECK_THAT(refusal([](Program& p) {
               auto& a = p.register_array("MANY", Width::single(8), 16);
               for (const auto* name : {"v", "w", "x", "y", "z"}) a.action(name);
             }),
             Contains("'MANY'") && Contains("5 register actions"));
}

TEST_CASE("a register output used in the stage that produces it is refused") {
  const auto in_action = refusal([](Program& p) {
    auto& a = p.register_array("SOURCE", Width::single(16), 16);
    const auto out = p.field("out", 16), copy = p.field("copy", 16);
    auto& read = a.action("read").output(AluOutput::old_lo);
    p.ingress().apply(p.action("both").execute(read, 0, out).set(copy, out));
  });
  CHECK_THAT(in_action, Contains("'SOURCE'") && Contains("'out'"));
  const auto pinned = [](int stage) {
    return refusal([=](Program& p) {
      auto& a = p.register_array("SOURCE", Width::single(16), 16).stage(3);
      const auto out = p.field("out", 16);
      auto& read = a.action("read").output(AluOutput::old_lo);
      p.ingress().apply(p.action("source").execute(read, 0, out));
      auto& b = p.register_array("SINK", Width::single(16), 16).stage(stage);
      p.ingress().apply(counting(p, "sink", b, out));
    });
  };
  CHECK_THAT(pinned(3), Contains("'SINK'") && Contains("stage 3") && Contains("'SOURCE'") && Contains("'out'"));
  CHECK_THAT(pinned(2), Contains("'SINK'") && Contains("stage 2"));
  CHECK(pinned(4).empty());
  CHECK_THAT(pinned(12), Contains("'SINK'") && Contains("stage 12"));
}

TEST_CASE("a register's output may go to the field that its index or input comes from, and no other execution's") {
  const auto own = [](bool by_index) {
    return refusal([=](Program& p) {
      auto& a = p.register_array("CHAIN", Width::single(16), 16);
      const auto x = p.field("x", 16);
      auto& follow = a.action("follow");
      if (by_index) {
        follow.output(AluOutput::old_lo);
      } else {
        follow.set(kLo, follow.input(x)).output(AluOutput::old_lo);
      }
      p.ingress().apply(p.action("set_x").set(x, 3));
      p.ingress().apply(p.action("step").execute(follow, by_index ? Operand(x) : Operand(0), x));
    });
  };
  CHECK(own(true).empty());
  CHECK(own(false).empty());
  CHECK_THAT(refusal([](Program& p) {
               auto& a = p.register_array("CHAIN", Width::single(16), 16);
               auto& b = p.register_array("OTHER", Width::single(16), 16);
               const auto x = p.field("x", 16);
               auto& read = a.action("read").output(AluOutput::old_lo);
               auto& write = b.action("write");
               write.set(kLo, 1);
               p.ingress().apply(p.action("step").execute(read, x, x).execute(write, x));
             }),
             Contains("'OTHER'") && Contains("'x'"));
}

TEST_CASE("an array and a metadata field belong to one gress") {
  CHECK_THAT(refusal([](Program& p) {
               auto& a = p.register_array("BOTH", Width::single(16), 16);
               p.ingress().apply(counting(p, "in", a));
               p.egress().apply(counting(p, "out", a));
             }),
             Contains("'BOTH'") && Contains("ingress") && Contains("egress"));
  CHECK_THAT(refusal([](Program& p) {
               const auto f = p.field("carried", 16);
               p.ingress().apply(p.action("in").set(f, 1));
               p.egress().apply(p.action("out").set(f, 2));
             }),
             Contains("'out'") && Contains("'carried'"));
  CHECK_THAT(refusal([](Program& p) { p.egress().apply(p.action("late").set(p.intrinsics().ucast_egress_port, 1)); }),
             Contains("'late'") && Contains("ucast_egress_port"));
}

TEST_CASE("35 data blocks are the most that one array can have") {
  const auto of_size = [](std::uint64_t size) {
    return refusal(
        [=](Program& p) { p.ingress().apply(counting(p, "count", p.register_array("BIG", Width::single(32), size))); });
  };
  CHECK(of_size(143'360).empty());  // the table of docs/hardware.md 6.3
  CHECK_THAT(of_size(143'361), Contains("'BIG'") && Contains("36") && Contains("35"));
}

TEST_CASE("a full stage is refused with the resource that ran out, what is needed and what is there") {
  const auto pinned = [](int arrays, std::uint64_t size) {
    return refusal([=](Program& p) {
      for (int i = 0; i < arrays; ++i) {
        p.ingress().apply(counting(p, fmt::format("count{}", i),
                                   p.register_array(fmt::format("A{}", i), Width::single(32), size).stage(5)));
      }
    });
  };
  CHECK(pinned(4, 10).empty());
  CHECK_THAT(pinned(5, 10), Contains("'A4'") && Contains("stage 5") && Contains("stateful ALUs: 1 needed, 0 of 4"));
  // 25 data blocks and a spare each: two take 52 of 48 map RAMs.
  CHECK_THAT(pinned(2, 25 * 4096), Contains("'A1'") && Contains("map RAM blocks: 26 needed, 22 of 48 available"));
  SwitchResources two_stages;
  two_stages.stages = 2;
  const auto chain = refusal(
      [](Program& p) {
        auto last = p.field("f0", 8);
        for (int i = 1; i < 4; ++i) {
          const auto next = p.field(fmt::format("f{}", i), 8);
          p.ingress().apply(p.action(fmt::format("step{}", i)).add(next, last, 1));
          last = next;
        }
      },
      two_stages);
  CHECK_THAT(chain,
             Contains("'step3'") && Contains("needs stage 2") && Contains("field 'f2' of table 'step2' in stage 1"));
  const auto phv = refusal([](Program& p) {
    // All are written in one stage and read in the next, so that they live at one time.
    std::vector<FieldRef> fields;
    for (int i = 0; i < 130; ++i) fields.push_back(p.field(fmt::format("f{}", i), 32));
    auto& write = p.action("write");
    auto& read = p.action("read");
    for (const auto field : fields) {
      write.set(field, 1);
      read.set(p.field(fmt::format("r{}", field.id), 32), field);
    }
    p.ingress().apply(write);
    p.ingress().apply(read);
  });
  CHECK_THAT(phv, Contains("PHV") && Contains("'f1") && Contains("32 bits needed") && Contains("would help"));
}

TEST_CASE("a stage has 24 blocks of TCAM, 8 tables in it, and 66 bytes of their keys") {
  const auto pinned = [](int tables, unsigned key_bits, int keys, std::uint32_t rows) {
    return refusal([=](Program& p) {
      for (int i = 0; i < tables; ++i) {
        auto& table = p.table(fmt::format("t{}", i)).size(rows).stage(3).action(p.action(fmt::format("a{}", i)));
        for (int k = 0; k < keys; ++k) table.key(p.field(fmt::format("k{}_{}", i, k), key_bits), MatchKind::ternary);
        p.ingress().apply(table);
      }
    });
  };
  CHECK(pinned(8, 8, 1, 512).empty());
  CHECK_THAT(pinned(9, 8, 1, 512),
             Contains("table 't8'") && Contains("stage 3") && Contains("ternary tables: 1 needed, 0 of 8 available"));
  CHECK(pinned(1, 32, 1, 24 * 512).empty());
  CHECK_THAT(pinned(1, 32, 1, 24 * 512 + 1),
             Contains("table 't0'") && Contains("TCAM blocks: 25 needed, 24 of 24 available"));
  CHECK(pinned(1, 32, 16, 1).empty());
  CHECK_THAT(pinned(1, 32, 17, 1), Contains("table 't0'") && Contains("ternary crossbar bytes: 68 needed, 66 of 66"));
  // Unpinned, the ninth table goes to another stage.
  CHECK(refusal([](Program& p) {
          for (int i = 0; i < 9; ++i) {
            p.ingress().apply(p.table(fmt::format("t{}", i))
                                  .key(p.field(fmt::format("k{}", i), 8), MatchKind::lpm)
                                  .size(512)
                                  .action(p.action(fmt::format("a{}", i))));
          }
        }).empty());
}

TEST_CASE("a parser that compares too many bits, looks too deep or comes back to a state is refused") {
  const auto build = [](Program& p) {
    p.parser_state<Ethernet>(Gress::ingress, "ethernet")
        .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, "ip"}});
    p.parser_state<Ipv4>(Gress::ingress, "ip").select(p.header_field(&Ipv4::protocol), {{kProtocolUdp, "udp"}}, "udp");
    p.parser_state<Udp>(Gress::ingress, "udp");
  };
  SwitchResources resources;
  resources.ingress_parse_bytes = 14 + 20 + 8;
  CHECK(refusal(build, resources).empty());
  --resources.ingress_parse_bytes;
  CHECK_THAT(refusal(build, resources),
             Contains("the ingress parser looks 42 bytes deep into a packet, 41 are possible"));
  CHECK_THAT(refusal([](Program& p) {
               p.parser_state<Ethernet>(Gress::egress, "start").select(p.header_field(&Ethernet::dst), {{1, "reject"}});
             }),
             Contains("egress parser state 'start' compares") && Contains("of 48 bits, 32 are possible"));
  CHECK_THAT(refusal([](Program& p) {
               p.parser_state<Ethernet>(Gress::ingress, "start")
                   .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, "ip"}});
               p.parser_state<Ipv4>(Gress::ingress, "ip").then("start");
             }),
             Contains("comes back to state 'start'"));
}

TEST_CASE("actions and tables that make no sense are refused by name") {
  CHECK_THAT(refusal([](Program& p) {
               const auto f = p.field("f", 8);
               p.ingress().apply(p.action("double").set(f, 1).set(f, 2));
             }),
             Contains("'double'") && Contains("'f' is written twice"));
  CHECK_THAT(refusal([](Program& p) {
               auto& t = p.table("again").default_action(p.action("a"));
               p.ingress().apply(t);
               p.ingress().apply(t);
             }),
             Contains("'again'") && Contains("applied twice"));
  CHECK_THAT(refusal([](Program& p) { p.ingress().apply(p.action("sum").add(p.field("x", 64), 1, 2)); }),
             Contains("'sum'") && Contains("64 bits"));
  CHECK_THAT(refusal([](Program& p) { p.parser_state<Ethernet>(Gress::ingress, "start").then("nowhere"); }),
             Contains("'start'") && Contains("'nowhere'"));
  CHECK_THAT(refusal([](Program& p) { p.ingress().apply(p.table("unsized").key(p.field("k", 8))); }),
             Contains("'unsized'") && Contains("size"));
  CHECK_THAT(refusal([](Program& p) {
               p.ingress().apply(p.table("twice")
                                     .key(p.field("k", 8), MatchKind::lpm)
                                     .key(p.field("l", 8), MatchKind::lpm)
                                     .size(1)
                                     .action(p.action("a")));
             }),
             Contains("'twice'") && Contains("2 of its keys are lpm"));
  Program p("p");
  p.field("f", 1);
  CHECK_THROWS_WITH(p.field("f", 2), Contains("'f'"));
  CHECK_THROWS_WITH(p.field("wide", 65), Contains("'wide'"));
  CHECK_THROWS_WITH(p.header_field<Udp>("sauce"), Contains("sauce"));
}

TEST_CASE("a parser case that no value can match is refused") {
  const auto with_case = [](std::uint64_t value, std::uint64_t mask) {
    return refusal([=](Program& p) {
      p.parser_state<Udp>(Gress::ingress, "udp")
          .select_masked(p.header_field(&Udp::dst_port), {{value, mask, kReject}});
    });
  };
  CHECK(with_case(8192, 0xffc0).empty());
  CHECK(with_case(0, 0).empty());
  CHECK_THAT(with_case(8193, 0xffc0), Contains("'udp'") && Contains("0x2001") && Contains("0xffc0"));
  CHECK_THAT(with_case(0x10000, ~0ull), Contains("0x10000") && Contains("16 bits"));
  CHECK_THAT(refusal([](Program& p) {
               p.parser_state<Udp>(Gress::ingress, "udp")
                   .select_masked(p.header_field(&Udp::dst_port), {{8192, 0xffc0, "nowhere"}});
             }),
             Contains("'udp'") && Contains("'nowhere'"));
}

TEST_CASE("the ways that masked cases open count for the depth that a parser looks") {
  SwitchResources resources;
  resources.ingress_parse_bytes = 8 + 20 - 1;
  CHECK_THAT(refusal(
                 [](Program& p) {
                   p.parser_state<Udp>(Gress::ingress, "udp")
                       .select_masked(p.header_field(&Udp::dst_port), {{8192, 0xffc0, "inner"}});
                   p.parser_state<Ipv4>(Gress::ingress, "inner");
                 },
                 resources),
             Contains("looks 28 bytes deep"));
}

}  // namespace refusal_test
