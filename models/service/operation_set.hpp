// A set of kinds of operations: what a service offers, or a workload needs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "sim/record/history.hpp"

namespace racksim::models {

class OperationSet {
 public:
  constexpr OperationSet() = default;
  constexpr OperationSet(std::initializer_list<sim::OperationKind> kinds) {
    for (const sim::OperationKind kind : kinds) bits_ |= bit(kind);
  }

  constexpr bool has(sim::OperationKind kind) const { return (bits_ & bit(kind)) != 0; }
  /// Those of this set that `other` lacks.
  constexpr OperationSet without(OperationSet other) const { return OperationSet(bits_ & ~other.bits_); }
  constexpr OperationSet with(OperationSet other) const { return OperationSet(bits_ | other.bits_); }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const OperationSet&) const = default;

  /// "read, write and fence".
  std::string names() const {
    std::string text;
    std::uint32_t left = bits_;
    for (std::uint8_t kind = 0; left != 0; ++kind, left >>= 1) {
      if ((left & 1) == 0) continue;
      if (!text.empty()) text += left == 1 ? " and " : ", ";
      text += sim::to_string(static_cast<sim::OperationKind>(kind));
    }
    return text.empty() ? "nothing" : text;
  }

 private:
  static constexpr std::uint32_t bit(sim::OperationKind kind) { return 1U << static_cast<unsigned>(kind); }
  explicit constexpr OperationSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

/// Exclusive and shared locks, asked for once or until they are granted.
inline constexpr OperationSet kLocks{sim::OperationKind::lock, sim::OperationKind::lock_shared,
                                     sim::OperationKind::try_lock, sim::OperationKind::try_lock_shared,
                                     sim::OperationKind::unlock};
inline constexpr OperationSet kAtomics{sim::OperationKind::compare_and_swap, sim::OperationKind::fetch_and_add};

}  // namespace racksim::models
