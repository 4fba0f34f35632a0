// Counts instructions with callgrind (package valgrind): they do not float with the machine as rates do, so that a file
// in the tree can hold them and a change that costs is noticed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/bench/instruction_parts.hpp"
#include "tools/bench/instruction_rows.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

struct CountedRow {
  std::string name, unit;
  double instructions = 0;  ///< a unit; of a quotient the quotient
  std::optional<double> aim;
  InstructionsByPart parts{};  ///< a unit; of a quotient none
};

/// Counts rows by running this program under callgrind, several at a time, and adds the quotients that they give.
/// `names` chooses; none is all. Throws std::runtime_error where valgrind is missing or a row fails, and Interrupted
/// (interruption.hpp).
std::vector<CountedRow> count_instructions(const std::vector<std::string>& names);

/// By how much a number may be above the one on record before it is told as slower.
constexpr double kInstructionTolerance = 0.03;

/// What a record says of the rows that were counted: slower, faster by as much (the record is to be renewed), not on
/// record.
struct AgainstRecord {
  std::vector<std::string> slower, faster, unknown;
};
AgainstRecord against_record(const std::vector<CountedRow>& rows, const JsonValue& record);

/// The record with these rows, and the others as they were.
JsonValue renewed_record(JsonValue record, const std::vector<CountedRow>& rows);

}  // namespace racksim::tools
