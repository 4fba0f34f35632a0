// A KVS thread (ccKVS §6.2): serves the requests that cache threads send, one packet after the other, and answers each
// packet with one, which returns the credit (§6.3). With EREW it also serves its own node's requests for its partition.
#pragma once

#include <cstdint>
#include <vector>

#include "models/host/core.hpp"
#include "models/host/short_queue.hpp"
#include "models/nic/completion_queue.hpp"
#include "protocols/cckvs/threads/send_queue.hpp"
#include "protocols/cckvs/threads/shared.hpp"

namespace racksim::cckvs {

/// Told of the answer to a request that was handed to a thread of the own node.
class LocalAnswer {
 public:
  /// Called on the KVS thread's core at the end of its work.
  virtual void served_locally(const StoreRequest& answer) = 0;

 protected:
  ~LocalAnswer() = default;
};

class KvsThread final : models::CompletionHandler, RequestOwner {
 public:
  /// Takes the core behind those of the cache threads, and one datagram queue pair, and posts receives for all request
  /// packets that may be under way to it.
  KvsThread(Shared& shared, Shard& shard, NodeId node, unsigned thread);

  models::Core& core() const { return core_; }
  models::Destination address() const { return {node_, requests_.queue_pair().number(), {}}; }
  /// Serves a request of a cache thread of this node.
  void serve_locally(const StoreRequest& request, LocalAnswer& to);

  void crash();

 private:
  struct LocalRequest {
    StoreRequest request;
    LocalAnswer* to = nullptr;
  };
  /// Whose packet is answered.
  struct Caller {
    NodeId node = 0;
    models::Qpn queue_pair = 0;
    sim::OperationId operation = 0;
  };
  /// A packet of requests of which not all are answered, where keys come into the caches and go.
  struct Pending {
    std::vector<StoreRequest> requests;  // and answers
    std::size_t unanswered = 0;
    Caller caller;
    bool is_late = false;
  };
  void on_completion(const models::Completion& completion) override;
  void take_in(const models::Completion& completion, HomeRequests& home);
  void request_served(std::uint64_t token, const StoreRequest& answer) override;
  void count_answer(std::uint32_t slot);
  void respond_pending(std::uint32_t slot);
  /// Answers a packet with one, of what `answer_of(i)` gives for each of its requests.
  template <class Answer>
  void respond(std::size_t answers, const Caller& to, Answer&& answer_of);
  /// Whether a put has been executed before, or is older than one that has; notes it if not.
  bool is_repeated(const StoreRequest& put, const models::Completion& from);
  /// Answers a request, at the end of the time for an access.
  void answer(StoreRequest& request);
  void serve_next_local();

  Shared& shared_;
  Shard& shard_;
  NodeId node_;
  unsigned thread_;
  models::Core& core_;
  models::CompletionQueue& completions_;
  SendQueue requests_;
  models::ShortQueue<LocalRequest> local_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> free_pending_;
  sim::FlatMap<std::uint64_t> executed_;  // of each slot of each cache thread: one more than the turn of its last put
};

}  // namespace racksim::cckvs
