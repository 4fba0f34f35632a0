#include "sim/record/open_operations.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "sim/random/random.hpp"

namespace open_operations_test {

using namespace racksim::sim;

TEST_CASE("Open operations are kept as in an ordered map, whoever has issued them and in whatever number") {
  OpenOperations<std::uint64_t> open;
  std::map<std::uint64_t, std::uint64_t> reference;
  RandomStream random(1, "operations");
  const auto draw_id = [&] {
    // Few of a session, some that no session has issued, some of a session beyond all.
    const std::uint64_t number = 1 + random.below(3);
    if (random.chance(0.1)) return number;
    return number_of_session(random.chance(0.1) ? (std::size_t{1} << 22) + random.below(3) : random.below(40), number);
  };
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t id = draw_id();
    switch (random.below(3)) {
      case 0:
        CHECK(open[id] == reference[id]);  // 0 where it is new
        open[id] = reference[id] = random.next();
        break;
      case 1: {
        const auto* found = open.find(id);
        const auto known = reference.find(id);
        REQUIRE((found != nullptr) == (known != reference.end()));
        if (found != nullptr) CHECK(*found == known->second);
        break;
      }
      default:
        CHECK(open.erase(id) == (reference.erase(id) > 0));
    }
    REQUIRE(open.size() == reference.size());
  }
  for (const auto& [id, value] : reference) CHECK(*open.find(id) == value);
}

}  // namespace open_operations_test
