// SELCC: cache coherence over disaggregated memory by one-sided RDMA alone (Wang, Wang and Aref, PVLDB 18(9), 2025),
// assembled on a rack of compute and memory servers.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "models/service/memory_service.hpp"
#include "protocols/selcc/compute_node.hpp"

namespace racksim::selcc {

/// Told of latch words.
class WordObserver {
 public:
  /// An atomic of a node has been carried out on a line's word.
  virtual void changed(NodeId from, sim::Key line, LatchWord before, LatchWord after) = 0;

 protected:
  ~WordObserver() = default;
};

class Selcc final : public models::Protocol, public models::MemoryService {
 public:
  Selcc(models::ProtocolContext& context, const Options& options);

  models::Service& service() override { return *this; }
  void warm_access(models::Session session, models::GlobalAddress address, bool write) override;
  void show_state(sim::StateVisitor& visitor) const override;
  /// A compute node leaves for good; whoever needs a line that it holds waits for ever, and the report says so.
  void node_crashed(NodeId node) override;
  void start_measuring() override;
  void stop_measuring() override;
  bool quiescent() const override;
  void add_waits(std::vector<sim::Wait>& waits) const override;
  std::vector<models::Leak> leaks() const override;
  void record_final_state() override;
  std::optional<models::PacketDescription> describe(const p4::Packet& packet) const override;

  ComputeNode& node(NodeId id) { return *nodes_[id]; }
  /// Has an observer told of each atomic on a latch word, as memory carries it out.
  void watch_words(WordObserver& observer) { word_observers_.push_back(&observer); }
  unsigned compute_nodes() const { return static_cast<unsigned>(nodes_.size()); }
  const Options& options() const { return options_; }
  /// The key of a line's first object, by which histories know the line.
  sim::Key first_object(sim::Key line) const { return shared_.lines.object_of(line, 0); }
  /// The latch word of a line, as memory has it.
  LatchWord word_of(sim::Key line) const;

 protected:
  sim::Task<sim::Value> do_read(models::Session session, sim::Key object, sim::OperationId operation) override;
  sim::Task<void> do_write(models::Session session, sim::Key object, sim::Value value,
                           sim::OperationId operation) override;
  sim::Task<void> do_lock(models::Session session, sim::Key line, models::LockMode mode,
                          sim::OperationId operation) override;
  sim::Task<void> do_unlock(models::Session session, sim::Key line, sim::OperationId operation) override;

 private:
  struct Baseline {
    std::uint64_t local = 0, accesses = 0, with_invalidations = 0;
  };
  Baseline current() const;
  /// All latch words, and all objects, that are not 0 in memory; in no particular order.
  void visit_memory(const std::function<void(sim::Key line, LatchWord word)>& word,
                    const std::function<void(sim::Key object, sim::Value value)>& object) const;
  /// The words of one memory server, for those who watch.
  class ServerWords final : public models::MemoryObserver {
   public:
    ServerWords(const Selcc& selcc, NodeId server) : selcc_(selcc), server_(server) {}
    void landed(NodeId, std::uint64_t, std::uint32_t, const models::Content&) override {}
    void changed(NodeId from, std::uint64_t address, std::uint64_t before, std::uint64_t after) override;

   private:
    const Selcc& selcc_;
    NodeId server_;
  };
  Frame& warm_frame(ComputeNode& node, sim::Key line);
  void warm_write_back(Frame& frame);
  void set_word(sim::Key line, std::uint64_t word);
  std::uint64_t contribution(NodeId node, sim::Key line) const;

  models::Rack& rack_;
  Options options_;
  Counters counters_;
  Shared shared_;
  std::vector<std::unique_ptr<ComputeNode>> nodes_;  // that compute
  sim::Source final_source_;
  sim::Gauge &local_share_, &invalidation_share_;
  Baseline baseline_;
  std::vector<std::unique_ptr<ServerWords>> server_words_;
  std::vector<WordObserver*> word_observers_;
};

}  // namespace racksim::selcc
