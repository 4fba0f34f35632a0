// The cache against a list: what it finds, and whom it offers for eviction.
#include "protocols/line_cache/line_cache.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <set>
#include <utility>
#include <vector>

#include "sim/random/random.hpp"

namespace line_cache_test {

using namespace racksim;

namespace {

struct Frame : line_cache::CacheLinks {
  static bool holds_nothing() { return true; }
  static void forget() {}
};
using Cache = line_cache::LineCache<Frame>;

}  // namespace

TEST_CASE("A cache finds what it has and offers the least recently used first") {
  sim::RandomStream random(1, "cache");
  constexpr std::uint32_t kFrames = 100;
  Cache cache(kFrames, 1);
  std::list<std::uint64_t> lines;  // the most recently used first
  for (int i = 0; i < 20'000; ++i) {
    const sim::Key line{random.below(300) << 13};
    const auto known = std::find(lines.begin(), lines.end(), line.number());
    Frame* frame = cache.find(line);
    REQUIRE((frame != nullptr) == (known != lines.end()));
    if (frame != nullptr && random.chance(0.2)) {
      cache.release(*frame);
      lines.erase(known);
    } else if (frame != nullptr) {
      CHECK(frame->line == line);
      cache.touch(*frame);
      lines.splice(lines.begin(), lines, known);
    } else if (Frame* taken = cache.take(line)) {
      CHECK(taken->line == line);
      lines.push_front(line.number());
    } else {
      REQUIRE(lines.size() == kFrames);
      cache.offer_victims(1, [&](Frame& victim) {
        CHECK(victim.line == lines.back());
        lines.pop_back();
        cache.release(victim);
        return true;
      });
    }
    REQUIRE(cache.free_frames() == kFrames - lines.size());
  }
}

TEST_CASE("The oldest frame that suits is found behind older ones that do not, in the lists after it too") {
  Cache cache(64, 4);
  std::vector<std::uint64_t> in_order;  // of one list after the other, from the third on
  for (std::uint64_t i = 0; i < 64; ++i) REQUIRE(cache.take(sim::Key{i}) != nullptr);
  std::set<std::uint64_t> left;
  for (std::uint64_t i = 0; i < 64; ++i) left.insert(i);
  const auto suits = [&](const Frame& frame) { return left.contains(frame.line.number()); };
  while (const Frame* found = cache.find_oldest(2, suits)) {
    in_order.push_back(found->line.number());
    left.erase(in_order.back());
  }
  CHECK(left.empty());
  CHECK(in_order.size() == 64);
  // Untouched, a list is in the order in which its lines came: it begins anew where a next list does.
  CHECK(std::count_if(in_order.begin() + 1, in_order.end(), [before = in_order.front()](std::uint64_t line) mutable {
          return line < std::exchange(before, line);
        }) == 3);
}

TEST_CASE("Shards are asked for victims in turn, and each frame is offered once") {
  Cache cache(64, 4);
  for (std::uint64_t i = 0; i < 64; ++i) REQUIRE(cache.take(sim::Key{i}) != nullptr);
  std::vector<std::uint64_t> offered;
  cache.offer_victims(64, [&](const Frame& frame) {
    offered.push_back(frame.line.number());
    return false;
  });
  std::sort(offered.begin(), offered.end());
  REQUIRE(offered.size() == 64);
  for (std::uint64_t i = 0; i < 64; ++i) CHECK(offered[i] == i);
}

}  // namespace line_cache_test
