#include "models/host/short_queue.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <vector>

#include "sim/kernel/invariant.hpp"

namespace short_queue_test {

using racksim::models::ShortQueue;

TEST_CASE("A short queue hands out what a deque would, however pushes and pops alternate") {
  ShortQueue<std::unique_ptr<int>> queue;
  std::deque<int> reference;
  unsigned state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 1664525 + 1013904223;
    // It fills up in the first half of each thousand and empties in the second.
    const unsigned pushes_of_8 = i % 1000 < 500 ? 6 : 2;
    if (state >> 29 < pushes_of_8) {
      queue.push(std::make_unique<int>(i));
      reference.push_back(i);
    } else if (!reference.empty()) {
      REQUIRE(*queue.front() == reference.front());
      REQUIRE(*queue.pop() == reference.front());
      reference.pop_front();
    }
    if (!reference.empty()) {
      const std::size_t place = state % reference.size();
      REQUIRE(*queue[place] == reference[place]);
    }
    REQUIRE(queue.size() == reference.size());
    REQUIRE(queue.empty() == reference.empty());
  }
  std::vector<int> left;
  for (const auto& item : queue) left.push_back(*item);
  CHECK(left == std::vector<int>(reference.begin(), reference.end()));
  queue.clear();
  CHECK(queue.empty());
}

TEST_CASE("Looking at the front of an empty short queue, and taking from it, break an invariant") {
  const racksim::sim::InvariantChecks on(true);
  ShortQueue<int> queue;
  queue.push(1);
  queue.push(2);
  CHECK(queue.back() == 2);
  CHECK(queue.pop() == 1);
  CHECK(queue.pop() == 2);
  CHECK_THROWS_AS(queue.front(), racksim::sim::BrokenInvariant);
  CHECK_THROWS_AS(queue.pop(), racksim::sim::BrokenInvariant);
}

}  // namespace short_queue_test
