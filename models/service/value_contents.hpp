// The bytes that values stand for, where an application writes real ones. A value without bytes stands for its own
// number, little-endian, and zeros after it: what counters need, which atomic operations change without writing bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/record/ids.hpp"

namespace racksim::models {

class ValueContents {
 public:
  explicit ValueContents(std::uint64_t object_bytes) : object_bytes_(object_bytes) {}

  /// `value` is what `before` was with `bytes` written over it from `offset` on. Kept to the end of the run, since old
  /// copies may be read for as long.
  void compose(sim::Value value, sim::Value before, std::size_t offset, std::span<const std::byte> bytes);
  /// Copies what `value` holds from `offset` on.
  void copy(sim::Value value, std::size_t offset, std::span<std::byte> into) const;

 private:
  std::uint64_t object_bytes_;
  std::unordered_map<std::uint64_t, std::vector<std::byte>> contents_;
};

}  // namespace racksim::models
