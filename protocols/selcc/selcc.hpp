// SELCC: cache coherence over disaggregated memory by one-sided RDMA alone (Wang, Wang and Aref, PVLDB 18(9), 2025),
// assembled on a rack of compute and memory servers.
#pragma once

#include <memory>
#include <vector>

#include "models/service/memory_service.hpp"
#include "protocols/selcc/application_thread.hpp"
#include "protocols/selcc/compute_node.hpp"
#include "protocols/selcc/recovery.hpp"

namespace racksim::selcc {

class Selcc final : public models::Protocol,
                    public models::MemoryService,
                    public latched_memory::LatchedMemory,
                    latched_memory::LineObserver {
 public:
  Selcc(models::ProtocolContext& context, const Options& options);

  models::Service& service() override { return *this; }
  void warm_access(models::Session session, models::GlobalAddress address, bool write) override;
  void warm_accesses(std::span<const WarmAccess> accesses) override;
  void show_state(sim::StateVisitor& visitor) const override;
  void add_actors(sim::Engine& engine, std::span<const sim::HostId> nodes) override;
  /// Without recovery a compute node leaves for good; whoever needs a line that it holds waits for ever, and the report
  /// says so.
  void node_crashed(NodeId node) override;
  void node_restarted(NodeId node) override;
  bool quiescent() const override;
  void add_waits(std::vector<sim::Wait>& waits) const override;
  std::vector<models::Leak> leaks() const override;
  void record_final_state() override;
  void messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const override;
  std::optional<models::PacketDescription> describe(const p4::Packet& packet) const override;

  ComputeNode& node(NodeId id) { return *nodes_[id]; }
  latched_memory::MemoryServers& memory_servers() override { return lines_; }
  bool words_are_decodable() const override { return options_.undo == Undo::waited; }
  bool has_part_in(NodeId node, sim::Key line) const override {
    return nodes_[node]->has_part_in(line) || is_lost(node);
  }
  bool is_lost(NodeId node) const override { return recovery_ != nullptr && recovery_->is_lost(node); }
  bool takes_back(NodeId node) const override { return recovery_ != nullptr && options_.sweep && node < nodes_.size(); }
  /// Null without recovery.
  Recovery* recovery() { return recovery_.get(); }

 protected:
  void check(models::Session session, sim::OperationKind kind, sim::Key line) const override;
  models::MemoryPort& port(models::Session session) override { return *threads_[index_of(session)]; }

 private:
  /// That is when an atomic is performed.
  void object_changed(sim::Key object, const models::AtomicUpdate& update) override;
  void written(sim::Key line, ObjectRange objects) override;
  std::unique_ptr<Recovery> make_recovery();
  void lose_buffered(NodeId node);

  Frame& warm_frame(ComputeNode& node, sim::Key line);
  void warm_write_back(Frame& frame);
  std::uint64_t contribution(NodeId node, sim::Key line) const;

  Options options_;
  Counters counters_;
  latched_memory::MemoryServers lines_;
  Shared shared_;
  std::vector<std::unique_ptr<ComputeNode>> nodes_;  // that compute
  std::unique_ptr<Recovery> recovery_;
  std::vector<std::unique_ptr<ApplicationThread>> threads_;  // by session
  sim::Source final_source_;
};

}  // namespace racksim::selcc
