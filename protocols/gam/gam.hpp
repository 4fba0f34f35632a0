// GAM: a global memory of all nodes, cached by each, with a directory at each home (Cai et al., "Efficient Distributed
// Memory Management with RDMA and Caching", PVLDB 11(11), 2018).
//
// The printed protocol deadlocks, reads stale data and loses updates; the tables that are run here (directory_step.hpp,
// cache_step.hpp) have rules that were found by model checking, each an option that can be turned off (options.hpp).
#pragma once

#include <memory>
#include <vector>

#include "models/service/memory_service.hpp"
#include "protocols/gam/recovery/recovery.hpp"

namespace racksim::gam {

class Gam final : public models::Protocol, public models::MemoryService {
 public:
  Gam(models::ProtocolContext& context, const Options& options);

  models::Service& service() override { return *this; }
  void warm_access(models::Session session, models::GlobalAddress address, bool write) override;
  void show_state(sim::StateVisitor& visitor) const override;
  /// Without logging a node leaves for good, and what it has is lost: each write is named. Whoever needs a line that it
  /// owns or is home of waits for ever.
  void node_fails(NodeId node) override;
  void node_crashed(NodeId node) override;
  void add_actors(sim::Engine& engine, std::span<const sim::HostId> nodes) override;
  bool takes_back(NodeId) const override { return recovery_ != nullptr; }
  bool quiescent() const override;
  void add_waits(std::vector<sim::Wait>& waits) const override;
  std::vector<models::Leak> leaks() const override;
  void record_final_state() override;
  void messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const override;
  std::optional<models::PacketDescription> describe(const p4::Packet& packet) const override;

  /// Null without logging.
  Recovery* recovery() { return recovery_.get(); }
  const Node& node(NodeId id) const { return *nodes_[id]; }
  const Directory& directory_of(sim::Key line) const { return nodes_[home_of(line)]->directory(); }

 protected:
  void check(models::Session session, sim::OperationKind kind, sim::Key line) const override;
  void reserved(models::GlobalAddress, std::uint64_t, const models::AllocationHint&) override { ++shared_.allocations; }
  models::MemoryPort& port(models::Session session) override {
    return nodes_[session.node]->sessions().of(session.thread);
  }

 private:
  void bury_threads(NodeId node);
  bool directories_know_copies() const;
  void add_wrong_metadata(std::vector<models::Leak>& leaks) const;
  void warm_remote(Node& node, sim::Key line, bool write);
  void warm_write_back(const Frame& frame);
  void warm_share(Entry& entry, sim::Key line);
  void warm_invalidate(Entry& entry, sim::Key line, NodeId but);
  void warm_trim(Node& node);
  void warm_drop(Node& node, Frame& frame);

  models::Rack& rack_;
  Options options_;
  Counters counters_;
  Shared shared_;
  Nodes nodes_;
  std::unique_ptr<Recovery> recovery_;  // with logging
  sim::Source final_source_;
};

}  // namespace racksim::gam
