// The declaration of the nodes' options, and what does not fit a rack. See node_options.hpp.
#include "protocols/cckvs/threads/node_options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sim/options/option_error.hpp"

namespace racksim::cckvs {

void NodeOptions::declare_nodes(sim::Parameters& p) {
  using sim::Duration;
  const Duration zero, ns = Duration::from_ps(1000), most = Duration::from_ps(1'000'000'000);
  p.integer("cache_threads", cache_threads, 1, 256, "threads of a node that serve clients, on its first cores")
      .published("§6.2; published code: 10")
      .varied_from(1);
  p.integer("kvs_threads", kvs_threads, 1, 256, "threads of a node that serve remote requests, on its next cores")
      .published("§6.2; published code: 10")
      .varied_from(1);
  p.choice("store", partitioning, {{"crcw", Partitioning::crcw}, {"erew", Partitioning::erew}},
           "whether each KVS thread serves all of the node's shard (crcw) or a partition of its own (erew, §6.2)")
      .varied({Partitioning::crcw, Partitioning::erew});
  p.integer("request_credits", request_credits, 1, 100'000,
            "request packets that a cache thread may have under way to a KVS thread; a response returns the credit")
      .published("§6.3; published code: 22")
      .varied({1, 2, 22});
  p.integer("coalesce", coalesce, 1, 32, "requests to one KVS thread in a packet, at most; 1: none coalesced")
      .published("§7.2: none but in §8.4 to §8.6")
      .varied({1, 2, 32});
  p.integer("doorbell_batch", doorbell_batch, 1, 1024, "work requests of one doorbell, at most")
      .estimate("our choice: §6.4 does not say how many")
      .varied({1, 4, 32});
  p.flag("seqlocks", seqlocks, "a read that overlaps a write of its object on its node is done again (§6.2)")
      .guards("a read returns parts of two values", "cckvs/mechanisms.json/without-seqlocks");
  p.length("costs.request", request_work, ns, most, "CPU time of a cache thread for a client's request and answer")
      .estimate("to read a request from a buffer and to write its answer to one, both in the CPU's cache")
      .varied({ns, ns * 25, ns * 200});
  p.length("costs.response", response_work, zero, most, "CPU time of a cache thread for an answer of a KVS thread")
      .estimate("to find the request that is answered, in the CPU's cache")
      .varied({zero, ns * 5});
  p.length("costs.packet", packet_work, zero, most,
           "CPU time of a KVS thread for a packet of requests, besides receiving it and posting its response")
      .calibrated("Base-EREW's 95 M requests/s, Fig. 8, in the mean of five seeds")
      .varied({zero, ns * 66});
  p.length("costs.store", store_work, zero, most, "CPU time to read or write an object of the store")
      .calibrated("almost 950 M requests/s of Base with coalescing, Fig. 13(b)")
      .varied({zero, ns * 65, ns * 500});
  p.length(
       "costs.connection", connection_work, zero, most,
       "CPU time of a thread for a packet of requests or responses, by each thread of another node that it exchanges "
       "them with: it posts receives and keeps buffers for each (§6.4)")
      .estimate("the paper has no number but the 10 % by which few connections are faster; 0 leaves it out")
      .neutral(zero)
      .varied({zero, ns});
}

void NodeOptions::check(const models::Rack& rack) const {
  const std::uint64_t nodes = rack.options().nodes, cores = rack.options().cores;
  if (const auto& roles = rack.options().roles; roles.compute || roles.memory) {
    throw sim::OptionError("/rack/roles", "roles, which place the servers of a memory service",
                           "none: each node serves clients and holds a shard");
  }
  if (nodes < 2 || nodes > 255) {
    throw sim::OptionError("/rack/nodes", fmt::format("{} nodes", nodes),
                           "2 to 255: shards on several nodes, whose ids have one byte (§6.2)");
  }
  if (cache_threads + kvs_threads > cores) {
    throw sim::OptionError("cache_threads", fmt::format("{} cache and {} KVS threads", cache_threads, kvs_threads),
                           fmt::format("no more than a node's {} cores together: each thread has its own", cores));
  }
  const std::uint64_t posted = request_credits * (nodes - 1) * std::max(kvs_threads_in_reach(), cache_threads);
  if (posted > rack.options().nic.send_queue) {
    throw sim::OptionError("request_credits",
                           fmt::format("{}, for {} packets of a queue pair", request_credits, posted),
                           fmt::format("no more than the {} work requests of a send queue (/rack/nic/send_queue)",
                                       rack.options().nic.send_queue));
  }
}

}  // namespace racksim::cckvs
