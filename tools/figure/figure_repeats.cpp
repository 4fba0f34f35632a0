// Reading a figure's seeds and placements. See figure_repeats.hpp.
#include "tools/figure/figure_repeats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tools/json/json_schema.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/text/numbers.hpp"

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

std::size_t at_least_one(const std::vector<std::uint64_t>& values) {
  return std::max<std::size_t>(values.size(), 1);
}

}  // namespace

std::size_t Repeats::runs() const {
  return at_least_one(seeds) * at_least_one(placements);
}

std::size_t Repeats::count() const {
  return seeds.size() > 1 ? seeds.size() : at_least_one(placements);
}

std::vector<Repeats::Setting> Repeats::of_run(std::size_t run) const {
  std::vector<Setting> settings;
  if (!seeds.empty()) settings.push_back({"seed", "seed", seeds[run / at_least_one(placements)]});
  if (!placements.empty())
    settings.push_back({"placement", "workload.placement_seed", placements[run % placements.size()]});
  return settings;
}

std::string Repeats::text() const {
  if (seeds.empty()) return placements.empty() ? "" : counted(placements.size(), "placement");
  std::string text = counted(seeds.size(), "seed");
  if (!placements.empty()) text += " with " + counted(placements.size(), "placement");
  if (seeds.size() > 1 && !placements.empty()) text += " each";
  return text;
}

const char* Repeats::sample_word() const {
  return seeds.size() > 1 || placements.empty() ? "seed" : "placement";
}

std::string Repeats::samples_text() const {
  return counted(count(), sample_word());
}

Repeats read_repeats(const JsonValue& document, const JsonLocation& root, bool quick, std::uint64_t instead) {
  Repeats repeats;
  if (const auto* placements = document.find("placements")) {
    repeats.placements = read_list(*placements, root.member("placements"), "an array of seeds");
  }
  if (const auto* seeds = document.find("seeds")) {
    const JsonLocation at = root.member("seeds");
    const std::string expected = fmt::format("an array of seeds, or how many from 1 on, at most {}", kMostSeeds);
    if (const auto number = seeds->natural()) {
      if (*number < 1 || *number > kMostSeeds) at.refuse(seeds->description(), expected);
      repeats.seeds = first_seeds(*number);
    } else {
      repeats.seeds = read_list(*seeds, at, expected);
    }
  }
  if (quick) {
    for (auto* values : {&repeats.seeds, &repeats.placements}) values->resize(std::min<std::size_t>(values->size(), 1));
  }
  if (instead > 0) repeats.seeds = first_seeds(instead);
  return repeats;
}

JsonValue repeats_json(const Repeats& repeats) {
  JsonValue json = JsonValue::object();
  if (!repeats.seeds.empty()) json.set("seeds", array_of(repeats.seeds));
  if (!repeats.placements.empty()) json.set("placements", array_of(repeats.placements));
  return json;
}

Repeats read_repeats_json(const JsonValue& value, const JsonLocation& place) {
  bind(value, place, {}, {{"seeds", "placements"}, nullptr});
  Repeats repeats;
  for (auto [key, target] : {std::pair{"seeds", &repeats.seeds}, std::pair{"placements", &repeats.placements}}) {
    if (const auto* list = value.find(key)) *target = read_list(*list, place.member(key), "an array of seeds");
  }
  if (repeats == Repeats{}) place.refuse("neither", "\"seeds\" or \"placements\" with what each point was run with");
  return repeats;
}

JsonValue seed_list_schema(const char* description) {
  auto schema = array_schema(integer_schema(0), 1, description);
  schema.set("uniqueItems", true);
  return schema;
}

JsonValue repeats_schema() {
  auto schema =
      object_schema({{"seeds", seed_list_schema()}, {"placements", seed_list_schema()}}, {},
                    "The seeds and placements that each point was run with; none if as the scenario has them.");
  schema.set("minProperties", 1);
  return schema;
}

}  // namespace racksim::tools
