// Which writes of a client have taken effect, so that one that is sent again does not take effect again: the completion
// records of RIFL (Lee et al., SOSP '15). The papers leave loss to the application (StarCache §3.9).
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "sim/record/flat_map.hpp"

namespace racksim::store {

/// The record of one client at one server. Memory follows the writes that the client has under way.
class CompletedWrites {
 public:
  enum class Verdict : std::uint8_t {
    fresh,      ///< not seen before
    completed,  ///< has taken effect: to be answered again, not executed
    given_up    ///< the client waits for it no longer: not to be executed, nor answered
  };

  /// Judges write `seq`, which says that its client waits for no request before `oldest`. Numbers wrap around.
  Verdict judge(std::uint32_t seq, std::uint32_t oldest) {
    if (!started_ || before(oldest_, oldest)) oldest_ = oldest;
    started_ = true;
    while (!order_.empty() && before(order_.front(), oldest_)) {
      completed_.erase(order_.front());
      order_.pop_front();
    }
    if (is_given_up(seq)) return Verdict::given_up;
    return completed_.find(seq) != nullptr ? Verdict::completed : Verdict::fresh;
  }

  void complete(std::uint32_t seq) {
    completed_[seq] = true;
    order_.push_back(seq);
  }

  /// Whether the client waits for this one no longer, as far as it is known here.
  bool is_given_up(std::uint32_t seq) const { return started_ && before(seq, oldest_); }

  /// The first and the last of the numbers that are given up; what lies between them wraps around. Once a write has
  /// been judged.
  std::pair<std::uint32_t, std::uint32_t> given_up() const { return {oldest_ - kHalf, oldest_ - 1}; }

  bool is_completed(std::uint32_t seq) const {
    return const_cast<CompletedWrites*>(this)->completed_.find(seq) != nullptr;
  }

  std::size_t size() const { return completed_.size(); }

 private:
  static constexpr std::uint32_t kHalf = 0x8000'0000;  // of all numbers
  /// Serial number arithmetic (RFC 1982).
  static bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

  bool started_ = false;
  std::uint32_t oldest_ = 0;
  sim::FlatMap<bool> completed_;
  std::deque<std::uint32_t> order_;
};

}  // namespace racksim::store
