#include "protocols/line_cache/line_entries.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "sim/random/random.hpp"

namespace line_entries_test {

using namespace racksim;

namespace {
struct Entry {
  std::uint64_t value = 0;
  std::vector<int> list{};
  void forget() {
    value = 0;
    list.clear();
  }
};
}  // namespace

TEST_CASE("Entries of lines are those of a map, and stay where they are while others come and go") {
  line_cache::LineEntries<Entry> entries;
  std::map<std::uint64_t, std::uint64_t> reference;
  std::map<std::uint64_t, const Entry*> places;
  sim::RandomStream random(1, "entries");
  for (std::uint64_t i = 1; i <= 40'000; ++i) {
    const sim::Key line{random.below(3'000) << 40};  // lines of several homes differ in upper bits
    if (random.below(2) == 0) {
      Entry& entry = entries[line];
      if (!reference.contains(line.number())) REQUIRE((entry.value == 0 && entry.list.empty()));
      REQUIRE(places.try_emplace(line.number(), &entry).first->second == &entry);
      entry.value = reference[line.number()] = i;
      entry.list.assign(3, 1);
    } else if (reference.erase(line.number()) > 0) {
      entries.erase(line);
      places.erase(line.number());
    }
    const Entry* found = entries.find(line);
    const auto expected = reference.find(line.number());
    REQUIRE((found == nullptr) == (expected == reference.end()));
    if (found != nullptr) REQUIRE(found->value == expected->second);
    REQUIRE(entries.size() == reference.size());
  }
  std::map<std::uint64_t, std::uint64_t> visited;
  entries.for_each([&](sim::Key line, const Entry& entry) { CHECK(visited.emplace(line, entry.value).second); });
  CHECK(visited == reference);
  entries.clear();
  CHECK(entries.size() == 0);
  CHECK(entries.find(sim::Key{0u}) == nullptr);
}

TEST_CASE("An erased entry's memory serves the next line") {
  line_cache::LineEntries<Entry> entries;
  entries[sim::Key{7u}].list.reserve(100);
  entries.erase(sim::Key{7u});
  CHECK(entries[sim::Key{8u}].list.capacity() == 100);
}

}  // namespace line_entries_test
