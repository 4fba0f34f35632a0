// The table of litmus tests. See litmus_tests.hpp.
#include "models/workloads/litmus_tests.hpp"

#include <algorithm>

namespace racksim::models {

std::string_view to_string(LitmusModel model) {
  constexpr std::string_view kNames[] = {"sc", "tso", "pso", "none"};
  return kNames[static_cast<std::size_t>(model)];
}

const std::vector<LitmusTest>& litmus_tests() {
  static const std::vector<LitmusTest> kTests{
      {.name = "sb", .program = "P0: x=1; r0=y | P1: y=1; r1=x", .outcome = "r0=0 & r1=0", .tso = true, .pso = true},
      {.name = "sb+fences", .program = "P0: x=1; fence; r0=y | P1: y=1; fence; r1=x", .outcome = "r0=0 & r1=0"},
      {.name = "mp", .program = "P0: x=1; y=1 | P1: r0=y; r1=x", .outcome = "r0=1 & r1=0", .pso = true},
      {.name = "mp+fences", .program = "P0: x=1; fence; y=1 | P1: r0=y; fence; r1=x", .outcome = "r0=1 & r1=0"},
      {.name = "sb+locks",
       .program = "P0: lock(x); x=1; unlock(x); r0=y | P1: lock(y); y=1; unlock(y); r1=x",
       .outcome = "r0=0 & r1=0"},
      {.name = "mp+locks",
       .program = "P0: lock(x); x=1; unlock(x); y=1 | P1: r0=y; rlock(x); r1=x; unlock(x)",
       .outcome = "r0=1 & r1=0"},
      {.name = "sb+lock",
       .program = "P0: lock(z); x=1; r0=y; unlock(z) | P1: lock(z); y=1; r1=x; unlock(z)",
       .outcome = "r0=0 & r1=0"},
      {.name = "mp+lock",
       .program = "P0: lock(z); x=1; y=1; unlock(z) | P1: lock(z); r0=y; r1=x; unlock(z)",
       .outcome = "r0=1 & r1=0"},
      {.name = "r",
       .program = "P0: x=1; y=1 | P1: y=2; r0=x | end: r1=y",
       .outcome = "r0=0 & r1=2",
       .tso = true,
       .pso = true},
      {.name = "r+fences",
       .program = "P0: x=1; fence; y=1 | P1: y=2; fence; r0=x | end: r1=y",
       .outcome = "r0=0 & r1=2"},
      {.name = "2+2w",
       .program = "P0: x=1; y=2 | P1: y=1; x=2 | end: r0=x; r1=y",
       .outcome = "r0=1 & r1=1",
       .pso = true},
      {.name = "2+2w+fences",
       .program = "P0: x=1; fence; y=2 | P1: y=1; fence; x=2 | end: r0=x; r1=y",
       .outcome = "r0=1 & r1=1"},
      {.name = "s", .program = "P0: x=2; y=1 | P1: r0=y; x=1 | end: r1=x", .outcome = "r0=1 & r1=2", .pso = true},
      {.name = "s+fences",
       .program = "P0: x=2; fence; y=1 | P1: r0=y; fence; x=1 | end: r1=x",
       .outcome = "r0=1 & r1=2"},
      {.name = "lb", .program = "P0: r0=x; y=1 | P1: r1=y; x=1", .outcome = "r0=1 & r1=1"},
      {.name = "iriw",
       .program = "P0: x=1 | P1: y=1 | P2: r0=x; r1=y | P3: r2=y; r3=x",
       .outcome = "r0=1 & r1=0 & r2=1 & r3=0"},
      {.name = "corr", .program = "P0: x=1 | P1: r0=x; r1=x", .outcome = "r0=1 & r1=0"},
      {.name = "coherence",
       .program = "P0: x=1 | P1: x=2 | P2: r0=x; r1=x | P3: r2=x; r3=x",
       .outcome = "r0=1 & r1=2 & r2=2 & r3=1"},
      {.name = "words", .program = "P0: x=1, y=1 | P1: r0=x, r1=y", .outcome = "r0=1 & r1=0"},
      {.name = "words+back", .program = "P0: x=1, y=1 | P1: r0=x, r1=y", .outcome = "r0=0 & r1=1"},
      {.name = "wrc", .program = "P0: x=1 | P1: r0=x; y=1 | P2: r1=y; r2=x", .outcome = "r0=1 & r1=1 & r2=0"},
  };
  return kTests;
}

const LitmusTest* find_litmus_test(std::string_view name) {
  const auto& all = litmus_tests();
  const auto found = std::find_if(all.begin(), all.end(), [&](const LitmusTest& test) { return test.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace racksim::models
