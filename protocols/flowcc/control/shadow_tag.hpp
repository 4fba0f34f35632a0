// SHADOW-TAG, the shadow node's idea of the switch's TAG arrays with a hotness for each block (Concordia §5.2.2).
//
// It follows what answers, reports and lists say, any of which may be lost, late or wrong, so it may have blocks that
// the switch has not, and miss some. That costs speed alone. All ways of the switch have a block's candidate places at
// one index: which of them it has does not matter here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocols/flowcc/rules/block.hpp"

namespace racksim::flowcc {

class ShadowTag {
 public:
  /// As many places as the switch has; hotness is halved so often when an epoch ends.
  ShadowTag(std::uint64_t ways, std::uint64_t entries_per_way, std::uint64_t halvings);

  /// The switch has this block, at one of the places of index `set`. If all are taken the coldest block there is
  /// forgotten: the switch cannot have them all.
  void note(Tag tag, std::uint64_t set, std::uint64_t epoch);
  /// The same, and the block has been invalidated `count` times.
  void heat(Tag tag, std::uint64_t set, std::uint32_t count, std::uint64_t epoch);
  /// Forgets the coldest block at an index, and says which it was; none if there is none.
  std::optional<Tag> take_coldest_of(std::uint64_t set, std::uint64_t epoch);
  /// Forgets the `most` coldest blocks of all, the coldest first.
  std::vector<Tag> take_coldest(std::uint64_t most, std::uint64_t epoch);

  std::uint64_t places() const { return entries_.size(); }
  std::uint64_t used() const { return used_; }
  bool has(Tag tag, std::uint64_t set) const;

 private:
  struct Entry {
    std::uint64_t tag_and_one = 0;  // 0: nobody's
    std::uint32_t heat = 0;         // at the end of `epoch`
    std::uint32_t epoch = 0;
  };
  /// What an entry's heat has come to by an epoch, without a pass over all of them when one ends.
  std::uint32_t heat_of(const Entry& entry, std::uint64_t epoch) const;
  Entry& entry_for(Tag tag, std::uint64_t set, std::uint64_t epoch);
  Entry* coldest_of(std::uint64_t set, std::uint64_t epoch);
  Tag forget(Entry& entry);

  std::uint64_t ways_, halvings_;
  std::vector<Entry> entries_;  // index by index, all ways of one together
  std::uint64_t used_ = 0;
};

}  // namespace racksim::flowcc
