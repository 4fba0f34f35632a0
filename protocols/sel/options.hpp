// The options of SEL.
#pragma once

#include "models/service/protocol.hpp"

namespace racksim::sel {

struct Options final : models::ProtocolOptions {
  std::uint64_t line_bytes = 2048;
  std::uint64_t try_attempts = 5;
  bool latch = true, undo = true, write_first = true;
  sim::Duration local_access = sim::Duration::from_ps(100'000);

  void declare(sim::Parameters& p) override;
  std::vector<std::string> promises() const override { return {"data-value", "mutual-exclusion", "latch-words"}; }
  /// As many, as in SELCC's testbed (§7).
  std::uint64_t memory_servers_beside(std::uint64_t compute_nodes) const override { return compute_nodes; }
  bool warms_itself() const override { return true; }
  std::optional<sim::WaitingBounds> waiting(const models::RackOptions& rack) const override;
  models::CostTable costs(const models::RackOptions& rack) const override;
  models::StateSize state_size(std::uint64_t) const override {
    return {.block_bytes = line_bytes, .bytes_per_object = 16};
  }
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;
};

}  // namespace racksim::sel
