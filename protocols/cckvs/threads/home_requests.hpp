// Requests that reach a key's home while the key may be on its way between its home's store and all caches
// (hand_over.hpp), as the threads see it: some are answered at once, others when a change is over or a put is.
#pragma once

#include <cstdint>

#include "models/host/core.hpp"
#include "protocols/cckvs/threads/messages.hpp"

namespace racksim::cckvs {

/// Who has asked, and is told the answer.
class RequestOwner {
 public:
  /// `token` is what it gave with the request. Called during the request, or later, in anybody's event.
  virtual void request_served(std::uint64_t token, const StoreRequest& answer) = 0;

 protected:
  ~RequestOwner() = default;
};

class HomeRequests {
 public:
  virtual ~HomeRequests() = default;

  /// Whether an operation has asked here and has not been answered.
  virtual bool is_under_way(sim::OperationId operation) const = 0;
  /// An operation, which is not under way here, asks this node, its key's home. The thread has spent the cost of an
  /// access; if the copy of a cache thread is used, it is that of number `thread` that sends what is to be sent.
  virtual void request(const StoreRequest& request, RequestOwner& owner, std::uint64_t token, models::Core& core,
                       unsigned thread) = 0;
  /// The answer to a put that has been executed before: what the key has now.
  virtual StoreRequest answer_again(const StoreRequest& put) const = 0;
  /// The home of its key has answered a request of this node.
  virtual void answer_came(NodeId home, const StoreRequest& answer, models::Core& core, unsigned thread) = 0;
};

}  // namespace racksim::cckvs
