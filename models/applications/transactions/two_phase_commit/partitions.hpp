// Nodes that keep rows apart: each has parts of the schema for its own, part p of P at node p * N / P. It alone accesses
// their rows in the memory service, so that a cache which is coherent never has anything to invalidate, and it alone locks
// them, in a table of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/applications/client.hpp"
#include "models/applications/transactions/engine.hpp"
#include "models/applications/transactions/node_logs.hpp"
#include "models/applications/transactions/two_phase_commit/participant.hpp"
#include "models/applications/transactions/two_phase_commit/row_images.hpp"
#include "models/applications/transactions/two_phase_commit/row_locks.hpp"
#include "models/applications/transactions/two_phase_commit/servers.hpp"

namespace racksim::app::two_phase_commit {

/// Slots of rows in the memory service.
class StoredImages final : public RowImages {
 public:
  StoredImages(const EngineContext& context, unsigned threads);

  std::uint32_t bytes(std::uint32_t table) const override;
  sim::Task<void> load(models::Session by, Row row, std::span<std::byte> into) override;
  sim::Task<void> store(models::Session by, Row row, std::span<const std::byte> image) override;
  sim::Task<void> settle(models::Session by) override;

 private:
  Client& client(models::Session by) { return *clients_[std::size_t{by.node} * threads_ + by.thread]; }

  models::MemoryService& memory_;
  const RowPlaces& places_;
  unsigned threads_;
  std::vector<std::unique_ptr<Client>> clients_;
};

class Partitions {
 public:
  /// Throws sim::OptionError if there is one node alone, or its network has no room for a row.
  explicit Partitions(const EngineContext& context);

  /// Whose a row is; of a table that nobody writes, whoever asks for it.
  models::NodeId node_of(Row row, models::NodeId asking) const;
  /// How many keys from this one on are best read together.
  std::uint64_t together(Row row, models::NodeId asking) const;

  const EngineContext& context() const { return context_; }
  RowLocks& locks(models::NodeId node) { return parts_[node]->locks; }
  RowImages& images() { return images_; }
  NodeLogs& logs() { return *context_.logs; }
  Servers& servers() { return servers_; }
  sim::Clock& clock(models::NodeId node) const { return context_.rack.server(node).clock(); }
  /// Rows of all nodes that somebody has locked.
  std::uint64_t left_locked() const;
  void node_crashed(models::NodeId node) { servers_.node_crashed(node); }

  /// What transactions of all nodes count.
  struct Counters {
    explicit Counters(sim::Metrics& metrics);
    sim::Counter &distributed, &participants, &votes_against;
  };
  Counters& counters() { return counters_; }

 private:
  /// What a node has of its own.
  struct Part {
    Part(const EngineContext& context, models::NodeId node, RowImages& images);
    RowLocks locks;
    Participant participant;
  };
  std::vector<Participant*> participants();
  std::uint64_t most_slot_bytes() const;

  const EngineContext context_;
  unsigned nodes_;
  Counters counters_;
  StoredImages images_;
  std::vector<std::unique_ptr<Part>> parts_;  // by node
  Servers servers_;
};

}  // namespace racksim::app::two_phase_commit
