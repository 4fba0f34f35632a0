// See fuzz_baseline.hpp.
#include "tools/fuzz/fuzz_baseline.hpp"

#include <algorithm>
#include <filesystem>

#include "tools/experiment/baseline.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_schema.hpp"
#include "tools/scenario/binding.hpp"

namespace racksim::tools {

std::optional<FuzzBaseline> load_fuzz_baseline(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  const auto document = read_json_file(file);
  const JsonLocation root{file, ""};
  std::string schema;
  sim::Parameters own;
  own.text("$schema", schema, "");
  bind(document, root, own, {{"runs", "race_points"}, nullptr});
  FuzzBaseline baseline;
  const auto* runs = document.find("runs");
  if (!runs || !runs->natural() || *runs->natural() == 0) {
    root.member("runs").refuse(runs ? runs->description() : "nothing", "a number of runs, at least 1");
  }
  baseline.runs = *runs->natural();
  const auto* points = document.find("race_points");
  if (!points || !points->elements()) {
    root.member("race_points").refuse(points ? points->description() : "nothing", "an array of names");
  }
  for (std::size_t i = 0; i < points->elements()->size(); ++i) {
    const auto& name = (*points->elements())[i];
    if (!name.string()) root.member("race_points").element(i).refuse(name.description(), "a race point's name");
    baseline.race_points.push_back(*name.string());
  }
  return baseline;
}

JsonValue fuzz_baseline_json(const FuzzBaseline& baseline) {
  auto value = JsonValue::object();
  value.set("runs", baseline.runs);
  value.set("race_points", array_of(baseline.race_points));
  return value;
}

JsonValue fuzz_baseline_schema() {
  auto schema = empty_object_schema();
  properties_of(schema).set("runs", integer_schema(1, "Of a campaign."));
  properties_of(schema).set("race_points",
                            array_schema(type_schema("string"), 0, "Those that every campaign reaches."));
  require_members(schema, {"runs", "race_points"});
  return file_schema("racksim fuzz baseline", "What racksim fuzz --bless stored of a template's campaigns.",
                     std::move(schema));
}

FuzzBaseline common_baseline(std::uint64_t runs, const std::vector<FuzzResult>& campaigns) {
  FuzzBaseline baseline{runs, {}};
  const auto& names = campaigns.front().coverage.map().race_points;
  for (std::size_t point = 0; point < names.size(); ++point) {
    const bool robust = std::all_of(campaigns.begin(), campaigns.end(), [&](const FuzzResult& campaign) {
      return campaign.runs_reaching[point] >= kBlessedReaches;
    });
    if (robust) baseline.race_points.push_back(names[point]);
  }
  return baseline;
}

std::vector<std::string> lost_race_points(const FuzzBaseline& baseline, const FuzzResult& campaign) {
  const auto& names = campaign.coverage.map().race_points;
  std::vector<std::string> lost;
  for (const auto& wanted : baseline.race_points) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found == names.end()) {
      lost.push_back(wanted + " (not declared any more)");
    } else if (campaign.runs_reaching[static_cast<std::size_t>(found - names.begin())] == 0) {
      lost.push_back(wanted);
    }
  }
  return lost;
}

}  // namespace racksim::tools
