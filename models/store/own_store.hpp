// The store of a workload of keys: the protocol's or, where that offers a shared memory, a hash table there.
#pragma once

#include <memory>
#include <string_view>

#include "models/service/key_value_service.hpp"
#include "models/store/hash_store.hpp"
#include "models/store/store_options.hpp"
#include "models/store/store_oracle.hpp"

namespace racksim::models {

/// What a workload says of its keys.
struct StoreUse {
  std::uint64_t loaded = 0;  ///< keys below have been put before the run
  std::uint64_t keys = 0;    ///< that there will be, about
  unsigned sessions_per_thread = 1;
  bool erases = false;  ///< some may be erased
};

class OwnStore {
 public:
  /// Makes one if the protocol's service is a memory.
  OwnStore(Rack& rack, Service& offered, const StoreOptions& options, const StoreUse& use);

  /// Null if the protocol has one.
  Service* service() const { return store_.get(); }
  KeyValueService* store() const { return store_.get(); }
  std::shared_ptr<StoreOracle> oracle() const { return oracle_; }
  /// When the tasks there have been destroyed.
  void node_crashed(NodeId node);
  /// Whether this block of the memory is the table's, or a pair's that was there before the run.
  bool holds(sim::Key block) const { return store_ != nullptr && store_->layout().holds(block); }

 private:
  std::unique_ptr<HashStore> store_;
  std::shared_ptr<StoreOracle> oracle_;
};

}  // namespace racksim::models
