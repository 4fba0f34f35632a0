// A cluster of nodes that each hold a shard of a key-value store and serve clients (ccKVS §6): the baselines as they
// are, ccKVS with a symmetric cache in front.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/cckvs/threads/cache_thread.hpp"
#include "protocols/cckvs/threads/kvs_thread.hpp"
#include "protocols/cckvs/threads/shared.hpp"

namespace racksim::cckvs {

/// Who answers, by AnsweredBy.
std::vector<models::AnswerLabel> answer_labels();

/// What the simulator keeps of each key that is written.
models::StateSize state_size();

class Cluster : public models::Protocol, public models::KeyValueService {
 public:
  /// `name` is what the names of its metrics begin with, `probe_work` what a cache thread spends on each request
  /// besides NodeOptions::request_work. Throws sim::OptionError when the options do not fit the rack.
  Cluster(models::ProtocolContext& context, const NodeOptions& options, std::string_view name,
          sim::Duration probe_work = {});

  models::Service& service() override { return *this; }
  void show_state(sim::StateVisitor& visitor) const override;
  void node_crashed(NodeId node) override;
  bool quiescent() const override;
  void add_waits(std::vector<sim::Wait>& waits) const override;
  std::vector<models::Leak> leaks() const override;
  void record_final_state() override;
  void messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const override;
  std::optional<models::PacketDescription> describe(const p4::Packet& packet) const override;

  Home home(sim::Key key) const { return shared_.home(key); }
  const Shard& shard(NodeId node) const { return nodes_.at(node)->shard; }

 protected:
  struct Node {
    explicit Node(Counters& counters) : shard(counters) {}

    Shard shard;
    std::vector<std::unique_ptr<KvsThread>> kvs_threads;
    std::vector<std::unique_ptr<CacheThread>> cache_threads;
    bool has_crashed = false;
  };

  void do_describe_items(const models::ItemSizes& sizes) override;
  sim::Task<models::Answer> do_get(models::Session session, sim::Key key, sim::OperationId operation) override;
  sim::Task<models::Answer> do_put(models::Session session, sim::Key key, sim::Value value,
                                   sim::OperationId operation) override;
  /// Serves a request of a client, from its arrival at a cache thread to its answer.
  virtual sim::Task<models::Answer> serve(CacheThread& thread, StoreRequest request, sim::OperationId operation);
  /// Whether the store of its home has the key's value, and not a cache.
  virtual bool is_stored(sim::Key key) const {
    static_cast<void>(key);
    return true;
  }

  Shared& shared() { return shared_; }
  Shard& own_shard(NodeId node) { return nodes_.at(node)->shard; }
  const Shared& shared() const { return shared_; }
  /// Whether it has crashed: its shard is lost, and nobody takes it back.
  bool node_is_lost(NodeId node) const { return nodes_[node]->has_crashed; }

 private:
  bool is_kvs_thread(models::Qpn queue_pair) const;
  sim::Task<models::Answer> serve_session(models::Session session, StoreRequest request, sim::OperationId operation);

  Shared shared_;
  sim::Duration arrival_work_;  // of a client's request
  std::vector<std::unique_ptr<Node>> nodes_;
  sim::Signal never_;
  sim::Source final_source_;
};

}  // namespace racksim::cckvs
