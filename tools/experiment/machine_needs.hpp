// What a run will take of the machine that simulates it, told from its options before anything is built: so that a run
// of an hour is not killed at its end, and nobody waits for a warm-up without knowing.
//
// An estimate: what a run really takes lies within kNeedsFactor of it where it takes more than the program itself does.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>

#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// By how much at most the memory that a run takes is more, or less, than its estimate.
constexpr double kNeedsFactor = 2;

struct MachineNeeds {
  std::uint64_t program = 0;        ///< bytes that every run takes
  std::uint64_t fixed = 0;          ///< bytes of what the protocol makes beforehand: tables, and caches that are
  std::uint64_t data = 0;           ///< bytes for the blocks or keys that are used, copies and oracles' among them
  std::uint64_t warm_accesses = 0;  ///< of the functional warm-up, outside simulated time

  std::uint64_t bytes() const { return program + fixed + data; }
};

/// Of a run of this scenario. Throws InputError if its workload is not for its protocol: what such a run would take
/// means nothing.
MachineNeeds machine_needs(const Scenario& scenario);

/// What of that is taken when the run is built, before its workload begins.
MachineNeeds of_building(const MachineNeeds& needs);

/// Memory in bytes that a program could take now without others losing theirs; nothing if the machine does not tell.
std::optional<std::uint64_t> available_memory();

/// Throws InputError if the run takes more than is available even if it takes least of what is estimated.
void check_needs(const Scenario& scenario, const MachineNeeds& needs, std::optional<std::uint64_t> available);

/// One line for a person who waits; empty for a run that is soon under way and small.
std::string needs_text(const MachineNeeds& needs, std::optional<std::uint64_t> available);

}  // namespace racksim::tools
