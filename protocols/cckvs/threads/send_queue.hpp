// What a thread has to send by one queue pair, posted in opportunistic batches (ccKVS §6.4): what gathers while the
// thread does what is ready is posted behind that with one doorbell, at the latest when the batch is full.
//
// A work request of each filled send queue is signalled (selective signalling, §6.4); a completion costs its polling.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/host/core.hpp"
#include "models/nic/queue_pair.hpp"
#include "protocols/cckvs/threads/shared.hpp"

namespace racksim::cckvs {

class SendQueue {
 public:
  SendQueue(Shared& shared, models::Core& core, models::QueuePair& queue_pair)
      : shared_(shared), core_(core), queue_pair_(queue_pair) {}
  SendQueue(const SendQueue&) = delete;
  SendQueue& operator=(const SendQueue&) = delete;

  models::QueuePair& queue_pair() const { return queue_pair_; }

  /// Whether all that was added has been posted.
  bool empty() const { return waiting_.empty(); }

  /// Adds a message of a class. Posts what has been added if that is a full batch.
  void add(MessageClass message, models::WorkRequest request);
  /// Posts what has been added, now or behind what the thread has to do already.
  void post();
  void post_soon() {
    if (!std::exchange(posts_soon_, true)) core_.run<&SendQueue::post_waiting>(sim::Duration{}, *this);
  }
  /// What a crash does.
  void clear() {
    waiting_.clear();
    posts_soon_ = false;
  }

 private:
  void post_waiting() {
    posts_soon_ = false;
    post();
  }

  Shared& shared_;
  models::Core& core_;
  models::QueuePair& queue_pair_;
  std::vector<models::WorkRequest> waiting_;
  std::uint64_t posted_ = 0;
  bool posts_soon_ = false;
};

}  // namespace racksim::cckvs
