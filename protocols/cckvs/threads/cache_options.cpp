// The declaration of the cache's options. See cache_options.hpp.
#include "protocols/cckvs/threads/cache_options.hpp"

#include <fmt/core.h>

#include "sim/options/option_error.hpp"

namespace racksim::cckvs {

void CacheOptions::declare_cache(sim::Parameters& p) {
  using sim::Duration;
  const Duration zero, ns = Duration::from_ps(1000), most = Duration::from_ps(1'000'000'000);
  rules.declare(p);
  p.optional_integer("cache_keys", cache_keys, 0, std::uint64_t{1} << 24,
                     "keys in every cache, the hottest of those that the workload tells (preload); null: all of those");
  p.flag("unsafe_sessions", unsafe_sessions,
         "clients may go from node to node with SC too, which holds only for those that keep to one");
  p.choice("broadcast", broadcast, {{"unicast", Broadcast::unicast}, {"multicast", Broadcast::multicast}},
           "whether a message for all caches is sent to each (unicast) or copied by the switch (multicast, §6.3)")
      .varied({Broadcast::unicast, Broadcast::multicast});
  p.integer("consistency_credits", consistency_credits, 1, 100'000,
            "messages of a class that a cache thread may have under way to one of another node")
      .published("published code: 60")
      .varied({4, 8});
  p.integer("credit_batch", credit_batch, 1, 100'000, "messages for which their receiver returns the credits together")
      .published("§6.4; published code: 30")
      .varied({1, 4});
  p.length("retransmit_after", retransmit_after, ns * 1000, most * 1000,
           "with retransmit: for how long a node waits before it sends again or asks")
      .estimate("chosen, far above a round trip; the paper sends nothing again")
      .varied({ns * 20'000, ns * 100'000})
      .timeout();
  p.length("costs.probe", probe_work, zero, most, "CPU time to look a key up and to read or write what is cached")
      .estimate("a lookup in a cache line that is there: part of the 25 ns of a request")
      .varied({zero, ns * 15, ns * 100});
  p.length("costs.message", message_work, zero, most, "CPU time to apply a message of another cache")
      .calibrated("SC is 2.6 times faster with coalescing, Fig. 13(b)")
      .varied({zero, ns * 15, ns * 500});
}

void CacheOptions::check(const models::Rack& rack, const NodeOptions& nodes) const {
  rules.check_together();
  if (credit_batch > consistency_credits) {
    throw sim::OptionError(
        "credit_batch", fmt::format("{}", credit_batch),
        fmt::format("at most the {} consistency_credits, or nobody returns any", consistency_credits));
  }
  // By multicast what is sent again, to one, has credits of its own.
  const std::uint64_t classes = rules.retransmit && broadcast == Broadcast::multicast ? 5 : 3;
  const std::uint64_t posted = consistency_credits * classes * (rack.options().nodes - 1);
  if (posted > rack.options().nic.send_queue) {
    throw sim::OptionError("consistency_credits",
                           fmt::format("{}, for {} messages of a queue pair", consistency_credits, posted),
                           fmt::format("no more than the {} work requests of a send queue (/rack/nic/send_queue)",
                                       rack.options().nic.send_queue));
  }
  // SC: what is under way of each cache thread, and one put that waits for it. Lin: a put of each node, and one before;
  // where more begin together or at once they are as many as fit (Rules::puts_at_once).
  const std::uint64_t of_node =
      rules.consistency == Consistency::sc ? nodes.cache_threads * (consistency_credits + 1) : 2;
  rules.check(rack.options().nodes, rack.options().nodes * of_node, "/rack/nodes");
}

}  // namespace racksim::cckvs
