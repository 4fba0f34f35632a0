// The states that a search has seen, each as a 128-bit fingerprint.
//
// A fingerprint is the sum of one 128-bit mix per component of the state, so a step that changes one component updates
// it in constant time (Zobrist, "A New Hashing Method with Application for Game Playing", 1970). Two different states
// with one fingerprint could only make a search overlook a state; with s states seen that happens with a chance of
// about s^2 / 2^129.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <unordered_set>

#include "sim/record/run_hash.hpp"

namespace racksim::sim::checkers {

/// The fingerprint of a state as a set of components.
class Fingerprint {
 public:
  bool operator==(const Fingerprint&) const = default;

  /// Adds a component: its name and its content.
  void add(std::uint64_t name, std::span<const std::uint64_t> content) { sum_ += mixed(name, content); }
  void add(std::uint64_t name, std::uint64_t content = 0) { add(name, {&content, 1}); }

  /// Takes a component out again, with the content that it was added with.
  void remove(std::uint64_t name, std::span<const std::uint64_t> content) {
    const auto mix = mixed(name, content);
    const std::uint64_t low = ~mix.low + 1;
    sum_ += {~mix.high + (low == 0 ? 1 : 0), low};
  }
  void remove(std::uint64_t name, std::uint64_t content = 0) { remove(name, {&content, 1}); }

  struct Hash {
    std::size_t operator()(const Fingerprint& fingerprint) const {
      return static_cast<std::size_t>(fingerprint.sum_.low);
    }
  };

 private:
  static RunHash mixed(std::uint64_t name, std::span<const std::uint64_t> content) {
    HashMixer mixer(name);
    mixer.add(content.size());
    for (const auto word : content) mixer.add(word);
    return mixer.finish();
  }

  RunHash sum_;
};

/// The states seen so far.
class VisitedStates {
 public:
  /// Whether the state is worth a visit, which is then noted. It is not if it was seen, or if it was seen with one of
  /// the `optional` components missing: pending operations that were taken, each of which a state that lacks it could
  /// take just as well, or leave alone.
  bool is_news(const Fingerprint& state, std::span<const std::size_t> optional = {}) {
    if (!seen_.insert(state).second) return false;
    for (const auto component : optional) {
      auto without = state;
      without.remove(component);
      if (seen_.contains(without)) return false;
    }
    return true;
  }

 private:
  std::unordered_set<Fingerprint, Fingerprint::Hash> seen_;  // nothing depends on its order
};

}  // namespace racksim::sim::checkers
