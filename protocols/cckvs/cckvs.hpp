// ccKVS: the cluster with a symmetric cache of the hottest keys at every node (EuroSys '18, §4-§6).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "protocols/cckvs/cluster.hpp"
#include "protocols/cckvs/hot_set.hpp"
#include "protocols/cckvs/threads/cache_options.hpp"
#include "protocols/cckvs/threads/symmetric_cache.hpp"

namespace racksim::cckvs {

struct Options final : models::ProtocolOptions, NodeOptions, CacheOptions, HotSetOptions {
  void declare(sim::Parameters& p) override;
  /// Of SC, per key and across the sessions of a node; of Lin, linearizability.
  std::vector<std::string> promises() const override;
  sim::Duration longest_timeout(const models::RackOptions&) const override {
    return rules.retransmit ? retransmit_after : sim::Duration{};
  }
  std::vector<std::string> also_tolerates() const override;
  bool warms_itself() const override { return true; }
  std::optional<sim::WaitingBounds> waiting(const models::RackOptions& rack) const override;
  models::CostTable costs(const models::RackOptions& rack) const override;
  models::StateSize state_size(std::uint64_t nodes) const override;
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;
};

class Cckvs final : public Cluster {
 public:
  Cckvs(models::ProtocolContext& context, const Options& options);

  /// Puts the hottest keys into every cache. Throws sim::OptionError if these are fewer than are to be cached, unless
  /// the others are learnt.
  void preload(std::span<const sim::Key> hottest) override;
  void add_actors(sim::Engine& engine, std::span<const sim::HostId> nodes) override;
  void show_state(sim::StateVisitor& visitor) const override;
  void node_crashed(NodeId node) override;
  /// Nothing that a cache has sent is under way; it may have been lost.
  bool quiescent() const override;
  void add_waits(std::vector<sim::Wait>& waits) const override;
  std::vector<models::Leak> leaks() const override;
  void record_final_state() override;

  const SymmetricCache& cache(NodeId node) const { return *caches_.at(node); }
  /// Null without `learning`.
  HotSet* hot_set() { return hot_set_.get(); }

 private:
  void do_describe_clients(const models::ClientBehaviour& clients) override;
  sim::Task<models::Answer> serve(CacheThread& thread, StoreRequest request, sim::OperationId operation) override;
  bool is_stored(sim::Key key) const override;
  void build_hot_set();
  /// Whether sessions of a node are served by its cache.
  bool uses_cache(NodeId node, sim::Key key) const;
  /// Keys in caches: the hottest first, or, if they are learnt, in order.
  std::vector<sim::Key> cached_keys() const;
  /// Calls `visit(i, entry)` for each of the keys that is in a cache, which are the cached keys.
  template <class Visit>
  void for_each_copy(const Cache& cache, std::span<const sim::Key> keys, Visit&& visit) const;
  void show_written(sim::Key key, sim::StateVisitor& visitor) const;

  Options options_;
  std::vector<std::unique_ptr<SymmetricCache>> caches_;  // by node
  std::vector<sim::Key> preloaded_;                      // the hottest first
  std::unique_ptr<HotSet> hot_set_;                      // if it is learnt
  sim::Source caches_source_;
};

}  // namespace racksim::cckvs
