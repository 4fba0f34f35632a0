// Telling kinds of files apart. See file_kinds.hpp.
#include "tools/commands/file_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "p4model/execute/registry.hpp"
#include "tools/experiment/baseline.hpp"
#include "tools/experiment/report.hpp"
#include "tools/figure/figure.hpp"
#include "tools/figure/paper_claims.hpp"
#include "tools/files/data_files.hpp"
#include "tools/fuzz/fuzz_baseline.hpp"
#include "tools/json/input_error.hpp"
#include "tools/lone_switch/packet_file.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {
namespace {

/// A kind of file, and by what it is known: the file that "$schema" names, or members.
struct FileKind {
  const char* name;
  const char* schema;
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

/// The kind that "$schema" names, else that of which the document has most members. One that has none of any is read, and
/// refused, as a scenario.
std::string kind_of(const JsonValue& document, const Catalogue& catalogue) {
  const FileKind kinds[] = {
      {"scenario", "scenario.json", {"rack", "protocol", "workload", "run", "faults", "check", "observe", "expect"}},
      {"figure", "figure.json", {"base", "sweep", "series", "claims", "calibrated", "not_modelled"}},
      {"list of claims", "claims.json", {"title", "claims"}},
      {"record of claims", "record.json", {"figure", "claims", "run_hashes"}},
      {"packet file",
       "packets.json",
       {"tables", "registers", "meters", "value_sets", "multicast", "mirrors", "generators", "packets"}},
      {"baseline", "baseline.json", {"run_hash", "metrics"}},
      {"fuzz baseline", "fuzz-baseline.json", {"runs", "race_points"}},
      {"report",
       "report.json",
       {"scenario", "verdict", "violations", "violation_count", "failed_expectations", "run_hash", "events",
        "simulated_ns", "metrics", "whole_run", "provenance", "config"}},
      {"testbed", "testbed.json", rack_members(catalogue)},
      {"part of a testbed", "testbed-part.json", {}}};
  const auto* schema = document.find("$schema");
  if (schema && schema->string()) {
    const auto named = std::filesystem::path(*schema->string()).filename();
    for (const auto& kind : kinds) {
      if (named == kind.schema) return kind.name;
    }
  }
  const auto shared = [&](const FileKind& kind) {
    return std::count_if(kind.members.begin(), kind.members.end(),
                         [&](const auto& member) { return document.find(member) != nullptr; });
  };
  return std::max_element(std::begin(kinds), std::end(kinds),
                          [&](const FileKind& a, const FileKind& b) { return shared(a) < shared(b); })
      ->name;
}

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

/// Reads it as what it is, and says what that is.
std::string check(const JsonValue& document, const std::string& file, const std::vector<std::string>& overrides,
                  const Catalogue& catalogue) {
  auto kind = kind_of(document, catalogue);
  if (kind == "testbed" || kind == "part of a testbed") {
    read_testbed(document, file, catalogue);
    return is_testbed_part(document) ? "part of a testbed" : "testbed";
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
    read_scenario(document, file, catalogue, overrides);
  }
  return kind;
}

}  // namespace

std::string check_file(const std::string& file, const std::vector<std::string>& overrides, const Catalogue& catalogue) {
  if (split_case(file).name.empty()) {
    const auto document = read_json_file(file);
    const auto cases = case_names(document);
    for (const auto& name : cases) check_file(fmt::format("{}/{}", file, name), overrides, catalogue);
    if (!cases.empty()) return fmt::format("suite of {} cases", cases.size());
  }
  return Composition(file).read(
      [&](const JsonValue& document, const std::string& path) { return check(document, path, overrides, catalogue); });
}

}  // namespace racksim::tools
