// Completion records against a reference map that forgets nothing (RIFL, SOSP '15; StarCache §3.9).
#include "protocols/store/completed_writes.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "sim/random/random.hpp"

namespace completed_writes_test {

using namespace racksim;
using namespace racksim::store;
using Verdict = CompletedWrites::Verdict;

TEST_CASE("a write is fresh until it is completed, then completed, then given up once its client is past it") {
  CompletedWrites record;
  CHECK(record.judge(5, 5) == Verdict::fresh);
  CHECK(record.judge(5, 5) == Verdict::fresh);
  record.complete(5);
  CHECK(record.judge(5, 5) == Verdict::completed);
  CHECK(record.judge(7, 6) == Verdict::fresh);
  CHECK(record.judge(5, 5) == Verdict::given_up);
  CHECK(record.is_given_up(5));
  CHECK_FALSE(record.is_given_up(6));
}

TEST_CASE("a copy of an old message does not bring back what its client is past") {
  CompletedWrites record;
  record.judge(10, 10);
  record.judge(11, 4);  // made before the other, come after it
  CHECK(record.is_given_up(9));
  CHECK(record.judge(9, 4) == Verdict::given_up);
}

TEST_CASE("an empty record gives up nothing, whatever the first number") {
  for (const std::uint32_t seq : {0u, 1u, 0x7fff'ffffu, 0x8000'0000u, 0xffff'ffffu}) {
    CompletedWrites record;
    CHECK_FALSE(record.is_given_up(seq));
    CHECK(record.judge(seq, seq) == Verdict::fresh);
  }
}

TEST_CASE("numbers wrap around without a write being taken for another") {
  CompletedWrites record;
  for (std::uint32_t n = 0; n < 64; ++n) {
    const std::uint32_t seq = 0xffff'ffe0u + n;
    const std::uint32_t oldest = seq - 3 < 0xffff'ffe0u && n < 3 ? 0xffff'ffe0u : seq - 3;
    INFO("seq " << seq);
    REQUIRE(record.judge(seq, oldest) == Verdict::fresh);
    record.complete(seq);
    REQUIRE(record.judge(seq, oldest) == Verdict::completed);
    if (n >= 4) REQUIRE(record.judge(seq - 4, oldest) == Verdict::given_up);
    REQUIRE(record.size() <= 4);
  }
}

TEST_CASE("the record agrees with a map that forgets nothing, in any order of messages and across the wrap") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::RandomStream random(seed, "completed-writes");
    CompletedWrites record;
    // The reference counts in 64 bits, so nothing of it wraps.
    constexpr std::uint64_t kBase = 0xffff'ff80u;
    std::uint64_t newest = 0, oldest_seen = 0;
    std::set<std::uint64_t> open{0}, done;
    for (int step = 0; step < 2'000; ++step) {
      if (random.chance(0.3)) open.insert(++newest);
      if (open.size() > 1 && random.chance(0.3)) open.erase(open.begin());
      const std::uint64_t n = newest - random.below(std::min<std::uint64_t>(newest + 1, 20));
      const std::uint64_t sent_oldest = random.chance(0.8) ? *open.begin() : random.below(*open.begin() + 1);
      if (sent_oldest > n) continue;  // a message is about a request that its client waits for
      oldest_seen = std::max(oldest_seen, sent_oldest);
      const auto seq = static_cast<std::uint32_t>(kBase + n);
      const Verdict expected = n < oldest_seen    ? Verdict::given_up
                               : done.contains(n) ? Verdict::completed
                                                  : Verdict::fresh;
      REQUIRE(record.judge(seq, static_cast<std::uint32_t>(kBase + sent_oldest)) == expected);
      if (expected == Verdict::fresh && random.chance(0.7)) {
        record.complete(seq);
        done.insert(n);
      }
      for (std::uint64_t m = newest > 40 ? newest - 40 : 0; m <= newest; ++m) {
        REQUIRE(record.is_given_up(static_cast<std::uint32_t>(kBase + m)) == (m < oldest_seen));
      }
    }
  }
}

TEST_CASE("the numbers that are given up are half of all, up to the one before the oldest") {
  for (const std::uint32_t oldest : {0u, 1u, 5u, 0x7fff'ffffu, 0x8000'0000u, 0x8000'0001u, 0xffff'ffffu}) {
    INFO("oldest " << oldest);
    CompletedWrites record;
    record.judge(oldest, oldest);
    const auto [first, last] = record.given_up();
    for (const std::uint32_t seq : {first, first + 1, last - 1, last}) CHECK(record.is_given_up(seq));
    for (const std::uint32_t seq : {first - 1, last + 1}) CHECK_FALSE(record.is_given_up(seq));
    CHECK(last - first == 0x7fff'ffff);
  }
}

TEST_CASE("memory follows the writes that a client has under way, also when they complete out of order") {
  CompletedWrites record;
  for (std::uint32_t base = 0; base < 1'000; base += 10) {
    for (std::uint32_t i = 10; i-- > 0;) {
      record.judge(base + i, base);
      record.complete(base + i);
    }
  }
  record.judge(1'000, 1'000);
  // complete() keeps the order of completion: what is behind a later number waits for it. It must not stay for ever.
  record.judge(1'010, 1'010);
  CHECK(record.size() == 0);
}

}  // namespace completed_writes_test
