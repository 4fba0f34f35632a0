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

#include "sim/run_hash.hpp"

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

/// A set of fingerprints; nothing depends on its order.
using VisitedStates = std::unordered_set<Fingerprint, Fingerprint::Hash>;

}  // namespace racksim::sim::checkers
