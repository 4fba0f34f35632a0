// Live memory: what is allocated at the same time does not overlap.
//
// A piece certainly is its session's from the end of the allocation to the beginning of the free. A free names the block
// in which its piece begins and not the piece; where several begin in one block any of them may be the one, until all
// are freed or somebody gets the memory of one again.
//
// Memory: a node of a map for each live piece.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// Reads the beginnings and ends of allocations, and the beginnings of frees. The violation is an allocation that
/// overlaps an earlier one. Memory at address 0 is not told from none, and not judged.
class LiveMemory final : public Observer {
 public:
  /// Blocks are of `1 << block_bits` bytes. `event_log` gives names and must outlive this.
  LiveMemory(const EventLog& event_log, unsigned block_bits) : event_log_(event_log), block_bits_(block_bits) {}

  ObservedKinds kinds() const override {
    return {Observed::operation_begun, Observed::operation_ended, Observed::operation_given_up};
  }
  void observe(const Observation& observation) override {
    const bool begins = observation.what == Observed::operation_begun;
    const bool ends = observation.what == Observed::operation_ended;
    if (!begins && !ends && observation.what != Observed::operation_given_up) return;
    const auto operation = OperationView::of(observation);
    if (operation.kind == OperationKind::free && begins) return freed(operation.key);
    if (operation.kind != OperationKind::allocate) return;
    if (begins) {
      asked_[observation.operation] = operation.value;
    } else if (const auto asked = asked_.find(observation.operation); asked != asked_.end()) {
      const std::uint64_t bytes = asked->second;
      asked_.erase(asked);
      if (ends && operation.value != 0) allocated(observation, operation.value, bytes);
    }
  }

  /// The first ones.
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  static constexpr std::size_t kKept = 20;

  struct Piece {
    std::uint64_t bytes;
    OperationId operation;
    Source session;
  };
  using Pieces = std::map<std::uint64_t, Piece>;  // by first address

  std::uint64_t end_of(Pieces::const_iterator piece) const { return piece->first + piece->second.bytes; }

  void allocated(const Observation& observation, std::uint64_t first, std::uint64_t bytes) {
    auto piece = live_.lower_bound(first);
    if (piece != live_.begin() && end_of(std::prev(piece)) > first) --piece;
    while (piece != live_.end() && piece->first < first + bytes) {
      const auto unsure = unsure_.find(piece->first >> block_bits_);
      if (unsure != unsure_.end()) {  // this one was freed
        if (--unsure->second == 0) unsure_.erase(unsure);
      } else if (violations_.size() < kKept) {
        violations_.push_back({"overlapping-memory",
                               observation.at,
                               fmt::format("{} got {} bytes at {:#x}, and {} has {} at {:#x}",
                                           event_log_.operation(observation.operation, observation.source), bytes,
                                           first, event_log_.operation(piece->second.operation, piece->second.session),
                                           piece->second.bytes, piece->first),
                               {Key{first >> block_bits_}, {observation.operation, piece->second.operation}}});
      }
      piece = live_.erase(piece);
    }
    live_.emplace(first, Piece{bytes, observation.operation, observation.source});
  }

  void freed(std::uint64_t block) {
    const auto first = live_.lower_bound(block << block_bits_), end = live_.lower_bound((block + 1) << block_bits_);
    const auto live = static_cast<std::uint64_t>(std::distance(first, end));
    if (live == 0) return;  // what was there before the run
    if (++unsure_[block] < live) return;
    unsure_.erase(block);
    live_.erase(first, end);
  }

  const EventLog& event_log_;
  unsigned block_bits_;
  std::map<std::uint64_t, std::uint64_t> asked_;  // by operation: bytes
  Pieces live_;
  std::map<std::uint64_t, std::uint64_t> unsure_;  // by block: frees of one of the pieces that begin there
  std::vector<Violation> violations_;
};

}  // namespace racksim::sim
