// The key-value workload of StarCache §4, §5.1 and §5.3: clients that send requests to a store whose keys have Zipf
// popularity, optionally with the "hot-in" pattern, in which the hottest and the coldest keys change places. Other
// distributions are there beside (distribution.hpp): with "latest" a write is YCSB's insertion.
//
// Each client thread serves a number of sessions: clients, in the words of an oracle. Open loop: each session begins
// operations at the instants of a Poisson process, whether or not earlier ones have been answered. Closed loop, for
// what a system can do at most (ccKVS §8.1): each keeps a number of operations under way, its window, and begins the
// next as one ends. With a window of 1 a session is what memory models call one: it does one operation at a time. In
// batches a session begins all of its window together, and the next when all have been answered: a client that sends
// several requests in a packet and takes their answers in one.
// Nothing is kept of a key, so that any number of keys costs nothing.
//
// Sessions keep to their node, or have each operation carried out at one of the nodes that take clients, in turn or
// at random (ccKVS §4). Those clients stand outside the rack: no crash ends them, what they have asked a node that
// crashes is given up, and while it is away they go on with the others.
//
// Where the protocol offers a shared memory, the store is a hash table there (models/store/hash_store.hpp).
//
// The paper gives no order among the keys that change places. Read here as: the hottest with the coldest, the second
// hottest with the second coldest, and so on; what changes places twice is back where it was.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/service/client_behaviour.hpp"
#include "models/service/key_value_service.hpp"
#include "models/store/store_options.hpp"
#include "models/workloads/distribution.hpp"
#include "models/workloads/workload.hpp"

namespace racksim::models {

/// Which key has which popularity, as a function of time. Ranks count from 1, the hottest; keys from 0.
struct KeyRanking {
  std::uint64_t keys = 1;
  std::uint64_t swap_keys = 0;  ///< how many keys change places at each end, at most half of them
  sim::Duration swap_interval;  ///< 0: never

  /// How often the hottest and the coldest keys have changed places by an instant; at k intervals it is k.
  std::uint64_t swaps_by(sim::Time now) const;
  /// The key of a rank after so many swaps.
  std::uint64_t key_of(std::uint64_t rank, std::uint64_t swaps) const;
};

struct KeyValueOptions final : WorkloadOptions {
  enum class Loop : std::uint8_t { open, closed };

  std::uint64_t threads = 2;
  std::uint64_t sessions = 1;  ///< of each thread
  ClientRouting clients = ClientRouting::pinned;
  std::uint64_t keys = 10'000'000;
  double zipf = 0.99;
  DistributionOptions distribution;
  double write_ratio = 0.0;
  Loop loop = Loop::open;
  std::uint64_t rate = 1'000'000;  ///< in open loop
  std::uint64_t window = 1;        ///< in closed loop
  bool batches = false;            ///< in closed loop: the operations of a window begin together
  std::uint64_t key_bytes = 16;
  std::uint64_t small_value = 64;
  std::uint64_t large_value = 1024;
  double small_share = 0.12;
  std::uint64_t placement_seed = 0;  ///< of where keys lie and which are small, and of nothing else
  sim::Duration swap_interval;
  std::uint64_t swap_keys = 256;
  std::uint64_t preload = 16384;
  StoreOptions store;  ///< of the table, where the protocol offers a shared memory

  void declare(sim::Parameters& p) override;
  void check() const override;
  Footprint footprint(const RunScale& scale) const override;
  unsigned threads_per_node() const override { return static_cast<unsigned>(threads); }
  unsigned sessions_per_thread() const override { return static_cast<unsigned>(sessions); }
  std::uint64_t blocks_in_reach(std::uint64_t compute_nodes, std::uint64_t block_bytes) const override;
  bool makes_service(std::uint64_t block_bytes) const override { return block_bytes > 0; }
  std::vector<std::string> oracles(std::uint64_t block_bytes) const override {
    return block_bytes > 0 ? std::vector<std::string>{"key-value"} : std::vector<std::string>{};
  }
  ItemSizes items() const;
  std::unique_ptr<Workload> build(WorkloadContext& context) const override;
};

}  // namespace racksim::models
