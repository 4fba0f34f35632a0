// The classical litmus tests of memory models, with the verdicts of the literature.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/checkers/sequential_search.hpp"
#include "tests/sim/checkers/histories.hpp"

namespace racksim::sim::checkers {

inline constexpr std::uint64_t kX = 0, kY = 1;
inline constexpr Instruction kFence{Action::fence};

inline Instruction write(std::uint64_t key, std::uint64_t value) {
  return {Action::write, key, value};
}
inline Instruction read(std::uint64_t key, std::uint64_t value) {
  return {Action::read, key, value};
}

/// Programs whose reads return these values, and what memory holds afterwards.
struct Litmus {
  std::string name;
  std::vector<Program> programs;
  InitialValues final_values;
  bool sc, tso, pso;  // whether the outcome is allowed
};

/// Names as in Owens, Sarkar and Sewell, "A Better x86 Memory Model: x86-TSO" (2009) and in Alglave, Maranget and
/// Tautschnig, "Herding Cats" (2014). PSO differs from TSO where two writes of one session change places.
const std::vector<Litmus>& litmus_tests();

}  // namespace racksim::sim::checkers
