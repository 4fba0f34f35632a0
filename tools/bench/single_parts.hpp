// Parts of the simulator alone, with nothing around them: what a row of a whole run would not show of a change to one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace racksim::tools {

/// Sends 64-byte packets over a sound wire, each again as soon as it has arrived, until so many have; returns how many.
std::uint64_t wire_packets(std::uint64_t packets);

/// The oracles that `oracle_operations` knows, by name.
const std::vector<std::string>& single_oracles();

/// Has one oracle judge so many operations, reads and writes in turn: 32 sessions access 1,024 keys, no two at once the
/// same. Returns how many. Throws std::runtime_error if it objects.
std::uint64_t oracle_operations(const std::string& oracle, std::uint64_t operations);

}  // namespace racksim::tools
