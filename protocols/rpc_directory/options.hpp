// The options of the RPC directory, its safety mechanisms among them.
#pragma once

#include <cstdint>

#include "models/service/protocol.hpp"
#include "protocols/line_cache/cache_options.hpp"

namespace racksim::rpc_directory {

using namespace sim::literals;

struct Options final : models::ProtocolOptions, line_cache::CacheOptions {
  std::uint64_t directory_cores = 1;
  double stranded_share = 0.03;
  // Safety mechanisms.
  bool await_acks = true, queue_busy = true, versions = true, write_back_first = true, write_back_shared = true,
       defer_in_use = true, defer_early = true;
  std::uint64_t eviction_window = 16;
  sim::Duration directory = 500_ns;

  void declare(sim::Parameters& p) override;
  std::vector<std::string> promises() const override { return {"data-value", "mutual-exclusion"}; }
  /// As many, as in SELCC's testbed (§7).
  std::uint64_t memory_servers_beside(std::uint64_t compute_nodes) const override { return compute_nodes; }
  bool warms_itself() const override { return true; }
  std::optional<sim::WaitingBounds> waiting(const models::RackOptions& rack) const override;
  models::CostTable costs(const models::RackOptions& rack) const override;
  models::StateSize state_size(std::uint64_t nodes) const override;
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;

  bool stranded() const { return directory_cores == 0; }
  /// Cores of a memory server that work the directory.
  unsigned cores() const { return stranded() ? 1 : static_cast<unsigned>(directory_cores); }
  /// What a directory core spends on a message.
  sim::Duration directory_handling() const;
};

}  // namespace racksim::rpc_directory
