// How a protocol shows where the values of its keys are: at their homes, and in copies. In words that fit every
// protocol, so that oracles can judge them (values_at_rest_oracle.hpp) and begin from them.
#pragma once

#include <cstdint>

#include "sim/record/ids.hpp"

namespace racksim::sim {

/// Who holds a copy: a node, or the switch.
class Holder {
 public:
  static constexpr Holder node(std::uint32_t number) { return Holder(number); }
  static constexpr Holder network_switch() { return Holder(kSwitch); }

  constexpr bool is_switch() const { return number_ == kSwitch; }
  /// The node's number; not of the switch.
  constexpr std::uint32_t number() const { return number_; }
  auto operator<=>(const Holder&) const = default;

 private:
  static constexpr std::uint32_t kSwitch = 0xffffffff;
  explicit constexpr Holder(std::uint32_t number) : number_(number) {}
  std::uint32_t number_;
};

/// A clean copy may be read without asking anybody, a dirty one also written: the home may be older then.
enum class CopyState : std::uint8_t { clean, dirty };

/// Told the state of memory and caches by a protocol, in any order.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  /// The value that the home of a key has. Not of keys that were never written, nor of keys that a node holds dirty.
  virtual void home(Key key, Value value) = 0;
  /// A copy that its holder would use. An item in several pieces may be shown piece by piece.
  virtual void copy(Key key, Holder holder, Value value, CopyState state) = 0;
  /// The key's value went with something that the protocol does not promise to survive: nothing can be said of it.
  virtual void lost(Key key) = 0;
};

}  // namespace racksim::sim
