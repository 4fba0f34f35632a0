// What a cache in the switch adds to a storage server, whatever the scheme: the order of writes (write_order.hpp), and
// the answers to the controller, which fetches the values of keys that it inserts and tells of keys that it has removed
// (StarCache §3.8).
#pragma once

#include "protocols/store/partition.hpp"
#include "protocols/switch_cache/cache_manager.hpp"
#include "protocols/switch_cache/write_order.hpp"

namespace racksim::switch_cache {

class CachingServer : public store::PartitionExtension {
 public:
  unsigned server() const { return partition_.server(); }
  /// Keys that the server takes for cached though they are not: it refuses writes without a version for ever (rule ii).
  /// While the controller has anything under way none are named.
  std::vector<models::Leak> leaks(const CacheManager& manager) const;

  std::int64_t place_of(store::KeyHash hash, store::Version version) const final {
    return order_.place_of(hash, version);
  }
  bool admits_write(const store::Message& request) final;
  void written(const store::Message& request) final;
  void other(const store::Message& message, store::Address from) final;

 protected:
  /// Extends the partition; must outlive the run.
  CachingServer(store::Shared& shared, const CacheLocation& location, store::Partition& partition);

  /// A write has been executed and ordered, or is about to be answered again.
  virtual void executed_write(const store::Message& /*request*/) {}
  /// An F-REQ has been ordered and is about to be answered.
  virtual void fetched(const store::Message& /*request*/) {}
  /// A key is not cached any more, which is about to be acknowledged.
  virtual void evicted(const store::Message& /*message*/) {}
  /// A message of the scheme's own.
  virtual void own_message(const store::Message& /*message*/, store::Address /*from*/) {}
  /// A write has been refused by rule (ii) if it has no version, else by rule (i).
  virtual void refused(bool has_version) const = 0;

  store::Shared& shared() const { return shared_; }
  /// The controller of the switch that caches its items.
  store::Address controller() const { return {location_.control_cpu().node(), store::kFirstPort}; }
  store::Partition& partition() const { return partition_; }
  WriteOrder& order() { return order_; }

 private:
  store::Shared& shared_;
  const CacheLocation& location_;
  store::Partition& partition_;
  WriteOrder order_;
};

}  // namespace racksim::switch_cache
