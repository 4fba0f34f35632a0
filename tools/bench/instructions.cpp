// Runs rows under callgrind and reads what it counted. See instructions.hpp.
#include "tools/bench/instructions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tools/processes/child_processes.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/report/run_execution.hpp"

namespace racksim::tools {

namespace {

struct Count {
  InstructionsByPart instructions{};
  double units = 0;
};

/// What callgrind counted in all processes of one row and length, whose files begin with `prefix`.
InstructionsByPart counted_in(const std::filesystem::path& folder, const std::string& prefix) {
  InstructionsByPart instructions{};
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (!file.path().filename().string().starts_with(prefix)) continue;
    std::ifstream content(file.path());
    const auto of_process = instructions_by_part(content);
    for (std::size_t part = 0; part < kParts; ++part) instructions[part] += of_process[part];
  }
  return instructions;
}

/// One row at one length: "UNITS INSTRUCTIONS...", by part.
std::string count(const InstructionRow& row, std::size_t which) {
  const ScratchFolder scratch;
  const std::uint64_t length = row.lengths[which];
  std::vector<std::string> command{"valgrind",
                                   "--tool=callgrind",
                                   "-q",
                                   "--demangle=no",
                                   fmt::format("--callgrind-out-file={}/out.%p", scratch.path().string()),
                                   "/proc/self/exe"};
  command.back() = std::filesystem::read_symlink(command.back()).string();
  if (row.work) {
    command.insert(command.end(), {"bench", "--alone", row.name, "--length", std::to_string(length)});
  } else {
    command.insert(command.end(), row.command.begin(), row.command.end());
    if (row.lengths[1] != 0) command.push_back(std::to_string(length));
  }
  std::string output = output_of(command);
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return fmt::format("{} {}", row.work ? output : std::to_string(length),
                     fmt::join(counted_in(scratch.path(), "out."), " "));
}

Count read_count(const std::string& text) {
  std::istringstream numbers(text);
  Count count;
  numbers >> count.units;
  for (auto& instructions : count.instructions) numbers >> instructions;
  return count;
}

InstructionsByPart slope(const Count& begin, const Count& end) {
  InstructionsByPart a_unit{};
  for (std::size_t part = 0; part < kParts; ++part) {
    a_unit[part] = (end.instructions[part] - begin.instructions[part]) / (end.units - begin.units);
  }
  return a_unit;
}

}  // namespace

std::vector<CountedRow> count_instructions(const std::vector<std::string>& names) {
  try {
    output_of({"valgrind", "--version"});
  } catch (const std::runtime_error&) {
    throw std::runtime_error("instructions are counted by valgrind, which is not installed (package valgrind)");
  }
  std::vector<const InstructionRow*> rows;
  for (const auto& row : instruction_rows()) {
    if (names.empty() || std::find(names.begin(), names.end(), row.name) != names.end()) rows.push_back(&row);
  }
  ChildProcesses children(std::max(1u, std::thread::hardware_concurrency()));
  std::map<std::uint64_t, Count> counts;  // by place of the row, twice, and of the length
  const auto take = [&] {
    const auto result = children.wait(std::chrono::seconds(1));
    stop_if_interrupted([&] { return fmt::format("{} counts are done", counts.size()); });
    if (!result) return;
    if (!result->answered()) throw std::runtime_error(fmt::format("{}: {}", rows[result->id / 2]->name, result->text));
    counts[result->id] = read_count(result->text);
  };
  for (std::size_t i = 0; i < 2 * rows.size(); ++i) {
    const auto& row = *rows[i / 2];
    if (row.lengths[i % 2] == 0) continue;
    while (!children.has_room() || !children.start(i, [&row, i] { return count(row, i % 2); })) take();
  }
  while (children.running() > 0) take();

  std::vector<CountedRow> counted;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = *rows[i];
    const Count &first = counts.at(2 * i), none{};
    const auto parts = row.lengths[1] == 0 ? slope(none, first) : slope(first, counts.at(2 * i + 1));
    counted.push_back({row.name, row.unit, std::accumulate(parts.begin(), parts.end(), 0.0), row.aim, parts});
  }
  const auto value = [&](const std::string& name) {
    const auto found = std::find_if(counted.begin(), counted.end(), [&](const auto& row) { return row.name == name; });
    return found == counted.end() ? 0 : found->instructions;
  };
  for (const auto& quotient : instruction_quotients()) {
    const double above = value(quotient.above), below = value(quotient.below);
    if (above > 0 && below > 0) counted.push_back({quotient.name, "times", above / below, quotient.aim, {}});
  }
  return counted;
}

AgainstRecord against_record(const std::vector<CountedRow>& rows, const JsonValue& record) {
  AgainstRecord against;
  const JsonValue* recorded = record.find("instructions");
  for (const auto& row : rows) {
    if (row.unit == "times") continue;  // follows from two others
    const JsonValue* known = recorded != nullptr ? recorded->find(row.name) : nullptr;
    const auto number = known != nullptr ? known->number() : std::nullopt;
    if (!number) {
      against.unknown.push_back(fmt::format("{} is not on record", row.name));
      continue;
    }
    const double change = row.instructions / *number - 1;
    if (std::abs(change) <= kInstructionTolerance + 1e-9) continue;  // 3 % in doubles
    (change > 0 ? against.slower : against.faster)
        .push_back(fmt::format("{}: {:.0f} instructions a {} where {:.0f} are on record, {:+.1f} %", row.name,
                               row.instructions, row.unit, *number, 100 * change));
  }
  return against;
}

JsonValue renewed_record(JsonValue record, const std::vector<CountedRow>& rows) {
  if (record.find("instructions") == nullptr) record.set("instructions", JsonValue::object());
  for (const auto& row : rows) {
    if (row.unit != "times") record.find("instructions")->set(row.name, std::round(row.instructions));
  }
  return record;
}

}  // namespace racksim::tools
