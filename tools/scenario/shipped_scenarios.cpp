// See shipped_scenarios.hpp.
#include "tools/scenario/shipped_scenarios.hpp"

#include <fmt/core.h>

#include <filesystem>

#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/composition.hpp"

namespace racksim::tools {
namespace {

std::vector<std::string> cases_of_file(const std::string& file) {
  try {
    return case_names(read_json_file(file));
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

std::string member_of_file(const std::string& file, const char* key) {
  try {
    const auto document = read_json_file(file);
    const auto* value = document.find(key);
    return value && value->string() ? *value->string() : "";
  } catch (const InputError&) {
    return "(unreadable)";
  }
}

std::vector<NamedEntry> shipped_scenarios() {
  std::vector<NamedEntry> entries;
  for (const auto& name : json_names_below(scenarios_folder())) {
    const bool other = name.starts_with("testbeds/") || name.starts_with("figures/") || name.starts_with("schema/") ||
                       name.starts_with("claims/") || name.starts_with("switch/");
    if (other || name.find("baselines/") != std::string::npos) continue;
    const auto path = "scenarios/" + name + ".json";
    const auto file = (scenarios_folder().parent_path() / path).string();
    const auto cases = cases_of_file(file);
    if (cases.empty()) entries.push_back({path, member_of_file(file, "name")});
    for (const auto& each : cases) {
      entries.push_back(
          {fmt::format("{}/{}", path, each), fmt::format("{}/{}", std::filesystem::path(file).stem().string(), each)});
    }
  }
  return entries;
}

void for_each_shipped(const Catalogue& catalogue, const std::function<void(const Scenario&)>& visit) {
  for (const auto& entry : shipped_scenarios()) {
    try {
      visit(load_scenario(entry.name, catalogue));
    } catch (const InputError&) {  // `validate` finds what is wrong with it
    }
  }
}

}  // namespace racksim::tools
