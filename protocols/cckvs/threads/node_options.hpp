// Options of the nodes that ccKVS and its baselines share: threads, flow control, batching and what work costs
// (ccKVS §6.2-§6.4, §7.1).
#pragma once

#include <cstdint>

#include "models/service/protocol.hpp"

namespace racksim::cckvs {

using models::NodeId;

/// How the threads of a node divide its shard of the store (ccKVS §6.2, §7.1).
enum class Partitioning : std::uint8_t {
  crcw,  ///< concurrent reads, concurrent writes: each serves all of it
  erew   ///< exclusive reads, exclusive writes: each serves its partition
};

struct NodeOptions {
  std::uint64_t cache_threads = 10;  ///< of each node, on its first cores: they serve the clients
  std::uint64_t kvs_threads = 10;    ///< of each node, on the cores behind: they serve remote requests
  Partitioning partitioning = Partitioning::crcw;
  std::uint64_t request_credits = 22;  ///< request packets that a cache thread may have at a KVS thread
  std::uint64_t coalesce = 1;          ///< requests in a packet, at most
  std::uint64_t doorbell_batch = 32;   ///< work requests of one doorbell, at most
  /// Whether a read finds out that its object was written meanwhile (§6.2). Off, it may be torn.
  bool seqlocks = true;

  // CPU time, besides what posting and polling cost (rack.cpu).
  sim::Duration request_work = sim::Duration::from_ps(25'000);  ///< a cache thread: a client's request and its answer
  sim::Duration response_work = sim::Duration::from_ps(5'000);  ///< a cache thread: a response of a KVS thread
  sim::Duration packet_work = sim::Duration::from_ps(82'000);   ///< a KVS thread: each packet of requests
  sim::Duration store_work = sim::Duration::from_ps(78'000);    ///< whoever reads or writes an object of the store
  /// Either, for a packet, by each thread of another node with which it exchanges requests and responses (§6.4).
  sim::Duration connection_work{};

  void declare_nodes(sim::Parameters& p);
  /// Throws sim::OptionError when so many threads, credits or nodes do not fit the rack.
  void check(const models::Rack& rack) const;

  /// KVS threads of each remote node that a cache thread sends requests to.
  std::uint64_t kvs_threads_in_reach() const { return partitioning == Partitioning::erew ? kvs_threads : 1; }
  /// Cache threads of each remote node that send requests to KVS thread `i`; with CRCW those whose number leaves this
  /// remainder.
  std::uint64_t cache_threads_in_reach(std::uint64_t i) const {
    return partitioning == Partitioning::erew ? cache_threads : (cache_threads + kvs_threads - 1 - i) / kvs_threads;
  }
  /// What a packet costs a thread that has to do with so many threads of each of the other nodes.
  sim::Duration work_of_connections(std::uint64_t threads, std::uint64_t nodes) const {
    return connection_work * static_cast<std::int64_t>(threads * (nodes - 1));
  }
};

}  // namespace racksim::cckvs
