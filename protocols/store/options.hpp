// Options of the client-server application that NoCache, StarCache and NetCache have (StarCache §4, §5.1).
#pragma once

#include <cstdint>

#include "models/service/protocol.hpp"

namespace racksim::store {

/// What all schemes share.
struct StoreOptions {
  std::uint64_t server_nodes = 3;  ///< the last nodes of the rack; the others are clients
  std::uint64_t partitions = 12;   ///< threads of a server node, each an emulated server
  std::uint64_t hash_bits = 128;   ///< of the key hash that the switch and the partitioning see
  std::uint64_t first_seq = 0;     ///< sequence number of each client's first request
  bool exactly_once = true;        ///< messages carry what lets a write be sent again and take effect once
  bool collision_check = true;     ///< clients compare the returned key with the requested one (§3.6)
  sim::Duration timeout = sim::Duration::from_ps(5'000'000'000);  ///< of one attempt
  std::uint64_t attempts = 5;
  sim::Duration request_work = sim::Duration::from_ps(60'000);      ///< of a client's core, besides posting
  sim::Duration service_work = sim::Duration::from_ps(10'000'000);  ///< of a partition's core for a request
  /// Of a partition's core for each byte of key and value that it receives or sends, on top. No published value: the
  /// paper says that larger items take more of a server (StarCache §5.2) and not how much; a copy through a core's
  /// caches at 10 GB/s would be 100 ps. Like the time to post, it holds up what comes next and not the answer itself.
  sim::Duration byte_work{};
  /// Packets that a partition reads in each window of time, from time zero on; when it has read so many it reads no
  /// more until the next window begins. 0: no limit. (Artifact: 100,000 in each second.)
  std::uint64_t budget = 0;
  sim::Duration budget_window = sim::Duration::from_ps(1'000'000'000'000);

  /// A client waits for an answer to each attempt; what an attempt takes it besides is core time (client.hpp).
  sim::Duration all_attempts() const { return timeout * static_cast<std::int64_t>(attempts); }

  /// What a protocol's clients and servers make of the options.
  struct Uses {
    bool hashed = true;            ///< keys are known by hashes, which may collide
    bool exactly_once = true;      ///< it is the option that keeps writes from being executed twice
    bool foreign_answers = false;  ///< a cache may answer with the value of another key of the same hash
  };
  void declare_store(sim::Parameters& p, Uses uses);
};

/// Of a scheme: its own come on top.
struct StoreProtocolOptions : models::ProtocolOptions, StoreOptions {
  sim::Duration gives_up_after() const override { return all_attempts(); }
  bool warms_itself() const override { return true; }
  std::optional<sim::WaitingBounds> waiting(const models::RackOptions& rack) const override;
  models::CostTable costs(const models::RackOptions& rack) const override;
  /// What servers keep of each item; nothing is kept of one that nobody has written.
  models::StateSize state_size(std::uint64_t) const override {
    return {.bytes_per_object = 72};  // 24 bytes in a sim::FlatMap that grows
  }
};

}  // namespace racksim::store
