// Reading a figure's seeds and placements. See figure_repeats.hpp.
#include "tools/figure/figure_repeats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace racksim::tools {
namespace {

std::vector<std::uint64_t> first_seeds(std::uint64_t number) {
  std::vector<std::uint64_t> seeds(number);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  return seeds;
}

std::vector<std::uint64_t> read_list(const JsonValue& list, const JsonLocation& place, const std::string& expected) {
  std::vector<std::uint64_t> values;
  const auto* elements = list.elements();
  if (!elements || elements->empty()) place.refuse(list.description(), expected);
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const JsonValue& element = (*elements)[i];
    const auto seed = element.natural();
    if (!seed) place.element(i).refuse(element.description(), "a seed, a whole number");
    if (std::count(values.begin(), values.end(), *seed) > 0) {
      place.element(i).refuse(element.description() + " again", "another seed for each run");
    }
    values.push_back(*seed);
  }
  return values;
}

}  // namespace

std::string Repeats::text() const {
  return values.empty() ? "" : fmt::format("{} {}{}", values.size(), word, values.size() == 1 ? "" : "s");
}

Repeats read_repeats(const JsonValue& document, const JsonLocation& root, bool quick, std::uint64_t instead) {
  const auto* seeds = document.find("seeds");
  const auto* placements = document.find("placements");
  if (seeds && placements) root.member("placements").refuse("seeds beside it", "one of the two");
  Repeats repeats;
  if (placements) {
    repeats = {"placement", "workload.placement_seed",
               read_list(*placements, root.member("placements"), "an array of seeds")};
  } else if (seeds) {
    repeats = {"seed", "seed", {}};
    const JsonLocation at = root.member("seeds");
    const std::string expected = fmt::format("an array of seeds, or how many from 1 on, at most {}", kMostSeeds);
    if (const auto number = seeds->natural()) {
      if (*number < 1 || *number > kMostSeeds) at.refuse(seeds->description(), expected);
      repeats.values = first_seeds(*number);
    } else {
      repeats.values = read_list(*seeds, at, expected);
    }
  }
  if (instead > 0) {
    if (repeats.values.empty()) repeats = {"seed", "seed", {}};
    repeats.values = first_seeds(instead);
  } else if (quick && !repeats.values.empty()) {
    repeats.values.resize(1);
  }
  return repeats;
}

}  // namespace racksim::tools
