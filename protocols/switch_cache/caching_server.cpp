// Write order, fetches and removals at a server. See caching_server.hpp.
#include "protocols/switch_cache/caching_server.hpp"

#include <fmt/core.h>

#include "protocols/switch_cache/messages.hpp"

namespace racksim::switch_cache {

using store::Message;

CachingServer::CachingServer(store::Shared& shared, const CacheLocation& location, store::Partition& partition)
    : shared_(shared), location_(location), partition_(partition), order_(shared.versions) {
  partition.extend(*this);
}

bool CachingServer::admits_write(const Message& request) {
  if (!shared_.safety || order_.admits(hash_in(request), store::Version{request.safety.version})) return true;
  refused(request.safety.version != 0);
  return false;
}

void CachingServer::written(const Message& request) {
  order_.executed(hash_in(request), store::Version{request.safety.version});
  executed_write(request);
}

std::vector<models::Leak> CachingServer::leaks(const CacheManager& manager) const {
  if (manager.busy() > 0) return {};
  const std::size_t keys =
      order_.taken_for_cached([&](store::KeyHash hash) { return manager.row_of(hash).has_value(); });
  if (keys == 0) return {};
  return {{"leaked-entry",
           fmt::format("server {}: takes {} keys for cached that are not, and refuses writes of them", server(), keys),
           {}}};
}

void CachingServer::other(const Message& message, store::Address from) {
  const store::Op op = message.store.operation();
  Message reply = message;
  if (op == kFetchRequest) {
    order_.executed(hash_in(message), store::Version{message.safety.version});
    fetched(message);
    reply.store.set(kFetchReply);
    return partition_.send_item(reply, from, 0);
  }
  if (op == kEviction) {
    order_.evicted(hash_in(message), store::Version{message.safety.version});
    evicted(message);
    reply.store.set(kEvictionReply);
    return partition_.send(reply, from, 0);
  }
  own_message(message, from);
}

}  // namespace racksim::switch_cache
