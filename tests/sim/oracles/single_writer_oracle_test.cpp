// While a node may write a block, no other node may read or write it.
#include "sim/oracles/single_writer_oracle.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>

#include "sim/random/random.hpp"

namespace single_writer_oracle_test {

using namespace racksim::sim;

namespace {

/// An oracle at an event log of its own, and permissions in one word.
struct Watched {
  EventLog event_log;
  Source protocol = event_log.add_source("protocol");
  SingleWriterOracle oracle;
  Time now;

  Watched() { event_log.attach(oracle); }

  void set(std::uint64_t key, std::uint64_t node, Permission permission) {
    now += 1_ns;
    record_permission(event_log, protocol, now, 0, Key{key}, node, permission);
  }
  std::uint64_t violations() const { return oracle.violation_count(); }
};

constexpr auto kNone = Permission::none;
constexpr auto kRead = Permission::read;
constexpr auto kWrite = Permission::write;

}  // namespace

TEST_CASE("many readers, or one writer after the readers left, are fine") {
  Watched w;
  for (std::uint64_t node = 0; node < 64; ++node) w.set(7, node, kRead);
  for (std::uint64_t node = 0; node < 63; ++node) w.set(7, node, kNone);
  w.set(7, 63, kWrite);  // the last reader upgrades
  w.set(7, 63, kRead);   // and downgrades
  w.set(7, 0, kRead);
  w.set(7, 0, kNone);
  w.set(7, 63, kNone);
  w.set(7, 0, kWrite);
  w.set(7, 0, kWrite);  // told again
  w.set(8, 1, kWrite);  // another block
  CHECK(w.violations() == 0);
}

TEST_CASE("of a thousand nodes, too, one writes or many read") {
  Watched w;
  for (std::uint64_t node = 0; node < 1024; ++node) w.set(7, node, kRead);
  for (std::uint64_t node = 0; node < 1023; ++node) w.set(7, node, kNone);
  w.set(7, 1023, kWrite);
  CHECK(w.violations() == 0);
  w.set(7, 70, kRead);
  w.set(7, 70, kNone);
  w.set(7, 3, kWrite);
  w.set(7, 1023, kNone);
  w.set(7, 3, kNone);
  w.set(7, 64, kRead);
  REQUIRE(w.violations() == 2);
  CHECK_THAT(w.oracle.violations()[0].what,
             Catch::Contains("node 70 gained read permission") && Catch::Contains("while node 1023 holds write"));
  CHECK_THAT(w.oracle.violations()[1].what,
             Catch::Contains("node 3 gained write permission") && Catch::Contains("while node 1023 holds write"));
}

TEST_CASE("a second writer is a violation that names block, nodes and times") {
  Watched w;
  w.set(42, 3, kWrite);
  w.set(42, 5, kWrite);
  REQUIRE(w.violations() == 1);
  const auto& violation = w.oracle.violations()[0];
  CHECK(violation.oracle == "single-writer");
  CHECK(violation.at == Time() + 2_ns);
  CHECK(violation.what ==
        "block 0x2a: node 5 gained write permission at 2.000 ns while node 3 holds write permission since 1.000 ns");
  CHECK(violation.about.key == 42);
}

TEST_CASE("a writer besides a forgotten reader is a violation") {
  Watched w;
  w.set(42, 3, kRead);
  w.set(42, 4, kRead);
  w.set(42, 5, kRead);
  w.set(42, 3, kNone);
  w.set(42, 5, kWrite);
  REQUIRE(w.violations() == 1);
  CHECK(w.oracle.violations()[0].what ==
        "block 0x2a: node 5 gained write permission at 5.000 ns while node 4 holds read permission since 2.000 ns");
}

TEST_CASE("a reader besides a writer is a violation") {
  Watched w;
  w.set(~std::uint64_t{0}, 63, kWrite);
  w.set(~std::uint64_t{0}, 0, kRead);
  REQUIRE(w.violations() == 1);
  CHECK(w.oracle.violations()[0].what ==
        "block 0xffffffffffffffff: node 0 gained read permission at 2.000 ns while node 63 holds write permission "
        "since 1.000 ns");
}

TEST_CASE("losing a permission that was never held is fine") {
  Watched w;
  w.set(1, 2, kNone);
  w.set(1, 3, kRead);
  w.set(1, 2, kNone);
  CHECK(w.violations() == 0);
}

TEST_CASE("what warm-up granted at time 0 counts") {
  Watched w;
  record_permission(w.event_log, w.protocol, Time(), 0, 9, 1, kRead);
  record_permission(w.event_log, w.protocol, Time(), 0, 9, 2, kRead);
  CHECK(w.violations() == 0);
  w.set(9, 1, kWrite);
  CHECK(w.violations() == 1);
}

TEST_CASE("blocks that nobody holds take no memory") {
  Watched w;
  for (std::uint64_t key = 0; key < 1000; ++key) {
    w.set(key, 1, kWrite);
    w.set(key, 1, kNone);
    w.set(key, 2, kRead);
    w.set(key, 2, kNone);
  }
  CHECK(w.oracle.held_blocks() == 0);
  CHECK(w.violations() == 0);
}

TEST_CASE("a holder whose grant is long past is still found, with a bound on its time") {
  Watched w;
  w.set(7, 1, kRead);
  for (int i = 0; i < 300'000; ++i) w.set(8, 2, kRead);
  w.set(7, 3, kWrite);
  REQUIRE(w.violations() == 1);
  // 262,144 grants are remembered; the latest one was made at 300,002 ns.
  CHECK_THAT(w.oracle.violations()[0].what,
             Catch::EndsWith("while node 1 holds read permission since before 37859.000 ns"));
}

TEST_CASE("impossible nodes, permissions and times are refused with a reason") {
  Watched w;
  CHECK_THROWS_WITH(w.set(1, 1024, kRead), Catch::Contains("node 1024 is beyond the 1024 nodes"));
  CHECK_THROWS_WITH(w.set(1, 1, static_cast<Permission>(3)), Catch::Contains("3 is no permission"));
  w.set(1, 1, kRead);
  CHECK_THROWS_WITH(record_permission(w.event_log, w.protocol, Time(), 0, 1, 1, kNone),
                    Catch::Contains("at 0.000 ns was recorded after one at 3.000 ns"));
}

TEST_CASE("the oracle agrees with the definition over random permissions") {
  RandomStream random(1, "single_writer");
  Watched w;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Permission> held;
  std::uint64_t expected = 0;
  for (int i = 0; i < 200'000; ++i) {
    const auto key = random.below(16) << 60;
    const auto node = random.below(5);
    const auto permission = static_cast<Permission>(random.below(8) < 5 ? 0 : 1 + random.below(2));
    held[{key, node}] = permission;
    bool bad = false;
    for (std::uint64_t other = 0; other < 5; ++other) {
      const auto others = held.count({key, other}) != 0 ? held[{key, other}] : kNone;
      if (other == node || permission == kNone) continue;
      bad = bad || (permission == kWrite && others != kNone) || others == kWrite;
    }
    expected += bad ? 1 : 0;
    w.set(key, node, permission);
    REQUIRE(w.violations() == expected);
  }
  CHECK(expected > 1000);
  CHECK(expected < 100'000);
}

}  // namespace single_writer_oracle_test
