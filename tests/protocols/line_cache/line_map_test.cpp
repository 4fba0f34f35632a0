#include "protocols/line_cache/line_map.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <vector>

#include "sim/random/random.hpp"

namespace line_map_test {

using namespace racksim;
using racksim::line_cache::LineMap;

TEST_CASE("A map of lines holds what an ordered map does, in its order") {
  LineMap<std::uint64_t> lines;
  std::map<std::uint64_t, std::uint64_t> reference;
  sim::RandomStream random(1, "lines");
  for (int i = 0; i < 20'000; ++i) {
    const sim::Key line{random.below(50)};
    if (random.below(2) == 0) {
      lines[line] = static_cast<std::uint64_t>(i);
      reference[line.number()] = static_cast<std::uint64_t>(i);
    } else if (const auto found = lines.find(line); found != lines.end()) {
      lines.erase(found);
      REQUIRE(reference.erase(line.number()) == 1);
    }
    REQUIRE(lines.contains(line) == reference.contains(line.number()));
    REQUIRE(lines.empty() == reference.empty());
  }
  CHECK(std::equal(lines.begin(), lines.end(), reference.begin(), reference.end()));
  lines.clear();
  CHECK(lines.empty());
}

TEST_CASE("What a map of lines has erased serves another line, as it was left") {
  LineMap<std::unique_ptr<int>> lines;
  lines[sim::Key(7)] = std::make_unique<int>(42);
  const int* const left = lines[sim::Key(7)].get();
  lines.erase(lines.find(sim::Key(7)));
  CHECK_FALSE(lines.contains(sim::Key(7)));
  CHECK(lines[sim::Key(3)].get() == left);
  CHECK(lines[sim::Key(5)] == nullptr);
}

}  // namespace line_map_test
