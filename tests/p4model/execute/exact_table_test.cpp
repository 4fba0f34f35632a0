#include "p4model/execute/exact_table.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <vector>

#include "sim/random/random.hpp"

namespace exact_table_test {

using namespace racksim;
using namespace racksim::p4;

namespace {

using Data = std::vector<std::uint64_t>;

/// A table beside what it ought to hold.
struct Both {
  explicit Both(const std::vector<unsigned>& bits) : table("t", bits, 600, 2) {}

  ExactTable::Key key(std::uint64_t value) const {
    // The upper word of a wide key has bits too.
    return table.parts().size() == 1 ? table.pack(Data{value}) : table.pack(Data{value * 3, value});
  }
  void change(sim::RandomStream& random) {
    const std::uint64_t value = random.below(700);
    const auto action = static_cast<std::uint32_t>(random.below(5));
    const Data data{random.below(1000), random.below(1000)};
    if (random.chance(0.2)) {
      CHECK(table.remove(key(value)) == (entries.erase(value) == 1));
    } else if (entries.contains(value)) {
      CHECK(table.modify(key(value), action, data));
      entries[value] = {action, data};
    } else if (entries.size() < 600) {
      table.add(key(value), action, data);
      entries[value] = {action, data};
    } else {
      CHECK_THROWS_WITH(table.add(key(value), action, data), "table 't' is full with 600 entries");
    }
  }
  void compare() const {
    CHECK(table.size() == entries.size());
    for (std::uint64_t value = 0; value < 700; ++value) {
      const auto found = table.find(key(value));
      const auto wanted = entries.find(value);
      REQUIRE((found != ExactTable::kMiss) == (wanted != entries.end()));
      if (found == ExactTable::kMiss) continue;
      CHECK(table.action(found) == wanted->second.first);
      CHECK(Data(table.data(found), table.data(found) + 2) == wanted->second.second);
      if (table.words() == 1) CHECK(table.find(key(value)[0]) == found);
    }
  }

  ExactTable table;
  std::map<std::uint64_t, std::pair<std::uint32_t, Data>> entries;
};

}  // namespace

TEST_CASE("a table holds what was added, changed and not removed, whatever the width of its key") {
  for (const auto& bits : {std::vector<unsigned>{12}, {48}, {64, 64}}) {
    sim::RandomStream random(1, "changes");
    Both both(bits);
    for (int i = 0; i < 5'000; ++i) both.change(random);
    both.compare();
  }
}

TEST_CASE("copies of a table hold the same until one changes, which the others do not see") {
  sim::RandomStream random(2, "changes");
  Both first({48});
  for (int i = 0; i < 500; ++i) first.change(random);
  Both second = first, third = first;
  second.compare();
  for (int i = 0; i < 500; ++i) second.change(random);
  first.compare();
  for (int i = 0; i < 500; ++i) first.change(random);
  for (const Both* both : {&first, &second, &third}) both->compare();
}

}  // namespace exact_table_test
