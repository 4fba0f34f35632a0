// Everything that a scenario may give and every constant of a testbed, as lists for people and for generated pages.
#pragma once

#include <string>
#include <vector>

#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// One declared option, with what it has where nothing is said.
struct DeclaredOption {
  std::string owner;  ///< the protocol, workload or kind of fault; else the part of the scenario: "rack", "run"
  std::string part;   ///< of the scenario: "protocol", "workload", "faults", "rack", "run", "check", "observe"
  std::string path;   ///< as `--set` takes it; of a fault with N for its place in the list
  std::string type;   ///< "length of time", "size", "whole number", "one of", ...
  JsonValue least, most, initial;
  std::vector<std::string> choices;
  std::string doc;      ///< with where the default comes from
  std::string meaning;  ///< without
  std::string basis;    ///< of the default: "published", "estimate" or "calibrated"; empty if nothing is said
  std::string source;   ///< where it is published, how it was estimated, or to what it was fitted
};
/// What may be given: "length of time, 1us .. 1000s".
std::string values_text(const DeclaredOption& option);

/// All of them, in the order of the scenario's parts and of their declarations.
std::vector<DeclaredOption> declared_options(const Catalogue& catalogue);
std::string options_text(const std::vector<DeclaredOption>& options);
JsonValue options_json(const std::vector<DeclaredOption>& options);
JsonValue option_json(const DeclaredOption& option);

/// The constants of testbeds, each with where it comes from.
std::string constants_text(const std::vector<Testbed>& testbeds);
JsonValue constants_json(const std::vector<Testbed>& testbeds);
/// The constant of this name in each of them.
JsonValue constants_json(const std::vector<Testbed>& testbeds, const std::string& name);
/// The shipped ones, or the one of this name.
std::vector<Testbed> shipped_testbeds(const Catalogue& catalogue, const std::string& only = "");

}  // namespace racksim::tools
