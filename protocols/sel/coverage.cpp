// The names of SEL's races. See coverage.hpp.
#include "protocols/sel/coverage.hpp"

namespace racksim::sel {

sim::CoverageMap coverage_map() {
  return {.states = {},
          .messages = {},
          .race_points = {"a reader meets a writer", "a writer meets readers", "a writer meets a writer",
                          "a thread waits for its turn"}};
}

}  // namespace racksim::sel
