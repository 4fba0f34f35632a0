// Checks of all kinds of files. See file_kinds.hpp.
#include "tools/kinds/file_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "p4model/execute/registry.hpp"
#include "tools/experiment/baseline.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/figure/figure.hpp"
#include "tools/figure/paper_claims.hpp"
#include "tools/files/data_files.hpp"
#include "tools/fuzz/fuzz_baseline.hpp"
#include "tools/json/input_error.hpp"
#include "tools/lone_switch/packet_file.hpp"
#include "tools/report/report.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/contradictions.hpp"
#include "tools/scenario/file_kind.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {
namespace {

/// A packet file does not say for which program it is: one must take it. Of several refusals the one of the deepest
/// place is told: its program knew most of the file.
std::string check_packets(const JsonValue& document, const std::string& file) {
  const auto depth = [&](const InputError& error) {
    return std::count(error.pointer().begin(), error.pointer().end(), '/');
  };
  std::optional<InputError> nearest;
  std::vector<std::string> programs;
  for (const auto& entry : p4::programs()) {
    try {
      read_packet_file(document, file, *entry.make(), true);
      programs.push_back(entry.name);
    } catch (const InputError& error) {
      if (!nearest || depth(error) > depth(*nearest)) nearest.emplace(error);
    }
  }
  if (programs.empty()) throw *nearest;
  constexpr std::size_t kNamed = 3;
  if (programs.size() > kNamed) return fmt::format("packet file for {} programs", programs.size());
  return fmt::format("packet file for {}", fmt::join(programs, ", "));
}

std::string with_contradictions(const std::string& kind, const std::vector<std::string>& found) {
  return found.empty() ? kind : fmt::format("{}; {}", kind, fmt::join(found, "; "));
}

/// Reads it as what it is, and says what that is.
std::string check(const JsonValue& document, const std::string& file, const std::vector<std::string>& overrides,
                  const Catalogue& catalogue) {
  auto kind = kind_of(document, catalogue);
  if (kind == "testbed" || kind == "part of a testbed") {
    const Testbed testbed = read_testbed(document, file, catalogue);
    if (is_testbed_part(document)) return "part of a testbed";
    return with_contradictions("testbed", contradictions(*testbed.rack.options));
  }
  if (kind == "figure") {
    for (const bool quick : {false, true}) read_figure(document, file, catalogue, quick);
  } else if (kind == "list of claims") {
    read_paper_claims(file, scenarios_folder());
  } else if (kind == "record of claims") {
    read_figure_record(file);
  } else if (kind == "packet file") {
    return check_packets(document, file);
  } else if (kind == "report") {
    check_report(document, file);
  } else if (kind == "baseline") {
    load_baseline(file);
  } else if (kind == "fuzz baseline") {
    load_fuzz_baseline(file);
  } else {
    const Scenario scenario = read_scenario(document, file, catalogue, overrides);
    check_experiment(scenario);
    return with_contradictions(kind, contradictions(scenario));
  }
  return kind;
}

}  // namespace

std::string check_file(const std::string& file, const std::vector<std::string>& overrides, const Catalogue& catalogue) {
  if (split_case(file).name.empty()) {
    const auto document = read_json_file(file);
    const auto cases = case_names(document);
    std::string suite = fmt::format("suite of {} cases", cases.size());
    for (const auto& name : cases) {
      const std::string found = check_file(fmt::format("{}/{}", file, name), overrides, catalogue);
      if (const auto told = found.find("; "); told != std::string::npos)
        suite += fmt::format("; {}: {}", name, found.substr(told + 2));
    }
    if (!cases.empty()) return suite;
  }
  return Composition(file).read(
      [&](const JsonValue& document, const std::string& path) { return check(document, path, overrides, catalogue); });
}

}  // namespace racksim::tools
