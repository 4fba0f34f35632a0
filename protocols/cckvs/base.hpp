// The baselines of ccKVS (§7.1): FaSST's design without transactions. Base with CRCW, Base-EREW with EREW, Uniform
// under keys that are all as popular.
#pragma once

#include <memory>
#include <span>

#include "protocols/cckvs/cluster.hpp"
#include "protocols/cckvs/threads/node_options.hpp"

namespace racksim::cckvs {

struct BaseOptions final : models::ProtocolOptions, NodeOptions {
  void declare(sim::Parameters& p) override { declare_nodes(p); }
  bool warms_itself() const override { return true; }
  std::optional<sim::WaitingBounds> waiting(const models::RackOptions& rack) const override;
  models::CostTable costs(const models::RackOptions& rack) const override;
  models::StateSize state_size(std::uint64_t) const override { return cckvs::state_size(); }
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;
};

class Base final : public Cluster {
 public:
  using Cluster::Cluster;
  /// There is nothing to load.
  void preload(std::span<const sim::Key>) override {}
};

}  // namespace racksim::cckvs
