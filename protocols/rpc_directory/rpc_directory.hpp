// A directory worked by memory servers' cores: coherent caches over disaggregated memory by remote procedure calls, in
// the manner of ScaleStore (Ziegler, Binnig and Leis, SIGMOD 2022), the baseline of SELCC §7.1.
//
// What it has of ScaleStore: a page's directory entry lies with its home, whose message handlers work it; a request for
// possession, shared or exclusive, is a message; the page comes by a WRITE into the requester's buffer, from the home
// or, by way of a copy request, from its owner; evictions are lazy. What it leaves out: its SSDs, and nodes that both
// compute and are homes.
#pragma once

#include <memory>
#include <vector>

#include "models/service/memory_service.hpp"
#include "protocols/line_cache/application_thread.hpp"
#include "protocols/rpc_directory/compute_node.hpp"
#include "protocols/rpc_directory/directory.hpp"

namespace racksim::rpc_directory {

class RpcDirectory final : public models::Protocol, public models::MemoryService {
 public:
  RpcDirectory(models::ProtocolContext& context, const Options& options);

  models::Service& service() override { return *this; }
  void warm_access(models::Session session, models::GlobalAddress address, bool write) override;
  void warm_accesses(std::span<const WarmAccess> accesses) override;
  void show_state(sim::StateVisitor& visitor) const override;
  /// A compute node leaves for good; whoever needs a line that it holds waits for ever, and the report says so.
  void node_crashed(NodeId node) override;
  bool quiescent() const override;
  void add_waits(std::vector<sim::Wait>& waits) const override;
  std::vector<models::Leak> leaks() const override;
  void record_final_state() override;
  void messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const override;
  std::optional<models::PacketDescription> describe(const p4::Packet& packet) const override;

  const ComputeNode& node(NodeId id) const { return *nodes_[id]; }
  const Directory& directory_of(sim::Key line) const { return shared_.directory_of(line); }

 protected:
  void check(models::Session session, sim::OperationKind kind, sim::Key line) const override;
  models::MemoryPort& port(models::Session session) override { return threads_[index_of(session)]; }

 private:
  Frame& warm_frame(ComputeNode& node, sim::Key line);
  bool knows_its_copies() const;

  Options options_;
  Counters counters_;
  latched_memory::MemoryServers lines_;
  Shared shared_;
  std::vector<std::unique_ptr<Directory>> directories_;  // by memory server
  std::vector<std::unique_ptr<ComputeNode>> nodes_;
  std::vector<line_cache::ApplicationThread<ComputeNode>> threads_;  // by session
  sim::Source final_source_;
};

}  // namespace racksim::rpc_directory
