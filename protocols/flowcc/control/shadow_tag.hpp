// SHADOW-TAG, the shadow node's idea of the switch's TAG arrays with a hotness for each block (Concordia §5.2.2).
//
// It follows what answers, reports and lists say, any of which may be lost, late or wrong, so it may have blocks that
// the switch has not, and miss some. That costs speed alone. All ways of the switch have a block's candidate places at
// one index: which of them it has does not matter here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "protocols/flowcc/rules/block.hpp"

namespace racksim::flowcc {

class ShadowTag {
 public:
  /// As many places as the switch has; hotness is halved so often when an epoch ends.
  ShadowTag(std::uint64_t ways, std::uint64_t entries_per_way, std::uint64_t halvings)
      : ways_(ways), halvings_(halvings), entries_(ways * entries_per_way) {}

  /// The switch has this block, at one of the places of index `set`. If all are taken the coldest block there is
  /// forgotten: the switch cannot have them all.
  void note(Tag tag, std::uint64_t set, std::uint64_t epoch) { entry_for(tag, set, epoch); }
  /// The same, and the block has been invalidated `count` times.
  void heat(Tag tag, std::uint64_t set, std::uint32_t count, std::uint64_t epoch) {
    Entry& entry = entry_for(tag, set, epoch);
    entry.heat = heat_of(entry, epoch) + count;
    entry.epoch = static_cast<std::uint32_t>(epoch);
  }
  /// Forgets the coldest block at an index, and says which it was; none if there is none.
  std::optional<Tag> take_coldest_of(std::uint64_t set, std::uint64_t epoch) {
    Entry* coldest = coldest_of(set, epoch);
    if (coldest == nullptr) return std::nullopt;
    return forget(*coldest);
  }
  /// Forgets the `most` coldest blocks of all, the coldest first.
  std::vector<Tag> take_coldest(std::uint64_t most, std::uint64_t epoch) {
    std::vector<Entry*> used;
    used.reserve(used_);
    for (Entry& entry : entries_) {
      if (entry.tag_and_one != 0) used.push_back(&entry);
    }
    const auto end = used.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(most, used.size()));
    std::partial_sort(used.begin(), end, used.end(), [&](const Entry* a, const Entry* b) {
      const std::uint32_t heat_a = heat_of(*a, epoch), heat_b = heat_of(*b, epoch);
      return heat_a != heat_b ? heat_a < heat_b : a->tag_and_one < b->tag_and_one;
    });
    std::vector<Tag> tags;
    for (auto entry = used.begin(); entry != end; ++entry) tags.push_back(forget(**entry));
    return tags;
  }

  std::uint64_t places() const { return entries_.size(); }
  std::uint64_t used() const { return used_; }
  bool has(Tag tag, std::uint64_t set) const {
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(set * ways_);
    return std::any_of(first, first + static_cast<std::ptrdiff_t>(ways_),
                       [tag](const Entry& entry) { return entry.tag_and_one == tag + 1; });
  }

 private:
  struct Entry {
    std::uint64_t tag_and_one = 0;  // 0: nobody's
    std::uint32_t heat = 0;         // at the end of `epoch`
    std::uint32_t epoch = 0;
  };
  /// What an entry's heat has come to by an epoch, without a pass over all of them when one ends.
  std::uint32_t heat_of(const Entry& entry, std::uint64_t epoch) const {
    const std::uint64_t shift = halvings_ * (epoch - std::min<std::uint64_t>(epoch, entry.epoch));
    return shift < 32 ? entry.heat >> shift : 0;
  }
  Entry& entry_for(Tag tag, std::uint64_t set, std::uint64_t epoch) {
    Entry* free = nullptr;
    for (std::uint64_t way = 0; way < ways_; ++way) {
      Entry& entry = entries_[set * ways_ + way];
      if (entry.tag_and_one == tag + 1) return entry;
      if (entry.tag_and_one == 0 && free == nullptr) free = &entry;
    }
    if (free == nullptr) {
      free = coldest_of(set, epoch);
      forget(*free);
    }
    *free = {.tag_and_one = tag + 1, .heat = 0, .epoch = static_cast<std::uint32_t>(epoch)};
    ++used_;
    return *free;
  }
  Entry* coldest_of(std::uint64_t set, std::uint64_t epoch) {
    Entry* coldest = nullptr;
    for (std::uint64_t way = 0; way < ways_; ++way) {
      Entry& entry = entries_[set * ways_ + way];
      if (entry.tag_and_one == 0) continue;
      if (coldest == nullptr || heat_of(entry, epoch) < heat_of(*coldest, epoch)) coldest = &entry;
    }
    return coldest;
  }
  Tag forget(Entry& entry) {
    --used_;
    return Tag{std::exchange(entry, {}).tag_and_one - 1};
  }

  std::uint64_t ways_, halvings_;
  std::vector<Entry> entries_;  // index by index, all ways of one together
  std::uint64_t used_ = 0;
};

}  // namespace racksim::flowcc
