// Value sets of parsers: what they have decides where a state goes, and what they cost.
#include <catch2/catch.hpp>
#include <functional>

#include "p4model/execute/pipeline.hpp"
#include "p4model/language/headers.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace value_set_test {

using namespace racksim;
using namespace racksim::p4;
using Catch::Contains;

namespace {

/// IPv4 behind Ethernet types of a set of `size`; type 7 is known to the program itself, before or behind the set.
struct Parsing {
  explicit Parsing(std::uint64_t size = 4, const SwitchResources& resources = {}) {
    set = &p.value_set("TYPES", 16, size);
    p.parser_state<Ethernet>(Gress::ingress, "ethernet")
        .select(p.header_field(&Ethernet::ether_type), {{7, kReject}})
        .or_in(*set, "ipv4");
    p.parser_state<Ipv4>(Gress::ingress, "ipv4");
    const auto& in = p.intrinsics();
    p.ingress()
        .if_(p.valid<Ipv4>() == 1)
        .then([&](Block& b) { b.apply(p.action("with").set(in.ucast_egress_port, 1)); })
        .else_([&](Block& b) { b.apply(p.action("without").set(in.ucast_egress_port, 2)); });
    pipeline.emplace(program, resources);
  }
  bool parses(std::uint64_t type) {
    auto packet = pool.make();
    packet->push(Ethernet{.ether_type = type});
    packet->push(Ipv4{});
    return pipeline->run_ingress(*packet, {}).ucast_port == 1;
  }
  std::shared_ptr<Program> program = std::make_shared<Program>("parsing");
  Program& p = *program;
  const ValueSet* set;
  PacketPool pool;
  std::optional<Pipeline> pipeline;
};

std::string refusal_of(const std::function<void()>& make) {
  try {
    make();
  } catch (const ProgramError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a parser state goes by what its value set has at the time") {
  Parsing t;
  CHECK(!t.parses(0x800));
  t.pipeline->add_value(*t.set, 0x800);
  CHECK(t.parses(0x800));
  CHECK(!t.parses(0x801));
  t.pipeline->add_value(*t.set, 0x9000, 0xff00);
  CHECK(t.parses(0x90ab));
  CHECK(!t.parses(0x91ab));
  CHECK(t.pipeline->values(*t.set) == 2);
  CHECK(!t.pipeline->remove_value(*t.set, 0x9000));  // with another mask it is another
  CHECK(t.pipeline->remove_value(*t.set, 0x9000, 0xff00));
  CHECK(!t.parses(0x90ab));
  t.pipeline->add_value(*t.set, 7);
  const auto rejects = t.pipeline->counters().parser_rejects;
  t.parses(7);
  CHECK(t.pipeline->counters().parser_rejects == rejects + 1);  // the first case that matches counts
}

TEST_CASE("a value set is what a list of its values and masks says, for all values") {
  Parsing t(8);
  testing::RandomNumbers random(11);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> list;
  for (int i = 0; i < 8; ++i) {
    const auto mask = random.below(65536) | random.below(65536);
    const auto value = random.below(65536) & mask;
    t.pipeline->add_value(*t.set, value, mask);
    list.emplace_back(value, mask);
  }
  for (std::uint64_t type = 0; type < 65536; type += 3) {
    if (type == 7) continue;
    const bool has_it =
        std::any_of(list.begin(), list.end(), [&](const auto& one) { return (type & one.second) == one.first; });
    REQUIRE(t.parses(type) == has_it);
  }
}

TEST_CASE("a value set takes no more values than its size, none twice and none that is too wide") {
  Parsing t(2);
  t.pipeline->add_value(*t.set, 1);
  CHECK_THROWS_WITH(t.pipeline->add_value(*t.set, 1), Contains("'TYPES'") && Contains("already"));
  CHECK_THROWS_WITH(t.pipeline->add_value(*t.set, 0x10000), Contains("16 bits"));
  CHECK_THROWS_WITH(t.pipeline->add_value(*t.set, 3, 2), Contains("mask 0x2"));
  t.pipeline->add_value(*t.set, 2);
  CHECK_THROWS_WITH(t.pipeline->add_value(*t.set, 3), Contains("full with 2 values"));
  CHECK(t.pipeline->remove_value(*t.set, 1));
  t.pipeline->add_value(*t.set, 3);
}

TEST_CASE("a value set takes rows of the parser's TCAM for all values that it may have") {
  // Two states: a row for all else of each, one for the case, and those of the set.
  const Parsing t(253);
  CHECK(parser_rows(*t.program, Gress::ingress) == 256);
  CHECK_THAT(t.pipeline->placement().report(),
             Contains("value set 'TYPES': 253 of the 256 rows that the ingress parser takes of 256"));
  CHECK_THAT(refusal_of([] { Parsing u(254); }),
             Contains("the ingress parser takes 257 rows of TCAM, its value sets' 254 among them, 256 are available"));
  SwitchResources few;
  few.parser_rows = 6;
  CHECK_THAT(refusal_of([&] { Parsing u(4, few); }), Contains("takes 7 rows"));
}

TEST_CASE("value sets that make no sense are refused by name") {
  const auto refusal = [](const std::function<void(Program&, ParserState&)>& fill) {
    return refusal_of([&] {
      auto program = std::make_shared<Program>("p");
      auto& state = program->parser_state<Ethernet>(Gress::ingress, "ethernet");
      program->parser_state<Ipv4>(Gress::ingress, "ipv4");
      fill(*program, state);
      Pipeline pipeline(program);
    });
  };
  CHECK_THAT(refusal([](Program& p, ParserState& state) {
               state.select(p.header_field(&Ethernet::ether_type), {}).or_in(p.value_set("S", 8, 4), "ipv4");
             }),
             Contains("value set 'S'") && Contains("its values have 8 bits, 'ethernet.ether_type' has 16"));
  CHECK_THAT(refusal([](Program& p, ParserState& state) {
               state.select(p.header_field(&Ethernet::ether_type), {}).or_in(p.value_set("S", 16, 0), "ipv4");
             }),
             Contains("room for no value"));
  CHECK_THAT(refusal([](Program& p, ParserState& state) { state.or_in(p.value_set("S", 16, 4), "ipv4"); }),
             Contains("selects by no field"));
  CHECK_THAT(refusal([](Program& p, ParserState& state) {
               const auto& set = p.value_set("S", 16, 4);
               const auto type = p.header_field(&Ethernet::ether_type);
               state.select(type, {}).or_in(set, "ipv4");
               p.parser_state<Ethernet>(Gress::egress, "e").select(type, {}).or_in(set, kReject);
             }),
             Contains("a set belongs to one of them"));
}

}  // namespace value_set_test
