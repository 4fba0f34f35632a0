// See own_store.hpp.
#include "models/store/own_store.hpp"

namespace racksim::models {

OwnStore::OwnStore(Rack& rack, Service& offered, const StoreOptions& options, const StoreUse& use) {
  auto* memory = dynamic_cast<MemoryService*>(&offered);
  if (memory == nullptr) return;
  store_ = std::make_unique<HashStore>(rack, *memory, options, use.loaded, options.buckets_for(use.keys),
                                       use.sessions_per_thread);
  oracle_ = std::make_shared<StoreOracle>(*store_, use.erases);
}

void OwnStore::node_crashed(NodeId node) {
  if (store_ == nullptr || node >= store_->client_nodes()) return;
  store_->node_crashed(node);
  oracle_->crashed();
}

}  // namespace racksim::models
