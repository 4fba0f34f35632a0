// Posted receives: of one queue pair, or shared by several (ibv_post_srq_recv(3)).
//
// A receive has a length, which a message must not exceed, and a number that comes back with it.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

namespace racksim::models {

struct Receive {
  std::uint64_t wr_id = 0;  ///< comes back in the completion
  std::uint32_t bytes =
      std::numeric_limits<std::uint32_t>::max();  ///< room for a message, a datagram's with its kGrhBytes
};

class ReceiveQueue {
 public:
  /// Posts `count` alike.
  void post(std::uint64_t count = 1, Receive receive = {}) {
    if (count == 0) return;
    posted_ += count;
    if (!runs_.empty() && runs_.back().receive.wr_id == receive.wr_id && runs_.back().receive.bytes == receive.bytes) {
      runs_.back().count += count;
    } else {
      runs_.push_back({receive, count});
    }
  }
  bool empty() const { return posted_ == 0; }
  std::uint64_t size() const { return posted_; }
  /// Takes the oldest, if there is one.
  std::optional<Receive> take() {
    if (posted_ == 0) return std::nullopt;
    --posted_;
    const Receive receive = runs_.front().receive;
    if (--runs_.front().count == 0) runs_.pop_front();
    return receive;
  }
  void clear() {
    runs_.clear();
    posted_ = 0;
  }

 private:
  struct Run {
    Receive receive;
    std::uint64_t count = 0;
  };
  std::deque<Run> runs_;
  std::uint64_t posted_ = 0;
};

}  // namespace racksim::models
