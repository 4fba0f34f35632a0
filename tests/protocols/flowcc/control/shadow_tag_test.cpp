// SHADOW-TAG against an obvious reference: a map, and a pass over all of it for every question.
#include "protocols/flowcc/control/shadow_tag.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "protocols/flowcc/rules/hotness.hpp"
#include "sim/random/random.hpp"

namespace shadow_tag_test {

using namespace racksim;
using namespace racksim::flowcc;

namespace {

constexpr std::uint64_t kSets = 4, kWays = 3;

std::uint64_t set_of(Tag tag) {
  return tag % kSets;
}

/// Heats are halved one by one at each epoch's end.
class Reference {
 public:
  void begin_epoch(std::uint64_t epoch, std::uint64_t halvings) {
    for (; epoch_ < epoch; ++epoch_) {
      for (auto& [tag, heat] : heats_) heat >>= halvings;
    }
  }
  void heat(Tag tag, std::uint64_t count) {
    if (heats_.count(tag) == 0 && size_of(set_of(tag)) == kWays) heats_.erase(*coldest(set_of(tag)));
    heats_[tag] += count;
  }
  std::uint64_t size_of(std::uint64_t set) const {
    return static_cast<std::uint64_t>(
        std::count_if(heats_.begin(), heats_.end(), [&](const auto& one) { return set_of(one.first) == set; }));
  }
  std::optional<Tag> coldest(std::optional<std::uint64_t> set) const {
    std::optional<Tag> coldest;
    for (const auto& [tag, heat] : heats_) {
      if (set && set_of(tag) != *set) continue;
      if (!coldest || heat < heats_.at(*coldest)) coldest = tag;
    }
    return coldest;
  }
  std::map<Tag, std::uint64_t> heats_;

 private:
  std::uint64_t epoch_ = 0;
};

}  // namespace

TEST_CASE("SHADOW-TAG answers 20,000 questions as a map does, whose heats are halved one by one") {
  for (const std::uint64_t halvings : {0, 1, 3}) {
    ShadowTag shadow(kWays, kSets, halvings);
    Reference reference;
    sim::RandomStream random(7 + halvings, "shadow");
    std::uint64_t epoch = 0;
    for (int step = 0; step < 20'000; ++step) {
      const Tag tag{random.below(40)};
      switch (random.below(8)) {
        case 0:
          reference.begin_epoch(++epoch, halvings);
          break;
        case 1:
        case 2: {
          // Several may be equally cold: any of them is a right answer.
          const std::uint64_t set = random.below(kSets);
          const auto expected = reference.coldest(set);
          const auto taken = shadow.take_coldest_of(set, epoch);
          REQUIRE(taken.has_value() == expected.has_value());
          if (!taken) break;
          REQUIRE(set_of(*taken) == set);
          REQUIRE(reference.heats_.at(*taken) == reference.heats_.at(*expected));
          reference.heats_.erase(*taken);
          break;
        }
        case 3:
          for (const Tag cold : shadow.take_coldest(random.below(3), epoch)) {
            REQUIRE(cold == *reference.coldest(std::nullopt));
            reference.heats_.erase(cold);
          }
          break;
        default: {
          // Not where one of several equally cold ones would have to make room.
          if (reference.heats_.count(tag) == 0 && reference.size_of(set_of(tag)) == kWays) break;
          const auto count = static_cast<std::uint32_t>(random.below(1000));
          shadow.heat(tag, set_of(tag), count, epoch);
          reference.heat(tag, count);
          break;
        }
      }
      REQUIRE(shadow.used() == reference.heats_.size());
      for (std::uint64_t number = 0; number < 40; ++number) {
        REQUIRE(shadow.has(Tag{number}, number % kSets) == (reference.heats_.count(Tag{number}) != 0));
      }
    }
  }
}

TEST_CASE("a block that is noted where all places are taken drives out the coldest",
          "[claim:concordia-inv-add-collision]") {
  ShadowTag shadow(2, 1, 1);
  const Tag first = 1, second = 2, third = 3;
  shadow.heat(first, 0, 5, 0);
  shadow.heat(second, 0, 3, 0);
  shadow.note(third, 0, 0);
  CHECK(shadow.has(first, 0));
  CHECK_FALSE(shadow.has(second, 0));
  CHECK(shadow.has(third, 0));
  CHECK(shadow.used() == 2);
}

TEST_CASE("the hottest blocks come in order of their counts, equal ones in that of their tags") {
  Hotness hotness(true);
  for (const Heat& heat : std::vector<Heat>{{Tag{4}, 2}, {Tag{1}, 7}, {Tag{3}, 2}, {Tag{4}, 1}, {Tag{9}, 3}}) {
    hotness.add(heat.tag, heat.count);
  }
  std::vector<std::uint64_t> tags;
  for (const Heat& heat : hotness.hottest(3)) tags.push_back(heat.tag);
  CHECK(tags == std::vector<std::uint64_t>{1, 4, 9});
  CHECK(hotness.hottest(100).size() == 4);
  hotness.clear();
  CHECK(hotness.hottest(100).empty());
}

}  // namespace shadow_tag_test
