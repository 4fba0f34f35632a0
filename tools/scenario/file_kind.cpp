// Telling kinds of files apart. See file_kind.hpp.
#include "tools/scenario/file_kind.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace racksim::tools {
namespace {

/// A kind of file, and by what it is known: the file that "$schema" names, or members.
struct FileKind {
  const char* name;
  const char* schema;
  const char* command;  ///< that takes such a file
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

std::vector<FileKind> kinds(const Catalogue& catalogue) {
  return {
      {"scenario",
       "scenario.json",
       "racksim run",
       {"rack", "protocol", "workload", "run", "faults", "check", "observe", "expect", "fuzz"}},
      {"figure", "figure.json", "racksim figure", {"base", "sweep", "series", "claims", "calibrated", "not_modelled"}},
      {"list of claims", "claims.json", "racksim validate", {"title", "claims"}},
      {"record of claims", "record.json", "racksim validate", {"figure", "claims", "run_hashes"}},
      {"packet file",
       "packets.json",
       "racksim switch PROGRAM",
       {"tables", "registers", "meters", "value_sets", "multicast", "mirrors", "generators", "packets"}},
      {"baseline", "baseline.json", "racksim validate", {"run_hash", "metrics"}},
      {"fuzz baseline", "fuzz-baseline.json", "racksim validate", {"runs", "race_points"}},
      {"report",
       "report.json",
       "racksim validate",
       {"scenario", "verdict", "violations", "violation_count", "failed_expectations", "run_hash", "events",
        "simulated_ns", "metrics", "whole_run", "provenance", "metric_descriptions", "config"}},
      {"testbed", "testbed.json", "racksim validate", rack_members(catalogue)},
      {"part of a testbed", "testbed-part.json", "racksim validate", {}}};
}

FileKind told_kind(const JsonValue& document, const Catalogue& catalogue) {
  const auto all = kinds(catalogue);
  const auto* schema = document.find("$schema");
  if (schema && schema->string()) {
    const auto named = std::filesystem::path(*schema->string()).filename();
    for (const auto& kind : all) {
      if (named == kind.schema) return kind;
    }
  }
  const auto shared = [&](const FileKind& kind) {
    return std::count_if(kind.members.begin(), kind.members.end(),
                         [&](const auto& member) { return document.find(member) != nullptr; });
  };
  return *std::max_element(all.begin(), all.end(),
                           [&](const FileKind& a, const FileKind& b) { return shared(a) < shared(b); });
}

}  // namespace

std::string kind_of(const JsonValue& document, const Catalogue& catalogue) {
  return told_kind(document, catalogue).name;
}

void refuse_other_kind(const JsonValue& document, const JsonLocation& root, const Catalogue& catalogue,
                       const std::string& wanted, const char* known_by) {
  if (!document.is_object() || document.find(known_by)) return;
  const FileKind kind = told_kind(document, catalogue);
  if (kind.name == wanted) return;
  root.refuse(fmt::format("a {}", kind.name), fmt::format("a {}: {} takes this file", wanted, kind.command));
}

}  // namespace racksim::tools
