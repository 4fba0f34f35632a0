// The search for a knee against systems whose loss is known in closed form.
#include "tools/knee/knee_search.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

namespace knee_search_test {

using namespace racksim::tools;

namespace {

/// Servers that answer so many requests a second each, of which each gets a share: what comes beyond is lost.
struct Servers {
  std::vector<double> shares;
  double capacity;

  Probe at(std::uint64_t load) const {
    double lost = 0;
    for (const double share : shares) lost += std::max(0.0, static_cast<double>(load) * share - capacity);
    return {lost / static_cast<double>(load), (static_cast<double>(load) - lost) / 1e6};
  }
};

Probes probes_of(const Servers& servers, unsigned* runs = nullptr) {
  return Probes([servers, runs](std::uint64_t load) {
    if (runs) ++*runs;
    return servers.at(load);
  });
}

}  // namespace

TEST_CASE("the knee of one server is its capacity over the share that is answered") {
  // loss = 1 - C / R, so that R = C / (1 - loss).
  for (const double loss : {0.0, 0.02, 0.19, 0.5}) {
    for (const double tolerance : {0.1, 0.01, 1e-4}) {
      CAPTURE(loss, tolerance);
      Probes probes = probes_of({{1.0}, 100'000});
      const Knee knee = find_knee(probes, {1'000, 10'000'000, tolerance}, loss);
      const double expected = 100'000 / (1 - loss);
      REQUIRE(knee.found());
      CHECK(static_cast<double>(*knee.passes) <= expected);
      CHECK(static_cast<double>(*knee.fails) > expected);
      CHECK(static_cast<double>(*knee.fails) <= static_cast<double>(*knee.passes) * (1 + tolerance));
      CHECK(knee.monotonic);
    }
  }
}

TEST_CASE("the knee of uneven servers lies where the hot ones lose as much as is allowed") {
  // Above 250,000 the first loses R/2 - C; at 500,000 the second begins to lose too.
  const Servers servers{{0.5, 0.25, 0.25}, 125'000};
  Probes probes = probes_of(servers);
  const KneeBounds bounds{10'000, 10'000'000, 1e-5};
  // R/2 - C = 0.1 R  =>  R = C / 0.4;  all of them: R - 3 C = 0.4 R  =>  R = 3 C / 0.6.
  CHECK(static_cast<double>(find_knee(probes, bounds, 0.1).passes.value()) == Approx(312'500).epsilon(2e-5));
  CHECK(static_cast<double>(find_knee(probes, bounds, 0.4).passes.value()) == Approx(625'000).epsilon(2e-5));
}

TEST_CASE("a load that is exactly at the criterion meets it") {
  Probes probes = probes_of({{1.0}, 500});
  const Knee knee = find_knee(probes, {1, 1'000'000, 1e-9}, 0.5);
  CHECK(knee.passes == 1000);
  CHECK(knee.fails == 1001);
}

TEST_CASE("the search halves the bracket: its runs grow with the logarithm of the bounds' ratio over the tolerance") {
  unsigned runs = 0;
  Probes probes = probes_of({{1.0}, 100'000}, &runs);
  const KneeBounds bounds{1'000, 16'000'000, 0.01};
  find_knee(probes, bounds, 0.02);
  // log2(ln 16000 / ln 1.01) = 9.93; neither bound had to be run.
  CHECK(runs == 10);
  CHECK(loads_to_try(bounds) == 10);
  CHECK(loads_to_try({1'000, 1'005, 0.01}) == 0);
}

TEST_CASE("probes serve several criteria, and no load is run twice") {
  unsigned alone = 0, runs = 0;
  Probes other = probes_of({{1.0}, 100'000}, &alone);
  const KneeBounds bounds{1'000, 16'000'000, 0.01};
  const Knee expected = find_knee(other, bounds, 0.19);
  Probes probes = probes_of({{1.0}, 100'000}, &runs);
  find_knee(probes, bounds, 0.02);
  const unsigned first = runs;
  find_knee(probes, bounds, 0.02);
  CHECK(runs == first);
  const Knee knee = find_knee(probes, bounds, 0.19);
  CHECK(runs - first < alone);
  CHECK(runs == probes.all().size());
  CHECK(static_cast<double>(*knee.passes) == Approx(static_cast<double>(*expected.passes)).epsilon(0.01));
}

TEST_CASE("bounds that do not hold the knee say which side is missing") {
  Probes low = probes_of({{1.0}, 100});
  const Knee none = find_knee(low, {1'000, 2'000, 0.01}, 0.02);
  CHECK_FALSE(none.passes);
  CHECK(none.fails == 1'000);
  CHECK_FALSE(none.found());
  Probes high = probes_of({{1.0}, 1'000'000});
  const Knee all = find_knee(high, {1'000, 2'000, 0.01}, 0.02);
  CHECK(all.passes == 2'000);
  CHECK_FALSE(all.fails);
  CHECK_FALSE(all.found());
}

TEST_CASE("where loss falls again the knee lies below the lowest load that lost too much") {
  // Loses half from 1,000 to 3,000 and nothing elsewhere below 100,000.
  const auto loss_at = [](std::uint64_t load) { return (load > 1'000 && load < 3'000) || load > 100'000 ? 0.5 : 0.0; };
  Probes probes([&](std::uint64_t load) { return Probe{loss_at(load), 0}; });
  probes.at(2'000);
  probes.at(50'000);
  const Knee knee = find_knee(probes, {100, 1'000'000, 0.01}, 0.1);
  CHECK(knee.passes.value() <= 1'000);
  CHECK(knee.passes.value() >= 990);
  CHECK_FALSE(knee.monotonic);
}

TEST_CASE("bounds that are none are a mistake of the program") {
  Probes probes = probes_of({{1.0}, 100});
  CHECK_THROWS_AS(find_knee(probes, {0, 10, 0.1}, 0.1), std::logic_error);
  CHECK_THROWS_AS(find_knee(probes, {10, 10, 0.1}, 0.1), std::logic_error);
  CHECK_THROWS_AS(find_knee(probes, {1, 10, 0}, 0.1), std::logic_error);
}

}  // namespace knee_search_test
