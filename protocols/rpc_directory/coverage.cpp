// The names of the RPC directory's races. See coverage.hpp.
#include "protocols/rpc_directory/coverage.hpp"

#include "protocols/rpc_directory/directory_step.hpp"
#include "protocols/rpc_directory/line_step.hpp"

namespace racksim::rpc_directory {

sim::CoverageMap coverage_map() {
  return {.states = {},
          .messages = {},
          .race_points = {
              "an invalidation meets an eviction", "a copy request meets an eviction",
              "an owner asks again before its eviction is known", "a sharer asks again before its eviction is known",
              "a copy is evicted before its giver's notice", "a message comes before its page",
              "an upgrade loses its share", "a victim is in use again", "a thread waits for another's request"}};
}

}  // namespace racksim::rpc_directory
