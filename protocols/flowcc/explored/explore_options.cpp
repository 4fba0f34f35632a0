// The declaration of what an exploration explores. See explore_options.hpp.
#include "protocols/flowcc/explored/explore_options.hpp"

#include "protocols/flowcc/rules/local_cache.hpp"

namespace racksim::flowcc {

FlowCcOptions ExploreOptions::protocol_options() {
  FlowCcOptions options;
  options.ownership = FlowCcOptions::Ownership::migrating;
  options.ways = 2;
  options.entries_per_way = 1;
  options.cache_bytes = LocalCache::kBucketEntries * options.block_bytes;
  return options;
}

void ExploreOptions::declare(sim::Parameters& p) {
  p.integer("operations", operations, 0, 8, "coherence events of each requester; one that fails is not tried again");
  p.flag("reads", reads, "a requester without a copy may read");
  p.flag("writes", writes, "a requester without a copy, or with a clean one, may write");
  p.flag("evictions", evictions, "a requester with a copy may drop it");
  p.flag("home_apart", home_apart, "the block's home is a third node; off: that of the first requester");
  p.flag("in_switch_at_first", in_switch_at_first, "the switch has the block at first");
  p.integer("adds", adds, 0, 8, "epochs at whose end the block is hot, so that its home gives it to the switch");
  p.integer("removes", removes, 0, 8, "hints that the block, when the switch has it, is cold");
  p.integer("foreign", foreign, 0, 8, "times that a way is taken by another block, or given up by it");
  p.integer("losses", losses, 0, 8, "packets that may be lost");
  p.integer("duplicates", duplicates, 0, 8, "packets that may be duplicated");
  p.integer("timeouts", timeouts, 0, 8, "timeouts that may come while packets are under way");
  p.choice("network", network, {{"unordered", Network::unordered}, {"fifo", Network::fifo}},
           "packets pass each other, or those of one path do not");
  p.flag("ordered_resubmits", ordered_resubmits, "packets of a port keep their order when they come again (rule M6)");
  p.integer("skips", flowcc.migration.skips, 0, 8,
            "epochs at whose end the block is found locked before its home refuses requests until it has moved");
  p.choice("which", flowcc.migration.which,
           {{"safe", MigrationOptions::Rules::safe}, {"printed", MigrationOptions::Rules::printed}},
           "the rules of migration that are on, or none of them");
  p.object("rules", flowcc.migration.rules);
  p.choice("idempotence", flowcc.idempotence,
           {{"safe", FlowCcOptions::Idempotence::safe}, {"paper", FlowCcOptions::Idempotence::paper}},
           "requests and locks by §5.3 with the four rules that make it hold, or as printed");
  p.flag("scoreboard", flowcc.scoreboard, "locks are counted by their events, so that a request may come twice");
  p.flag("last_unlock", flowcc.last_unlock, "an unlock is executed once");
  p.flag("last_executed", flowcc.last_executed, "agents execute a request once");
  p.flag("check_table", flowcc.check_table, "a request that makes no sense any more is refused");
}

}  // namespace racksim::flowcc
