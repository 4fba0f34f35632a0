// The declaration of the options of explorations. See explore_options.hpp.
#include "protocols/cckvs/explored/explore_options.hpp"

#include <fmt/core.h>

#include "sim/checkers/register_linearizations.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::cckvs {

void ExploreOptions::declare(sim::Parameters& p) {
  p.integer("nodes", nodes, 2, 8, "nodes");
  p.integer("keys", keys, 1, 2,
            "keys, each explored alone, since they share nothing but credits: key i has its home at node i");
  p.text("sessions", sessions, "the node of each session, such as \"0,0,1\": at most 8");
  p.flag("sessions_roam", sessions_roam, "a session picks a node for each operation");
  p.flag("clients", clients, "off: no sessions, and a node with the key Valid may put at any time (Lin alone)");
  p.flag("invariants", invariants, "off: of Lin only what clients see is judged, and not copies and commits");
  p.integer("operations", operations, 1, 31, "gets and puts of each session");
  p.integer("puts", puts, 0, 31, "most puts of all sessions; without `wrap` no more than versions last");
  p.integer("version_bits", version_bits, 2, 6, "bits of a version (§5.2, verification: 2)");
  p.flag("wrap", wrap, "versions wrap; off: puts end with the last version");
  p.choice("network", network, {{"unordered", Network::unordered}, {"fifo", Network::fifo}},
           "messages pass each other, or those from one node to another do not");
  p.integer("losses", losses, 0, 8, "messages that may be lost");
  p.integer("duplicates", duplicates, 0, 8, "messages that may be duplicated");
  p.integer("timeouts", timeouts, 0, 8, "timeouts, with retransmit, that may come while messages are under way");
  p.integer("changes", changes, 0, 8, "changes of the key between its home's store and all caches");
  p.flag("cached_at_first", cached_at_first, "off: the key is in its home's store at first");
  rules.declare_mechanisms(p);
}

std::vector<NodeId> ExploreOptions::session_nodes() const {
  std::vector<NodeId> result;
  if (!clients) return result;
  bool separated = true;
  for (const char c : sessions) {
    if (separated && c >= '0' && static_cast<std::uint64_t>(c - '0') < nodes) {
      result.push_back(static_cast<NodeId>(c - '0'));
      separated = false;
    } else if (!separated && c == ',') {
      separated = true;
    } else {
      result.clear();
      break;
    }
  }
  if (result.empty() || separated || result.size() > sim::checkers::RegisterLinearizations::kSessions) {
    throw sim::OptionError("sessions", fmt::format("\"{}\"", sessions),
                           fmt::format("1 to 8 numbers of nodes, from 0 to {}, with commas between them", nodes - 1));
  }
  return result;
}

Rules ExploreOptions::cache_rules() const {
  Rules result = rules;
  if (wrap) {
    result.version_bits = version_bits;
  } else {
    result.version_bits = version_bits + 1;
    result.bounded_puts = false;
  }
  return result;
}

}  // namespace racksim::cckvs
