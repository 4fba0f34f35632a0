// What the packets of an answer held, from which it is judged whether an item was read whole: outside the protocol, and
// from all packets, not from the first.
//
// An item of several packets can be torn: a packet is missing, counts twice or is of another key, or packets of two
// writes are put together (StarCache §3.9: items of several packets circulate one by one).
#pragma once

#include <cstdint>

#include "sim/record/ids.hpp"

namespace racksim::models {

/// A packet's share of an item.
struct ItemPart {
  sim::Key key = 0;
  unsigned number = 0;      ///< which part of the item, below ItemParts::kMost
  std::uint32_t bytes = 0;  ///< of the value
  sim::Value value = 0;     ///< that these bytes belong to
};

/// The parts of one answer. Whoever reads an item notes those that make it up, each as it is taken.
class ItemParts {
 public:
  /// The most parts of an item.
  static constexpr unsigned kMost = 64;

  enum class Flaw : std::uint8_t {
    none,
    foreign,  ///< one of them is of another key
    mixed,    ///< one of them is of another value
    missing   ///< they are too short: one is missing
  };
  struct Verdict {
    Flaw flaw = Flaw::none;
    std::uint64_t detail = 0;  ///< the other key; the other value; the bytes that came
  };

  /// A part that has come before adds no bytes.
  void add(const ItemPart& part) {
    if (numbers_ == 0) first_ = odd_key_ = odd_value_ = part;
    if (part.key != first_.key) odd_key_ = part;
    if (part.value != first_.value) odd_value_ = part;
    const std::uint64_t bit = std::uint64_t{1} << part.number % kMost;
    if ((numbers_ & bit) == 0) bytes_ += part.bytes;
    numbers_ |= bit;
  }

  /// Whether they are all of this key and value, and together as long as the item, or longer: short values may be
  /// padded.
  Verdict judge(sim::Key key, sim::Value value, std::uint32_t bytes) const {
    if (numbers_ != 0 && first_.key != key) return {Flaw::foreign, first_.key};
    if (odd_key_.key != first_.key) return {Flaw::foreign, odd_key_.key};
    if (numbers_ != 0 && first_.value != value) return {Flaw::mixed, first_.value};
    if (odd_value_.value != first_.value) return {Flaw::mixed, odd_value_.value};
    if (bytes_ < bytes) return {Flaw::missing, bytes_};
    return {};
  }

 private:
  std::uint64_t numbers_ = 0;  // a bit for each part that has come
  std::uint64_t bytes_ = 0;    // of those
  ItemPart first_, odd_key_, odd_value_;
};

}  // namespace racksim::models
