// What a gateway can decide, on both sides of each limit (docs/hardware.md 6.2). Which conditions the vendor's compiler
// takes is from p4c's gateway.cpp and published trials of it: equality of 32 bits, order with a power of two at any
// width, order with another constant up to 12 bits; no order of two fields.
#include "p4model/fit/gateway.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "p4model/fit/dependency_graph.hpp"
#include "p4model/fit/placement.hpp"
#include "p4model/language/headers.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace gateway_test {

using namespace racksim::p4;
using Catch::Contains;
using Make = std::function<Condition(Program&)>;

namespace {

/// Gateways that a condition takes; what is said of it if it is refused.
struct Verdict {
  std::optional<std::uint64_t> gateways;
  std::string refusal;
};

Verdict gateways(const Make& make, bool splits = false) {
  Program p("p");
  auto& decision = p.ingress().if_(make(p));
  if (splits) decision.split();
  decision.then([&](Block& b) { b.apply(p.action("yes").set(p.intrinsics().drop, 1)); });
  try {
    const Placement placement(p, {});
    return {placement.usage(0)[static_cast<std::size_t>(StageResource::gateways)], ""};
  } catch (const DoesNotFit& refusal) {
    return {std::nullopt, refusal.what()};
  }
}

bool fits(const Make& make) {
  return gateways(make).gateways == 1;
}

/// A condition on a field of so many bits.
Make on(unsigned bits, std::function<Condition(FieldRef)> condition) {
  return [=](Program& p) { return condition(p.field("x", bits)); };
}

/// `count` fields of `bits` bits that all equal 1.
Make all_are_one(unsigned count, unsigned bits) {
  return [=](Program& p) {
    Condition all = p.field("x0", bits) == 1;
    for (unsigned i = 1; i < count; ++i) all = all && p.field("x" + std::to_string(i), bits) == 1;
    return all;
  };
}

}  // namespace

TEST_CASE("a gateway sees four bytes and twelve bits beside them") {
  CHECK(fits(on(32, [](FieldRef x) { return x == 7; })));
  CHECK(fits(on(44, [](FieldRef x) { return x == 7; })));
  CHECK_FALSE(fits(on(45, [](FieldRef x) { return x == 7; })));
  CHECK(fits(all_are_one(16, 1)));
  CHECK_FALSE(fits(all_are_one(17, 1)));
  CHECK(fits(all_are_one(5, 8)));
  CHECK_FALSE(fits(all_are_one(6, 8)));
  const auto verdict = gateways(on(64, [](FieldRef x) { return x != 0; }));
  CHECK_THAT(verdict.refusal,
             Contains("gateway 'if (x != 0)'") &&
                 Contains("condition too complex, limit of 4 bytes + 12 bits of PHV input exceeded: it sees 4 bytes + "
                          "32 bits") &&
                 Contains("split()"));
  const auto wide = gateways(all_are_one(5, 32));
  CHECK_THAT(wide.refusal, Contains("condition too complex") && Contains("x4 == 1"));
}

TEST_CASE("two fields are compared for equality in the bytes alone") {
  const auto equality = [](unsigned bits) -> Make {
    return [=](Program& p) { return p.field("x", bits) == p.field("y", bits); };
  };
  CHECK(fits(equality(32)));
  CHECK_FALSE(fits(equality(33)));
  const Make macs = [](Program& p) { return p.header_field(&Ethernet::src) == p.header_field(&Ethernet::dst); };
  CHECK_FALSE(fits(macs));
  CHECK(gateways(macs, true).gateways == 2);
  // A field that is compared with a constant too is seen twice.
  const auto twice = [](unsigned bits) -> Make {
    return [=](Program& p) {
      const auto x = p.field("x", bits);
      return x != 0 && x == p.field("y", bits);
    };
  };
  CHECK(fits(twice(16)));
  CHECK_FALSE(fits(twice(32)));
}

TEST_CASE("two fields are not compared in order") {
  for (const auto order : {Comparison::less, Comparison::less_equal, Comparison::greater, Comparison::greater_equal}) {
    const auto verdict =
        gateways([=](Program& p) { return Condition(p.header_field(&Ipv4::src), order, p.header_field(&Ipv4::dst)); });
    CHECK_THAT(verdict.refusal, Contains("one operand of an order must be constant") && Contains("ipv4.src") &&
                                    Contains("ipv4.dst") && Contains("difference"));
  }
}

TEST_CASE("order with a power of two takes a row of any width, with another constant twelve bits") {
  CHECK(fits(on(32, [](FieldRef x) { return x < 1 << 20; })));
  CHECK(fits(on(32, [](FieldRef x) { return x >= 1 << 20; })));
  CHECK(fits(on(32, [](FieldRef x) { return x > (1 << 20) - 1; })));
  CHECK(fits(on(44, [](FieldRef x) { return x < 1; })));
  CHECK_FALSE(fits(on(45, [](FieldRef x) { return x < 1; })));
  CHECK(fits(on(12, [](FieldRef x) { return x < 0xabd; })));
  CHECK_FALSE(fits(on(13, [](FieldRef x) { return x < 0xabd; })));
  CHECK_FALSE(fits(on(32, [](FieldRef x) { return x > 2; })));
  CHECK(fits(on(13, [](FieldRef x) { return x < 2 * 0xabd; })));  // the last bit decides nothing
  // Two fields of six bits take the twelve, two of seven do not.
  const auto both = [](unsigned bits) -> Make {
    return [=](Program& p) { return p.field("x", bits) < 0x15 && p.field("y", bits) < 3; };
  };
  CHECK(fits(both(6)));
  CHECK_FALSE(fits(both(7)));
}

TEST_CASE("a gateway has four rows") {
  // No two of these differ in one bit.
  static constexpr int kValues[] = {0x11, 0x22, 0x44, 0x88, 0xff};
  const auto any_of = [](int count) {
    return on(8, [=](FieldRef x) {
      Condition any = x == kValues[0];
      for (int i = 1; i < count; ++i) any = any || x == kValues[i];
      return any;
    });
  };
  CHECK(fits(any_of(4)));
  const auto five = gateways(any_of(5));
  CHECK_THAT(five.refusal, Contains("condition too complex, 5 rows needed, 4 available") && Contains("x == 255"));
  CHECK(gateways(any_of(5), true).gateways == 2);
  CHECK(gateways(any_of(4), true).gateways == 1);
  // What differs in one bit is one row; what an earlier row has decided is none.
  CHECK(fits(on(8, [](FieldRef x) {
    return (x == 0 || x == 1 || x == 2 || x == 3 || x == 16 || x == 17) || (x == 32 || x == 33) || x < 4;
  })));
  // A row that says no stands before those that say yes: (a && x != 0) || (b && x != 0) takes three.
  CHECK(fits([](Program& p) {
    const auto x = p.field("x", 16);
    const auto one = [&](const char* name) { return p.field(name, 1) == 1; };
    return (one("a") && x != 0) || (one("b") && x != 0) || (one("c") && x != 0);
  }));
}

TEST_CASE("gateways that a condition is split over count against the stage's sixteen") {
  const auto place = [](unsigned count) {
    Program p("p");
    const auto x = p.field("x", 64);
    auto& act = p.action("act").set(p.intrinsics().drop, 1);
    for (unsigned i = 0; i < count; ++i) {
      p.ingress().if_(x == i).split();  // two each: five bytes, and the other three
    }
    p.ingress().apply(act);
    return Placement(p, {}).usage(0)[static_cast<std::size_t>(StageResource::gateways)];
  };
  CHECK(place(8) == 16);
  CHECK(place(9) == 16);  // the ninth goes to the next stage
}

// The reference is the condition itself, on all values of its fields.
namespace {

bool holds(const Condition::Node& node, const std::vector<std::uint64_t>& values) {
  using Operator = Condition::Node::Operator;
  switch (node.op) {
    case Operator::conjunction:
      return holds(*node.first, values) && holds(*node.second, values);
    case Operator::disjunction:
      return holds(*node.first, values) || holds(*node.second, values);
    case Operator::negation:
      return !holds(*node.first, values);
    case Operator::compare:
      break;
  }
  const bool field = node.right.source == Operand::Source::field;
  return compare(values[node.left.id], node.comparison, field ? values[node.right.field().id] : node.right.value);
}

bool decides(const GatewayRows& list, const std::vector<std::uint64_t>& values) {
  for (const auto& row : list.rows) {
    bool all = true;
    for (const auto& match : row.cube) {
      const auto other = match.seen.other == GatewayMatch::kNone ? 0 : values[match.seen.other];
      const auto seen = values[match.seen.field] ^ other;
      unsigned bits = 0;  // of a set
      while ((match.mask >> bits >> 1) != 0 && (std::uint64_t{1} << (1U << bits)) - 1 != match.mask) ++bits;
      const auto in_set = (seen >> match.seen.from) & ((std::uint64_t{1} << bits) - 1);
      all = all && (match.seen.by_set ? ((match.value >> in_set) & 1) == 1 : (seen & match.mask) == match.value);
    }
    if (all) return row.outcome;
  }
  return list.otherwise;
}

Condition random_condition(testing::RandomNumbers& random, const std::vector<FieldRef>& fields, unsigned depth) {
  const auto below = [&](std::uint64_t n) { return random.below(n); };
  if (depth == 0 || below(4) == 0) {
    const auto x = fields[below(fields.size())];
    const auto comparison = static_cast<Comparison>(below(6));
    const bool equality = comparison == Comparison::equal || comparison == Comparison::not_equal;
    if (equality && below(3) == 0) return {x, comparison, fields[below(fields.size())]};
    return {x, comparison, below(34)};
  }
  const Condition a = random_condition(random, fields, depth - 1);
  if (below(5) == 0) return !a;
  const Condition b = random_condition(random, fields, depth - 1);
  return below(2) == 0 ? a && b : a || b;
}

}  // namespace

TEST_CASE("the rows of a condition decide as it does") {
  testing::RandomNumbers random(7);
  std::size_t shorter = 0;
  for (unsigned round = 0; round < 400; ++round) {
    Program p("p");
    const std::vector<FieldRef> fields{p.field("x", 5), p.field("y", 5), p.field("z", 1)};
    const Condition condition = random_condition(random, fields, 3);
    const GatewayRows rows = gateway_rows(p, condition);
    shorter += rows.rows.size() <= 4;
    std::vector<std::uint64_t> values(p.fields().size());
    bool same = true;
    for (std::uint64_t all = 0; all < 1 << 11; ++all) {
      values[fields[0].id] = all & 31;
      values[fields[1].id] = (all >> 5) & 31;
      values[fields[2].id] = all >> 10;
      same = same && decides(rows, values) == holds(condition.root(), values);
    }
    CAPTURE(round);
    REQUIRE(same);
  }
  CHECK(shorter > 200);
}

}  // namespace gateway_test
