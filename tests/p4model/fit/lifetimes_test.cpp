// Containers of the PHV that fields have one after the other, counted by hand.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <functional>

#include "p4model/fit/placement.hpp"
#include "p4model/language/headers.hpp"

namespace lifetimes_test {

using namespace racksim::p4;
using Catch::Contains;

namespace {

/// Containers of 32 bits that a program takes, which has no other fields of this size.
std::uint64_t words(const std::function<void(Program&)>& build) {
  Program p("p");
  build(p);
  return Placement(p, {}).phv().normal[2];
}

/// Each of `count` words is made of the one before by `make`; the first of the time to live.
void chain(Program& p, unsigned count, const std::function<void(Block&, Action&, unsigned)>& make) {
  auto before = p.header_field(&Ipv4::ttl);
  for (unsigned i = 0; i < count; ++i) {
    const auto word = p.field(fmt::format("w{}", i), 32);
    make(p.ingress(), p.action(fmt::format("a{}", i)).add(word, before, 1), i);
    before = word;
  }
  p.ingress().apply(p.action("out").set(p.header_field(&Ipv4::identification), before));
}

void apply(Block& block, Action& action, unsigned) {
  block.apply(action);
}

}  // namespace

TEST_CASE("words that are each read in the next stage alone share one container") {
  CHECK(words([](Program& p) { chain(p, 11, apply); }) == 1);
}

TEST_CASE("165 words of eleven stages take the fifteen containers of one") {
  CHECK(words([](Program& p) {
          std::vector<FieldRef> before(15, p.header_field(&Ipv4::ttl));
          for (unsigned stage = 0; stage < 11; ++stage) {
            auto& action = p.action(fmt::format("a{}", stage));
            for (unsigned j = 0; j < 15; ++j) {
              const auto word = p.field(fmt::format("w{}_{}", stage, j), 32);
              action.add(word, before[j], j);
              before[j] = word;
            }
            p.ingress().apply(action);
          }
          auto& out = p.action("out").set(p.header_field(&Ipv4::identification), before[0]);
          p.ingress().apply(out);
        }) == 15);
}

TEST_CASE("a word that is read once more at the end keeps its container") {
  CHECK(words([](Program& p) {
          chain(p, 10, apply);
          const auto identification = p.header_field(&Ipv4::identification);
          p.ingress().apply(p.action("late").add(identification, identification, p.field("late", 32)));
        }) == 2);  // `late` is never written: it is 0 from the parser on
  CHECK(words([](Program& p) {
          const auto kept = p.field("kept", 32);
          p.ingress().apply(p.action("keep").set(kept, p.header_field(&Ipv4::protocol)));
          chain(p, 8, apply);
          p.ingress().if_(p.header_field(&Ipv4::identification) == 1).then([&](Block& b) {
            b.apply(p.action("use").set(p.header_field(&Ipv4::dscp), kept));
          });
        }) == 2);
}

TEST_CASE("a word keeps its container up to the stage that reads it") {
  // Stage 0 writes `kept` and `w`, stage 1 `x` and `y` of `w`, stage 2 reads the three that are left.
  CHECK(words([](Program& p) {
          const auto kept = p.field("kept", 32), w = p.field("w", 32), x = p.field("x", 32), y = p.field("y", 32);
          const auto ttl = p.header_field(&Ipv4::ttl);
          p.ingress().apply(p.action("a0").set(kept, ttl).add(w, ttl, 1));
          p.ingress().apply(p.action("a1").add(x, w, 1).add(y, w, 2));
          p.ingress().apply(p.action("a2")
                                .add(p.header_field(&Ipv4::identification), kept, x)
                                .add(p.header_field(&Ipv4::total_length), y, 1));
        }) == 3);
}

TEST_CASE("a word that some packets find unwritten is 0 there, and has its container from the beginning") {
  // The second word is written where a condition holds, and read by all.
  const auto some = [](bool all) {
    return words([all](Program& p) {
      chain(p, 4, [&](Block& block, Action& action, unsigned i) {
        if (i != 2 || all) return static_cast<void>(block.apply(action));
        block.if_(p.header_field(&Ipv4::protocol) == 17).then([&](Block& b) { b.apply(action); });
      });
    });
  };
  CHECK(some(true) == 1);
  CHECK(some(false) == 2);
}

TEST_CASE("a table whose miss does not write a word does not begin its life") {
  const auto by_table = [](bool miss_writes) {
    return words([miss_writes](Program& p) {
      chain(p, 4, [&](Block& block, Action& action, unsigned i) {
        if (i != 2) return static_cast<void>(block.apply(action));
        auto& table = p.table("table").key(p.header_field(&Ipv4::protocol)).size(4).action(action);
        if (miss_writes) table.default_action(action);
        block.apply(table);
      });
    });
  };
  CHECK(by_table(true) == 1);
  CHECK(by_table(false) == 2);
}

TEST_CASE("words of the two gresses never share, nor do those of a digest") {
  CHECK(words([](Program& p) {
          // One lives behind stage 0 of the ingress, the other behind stage 1 of the egress.
          chain(p, 1, apply);
          const auto first = p.field("first", 8), other = p.field("other", 32);
          p.egress().apply(p.action("e0").set(first, p.header_field(&Ipv4::ttl)));
          p.egress().apply(p.action("e1").set(other, first));
          p.egress().apply(p.action("e2").set(p.header_field(&Ipv4::dscp), other));
        }) == 2);
  CHECK(words([](Program& p) {
          chain(p, 3, apply);
          p.digest(1, "tell", {FieldRef{static_cast<std::uint16_t>(p.fields().size() - 1)}});
        }) == 2);
}

}  // namespace lifetimes_test
