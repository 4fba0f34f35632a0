// The lock of a line at one node: held by readers or by one writer among the node's threads (GAM §4.1). Between nodes
// the line's state excludes: who holds a lock has the line Shared or Dirty, and does not give it up.
#pragma once

#include <cstdint>

namespace racksim::gam {

class LineLock {
 public:
  bool is_free() const { return holders_ == 0; }
  bool is_read() const { return holders_ > 0; }
  bool is_written() const { return holders_ == kExclusive; }
  /// Whether one more may have it, in this mode.
  bool admits(bool exclusive) const { return is_free() || (!exclusive && is_read()); }
  void take(bool exclusive) { holders_ = exclusive ? kExclusive : static_cast<std::int16_t>(holders_ + 1); }
  void give_back() { holders_ = is_written() ? std::int16_t{0} : static_cast<std::int16_t>(holders_ - 1); }

 private:
  static constexpr std::int16_t kExclusive = -1;
  std::int16_t holders_ = 0;  // readers, or kExclusive
};

}  // namespace racksim::gam
