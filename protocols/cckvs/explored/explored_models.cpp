// The models cckvs-lin and cckvs-sc. See explored_caches.hpp.
#include <fmt/core.h>

#include "protocols/cckvs/explored/explored_caches.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::cckvs {

namespace {

const sim::Registration<sim::ExplorationEntry> lin_entry({
    .name = "cckvs-lin",
    .doc = "ccKVS, per-key linearizable: one key in the caches of a few nodes, and the histories of clients",
    .make_options = [] { return std::make_unique<ExploreOptions>(Consistency::lin); },
});
const sim::Registration<sim::ExplorationEntry> sc_entry({
    .name = "cckvs-sc",
    .doc = "ccKVS, per-key sequentially consistent: the same, each complete history judged by itself",
    .make_options = [] { return std::make_unique<ExploreOptions>(Consistency::sc); },
});

}  // namespace

std::vector<sim::ExplorationOptions::Part> ExploreOptions::build() const {
  if (!is_lin() && !clients) throw sim::OptionError("clients", "off", "on: SC is judged by the histories of clients");
  if (hands_over() && !clients) throw sim::OptionError("changes", "changes without clients", "0 with clients off");
  if (!clients && (last_version() + 1) * nodes > 255) {
    throw sim::OptionError("version_bits", fmt::format("{} with {} nodes", version_bits, nodes),
                           "at most 255 timestamps without clients");
  }
  std::vector<Part> parts;
  for (std::uint64_t key = 0; key < keys; ++key) {
    parts.push_back(
        {fmt::format("key {}", key), std::make_unique<ExploredCaches>(*this, static_cast<NodeId>(key % nodes))});
  }
  return parts;
}

}  // namespace racksim::cckvs
