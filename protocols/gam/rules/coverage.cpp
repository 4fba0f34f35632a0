// The names of GAM's races. See coverage.hpp.
#include "protocols/gam/rules/coverage.hpp"

#include "protocols/gam/cache/cache_step.hpp"
#include "protocols/gam/home/directory_step.hpp"

namespace racksim::gam {

sim::CoverageMap coverage_map() {
  return {
      .states = {},
      .messages = {},
      .race_points = {"an invalidation overtakes its copy", "an invalidation meets an eviction",
                      "a forward overtakes its line", "a forward meets an eviction", "a write-back meets a transition",
                      "a message meets a lock", "a request meets the home's lock", "an upgrade loses its copy",
                      "an upgrade is granted as a write", "a grant-ack comes before the data"}};
}

}  // namespace racksim::gam
