// Telling kinds of files apart. See file_kinds.hpp.
#include "tools/commands/file_kinds.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/figure/figure.hpp"
#include "tools/figure/paper_claims.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {
namespace {

/// A kind of file, and members by which it is known.
struct FileKind {
  const char* name;
  std::vector<std::string> members;
};

/// The groups of constants that a rack has: "nic", "switch", "link".
std::vector<std::string> rack_members(const Catalogue& catalogue) {
  sim::Parameters parameters;
  const auto options = catalogue.rack.make(parameters);
  std::vector<std::string> names;
  for (const auto& parameter : parameters.all()) {
    auto name = parameter.name.substr(0, parameter.name.find('.'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

/// The kind of which the document has most members. One that has none of any is read, and refused, as a scenario.
std::string kind_of(const JsonValue& document, const Catalogue& catalogue) {
  const FileKind kinds[] = {
      {"scenario", {"rack", "protocol", "workload", "run", "faults", "check", "observe", "expect"}},
      {"figure", {"base", "sweep", "series", "claims", "calibrated", "not_modelled"}},
      {"list of claims", {"title", "claims"}},
      {"record of claims", {"figure", "claims", "run_hashes"}},
      {"testbed", rack_members(catalogue)}};
  const auto shared = [&](const FileKind& kind) {
    return std::count_if(kind.members.begin(), kind.members.end(),
                         [&](const auto& member) { return document.find(member) != nullptr; });
  };
  return std::max_element(std::begin(kinds), std::end(kinds),
                          [&](const FileKind& a, const FileKind& b) { return shared(a) < shared(b); })
      ->name;
}

void check(const JsonValue& document, const std::string& kind, const std::string& file,
           const std::vector<std::string>& overrides, const Catalogue& catalogue) {
  if (kind == "testbed") {
    read_testbed(document, file, catalogue);
  } else if (kind == "figure") {
    for (const bool quick : {false, true}) read_figure(document, file, catalogue, quick);
  } else if (kind == "list of claims") {
    read_paper_claims(file, scenarios_folder());
  } else if (kind == "record of claims") {
    read_figure_record(file);
  } else {
    read_scenario(document, file, catalogue, overrides);
  }
}

}  // namespace

std::string check_file(const std::string& file, const std::vector<std::string>& overrides, const Catalogue& catalogue) {
  if (split_case(file).name.empty()) {
    const auto document = read_json_file(file);
    const auto cases = case_names(document);
    for (const auto& name : cases) check_file(file + "/" + name, overrides, catalogue);
    if (!cases.empty()) return fmt::format("suite of {} cases", cases.size());
  }
  return Composition(file).read([&](const JsonValue& document, const std::string& path) {
    const auto kind = kind_of(document, catalogue);
    check(document, kind, path, overrides, catalogue);
    return kind == "testbed" && is_testbed_part(document) ? "part of a testbed" : kind;
  });
}

}  // namespace racksim::tools
