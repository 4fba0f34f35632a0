// The options of the RPC directory, its safety mechanisms among them.
#pragma once

#include <cstdint>

#include "models/service/protocol.hpp"

namespace racksim::rpc_directory {

using namespace sim::literals;

struct Options final : models::ProtocolOptions {
  std::uint64_t line_bytes = 2048;
  std::uint64_t cache_bytes = std::uint64_t{8} << 30;
  std::uint64_t shards = 128;
  std::uint64_t directory_cores = 1;
  double stranded_share = 0.03;
  // Safety mechanisms.
  bool await_acks = true, queue_busy = true, versions = true, write_back_first = true, write_back_shared = true,
       defer_in_use = true, defer_early = true;
  // Eviction.
  double free_share = 0.002;
  std::uint64_t eviction_window = 16;
  // Costs.
  sim::Duration directory = 500_ns, local_access = 100_ns, handling = 200_ns, eviction = 100_ns;

  void declare(sim::Parameters& p) override;
  std::vector<std::string> promises() const override { return {"data-value", "mutual-exclusion"}; }
  bool warms_itself() const override { return true; }
  models::StateSize state_size(std::uint64_t nodes) const override;
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;

  /// Frames of a cache.
  std::uint32_t frames() const { return static_cast<std::uint32_t>(cache_bytes / line_bytes); }
  /// So many frames the evictor keeps free.
  std::uint32_t least_free() const {
    const auto share = static_cast<std::uint32_t>(free_share * static_cast<double>(frames()));
    return share == 0 ? 1 : share;
  }
  bool stranded() const { return directory_cores == 0; }
  /// Cores of a memory server that work the directory.
  unsigned cores() const { return stranded() ? 1 : static_cast<unsigned>(directory_cores); }
  /// What a directory core spends on a message.
  sim::Duration directory_handling() const;
};

}  // namespace racksim::rpc_directory
