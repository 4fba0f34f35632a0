// Which part of the simulator a function of this program belongs to, told from its symbol.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace racksim::tools {

/// What the time of a run goes to, in the order in which it is told.
enum class Part : std::uint8_t {
  start,           ///< until the run begins: reading files, building the rack
  warm_up,         ///< the functional warm-up
  kernel,          ///< the calendar, coroutines, SimGrid's engine
  passes,          ///< of switch programs
  network_switch,  ///< around the passes: ports, queues, recirculation, the control CPU
  network,         ///< NICs and wires
  hosts,           ///< cores, memory, and what else a rack is made of
  protocol,
  workload,  ///< with the services that applications see
  oracles,
  hash,   ///< the record of what is observable, which is hashed
  other,  ///< what belongs to none: looking for stalls, traces, progress
  end,    ///< of the run: judging, final state, leaks
  profile
};
constexpr std::size_t kParts = static_cast<std::size_t>(Part::profile) + 1;

/// The part's name in reports.
std::string_view to_string(Part part);

/// The part of the function with this mangled name; none for one that does its caller's work, such as a container's.
std::optional<Part> part_of_symbol(std::string_view mangled);

/// The parts of all functions of this program, by address.
class ProgramParts {
 public:
  /// Reads the program's symbols. Throws std::runtime_error if there are none.
  ProgramParts();
  /// Of the function that the address lies in. For signal handlers too.
  std::optional<Part> at(std::uintptr_t address) const;

 private:
  struct Function {
    std::uintptr_t begin, end;
    Part part;
  };
  std::vector<Function> functions_;  // by address
};

}  // namespace racksim::tools
