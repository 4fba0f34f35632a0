// The names of SELCC's races. See coverage.hpp.
#include "protocols/selcc/coverage.hpp"

#include "protocols/selcc/transitions.hpp"

namespace racksim::selcc {

sim::CoverageMap coverage_map() {
  return {.states = {},
          .messages = {},
          .race_points = {"a word names the node that reads it", "a word names a node that has no part in it",
                          "a confirmation comes before the line is taken",
                          "an invalidation meets a line whose release is on its way",
                          "a deferred invalidation loses to another", "a victim is in use again",
                          "a thread waits for another's latch operation",
                          "a line is claimed that a dead node had given", "a dead node's line never comes"}};
}

}  // namespace racksim::selcc
