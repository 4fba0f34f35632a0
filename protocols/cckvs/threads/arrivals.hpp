// Which of a sender's numbered messages have come, of those that may be lost, doubled and late (ccKVS does not say how:
// it counts, which holds as long as nothing is lost). Numbers count from 1 and may wrap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace racksim::cckvs {

/// Whether a number comes after another, less than half of all numbers away.
constexpr bool comes_after(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) > 0;
}

class Arrivals {
 public:
  /// A message has come.
  void take(std::uint32_t number) {
    if (!comes_after(number, up_to_)) return;
    if (std::find(beyond_.begin(), beyond_.end(), number) == beyond_.end()) beyond_.push_back(number);
    advance();
  }
  /// Those up to `number` that have not come are lost, or might as well be.
  void skip_to(std::uint32_t number) {
    if (!comes_after(number, up_to_)) return;
    up_to_ = number;
    std::erase_if(beyond_, [number](std::uint32_t other) { return !comes_after(other, number); });
    advance();
  }
  /// All up to this have come, or are skipped.
  std::uint32_t up_to() const { return up_to_; }

 private:
  void advance() {
    for (auto next = beyond_.begin(); next != beyond_.end();) {
      next = std::find(beyond_.begin(), beyond_.end(), up_to_ + 1);
      if (next == beyond_.end()) return;
      beyond_.erase(next);
      ++up_to_;
      next = beyond_.begin();
    }
  }

  std::uint32_t up_to_ = 0;
  std::vector<std::uint32_t> beyond_;  // those behind a gap: as many as there are credits
};

}  // namespace racksim::cckvs
