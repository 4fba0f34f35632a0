// What a JSON file of the project holds, told by its "$schema" or its members, wherever it lies.
#pragma once

#include <string>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {

/// "scenario", "figure", "list of claims", "record of claims", "packet file", "baseline", "fuzz baseline", "report",
/// "testbed" or "part of a testbed": the kind that "$schema" names, else that of which the document has most members.
/// One that has none of any is taken for a scenario.
std::string kind_of(const JsonValue& document, const Catalogue& catalogue);

/// Refuses a document that is of another kind than `wanted`, with the command that takes such files, unless it has the
/// member `known_by`, which no other kind has: then its reader says what is wrong with it.
void refuse_other_kind(const JsonValue& document, const JsonLocation& root, const Catalogue& catalogue,
                       const std::string& wanted, const char* known_by);

}  // namespace racksim::tools
