// What the program knows of one name: an option of a scenario, a metric, a fault, an oracle. All of it is taken from the
// declarations that the scenario reader, the schema and the reference pages use.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/json/json_document.hpp"
#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {

struct Description {
  std::string name;  ///< in full: "run.stall"
  std::string kind;  ///< "option of run", "key", "metric", "fault", "oracle", ...
  /// What is known, each with its heading: for people. A heading may be empty, to go on with the one before.
  std::vector<std::pair<std::string, std::string>> facts;
  JsonValue json;  ///< the same for programs: an object with "name" and "kind"
};

/// Everything of this name: a path as `--set` takes it (of a fault with any place in the list, or N), a metric as `expect`
/// takes it, or what a fault, an oracle, a protocol, a workload or a switch program is called. If there is nothing, what
/// ends in a dot and this name. Throws InputError, of `command`, with the nearest name.
std::vector<Description> describe(const std::string& name, const Catalogue& catalogue, const std::string& command);

std::string descriptions_text(const std::vector<Description>& descriptions);
JsonValue descriptions_json(const std::vector<Description>& descriptions);

}  // namespace racksim::tools
