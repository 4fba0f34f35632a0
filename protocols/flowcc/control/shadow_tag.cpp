// See shadow_tag.hpp.
#include "protocols/flowcc/control/shadow_tag.hpp"

#include <algorithm>
#include <utility>

namespace racksim::flowcc {

ShadowTag::ShadowTag(std::uint64_t ways, std::uint64_t entries_per_way, std::uint64_t halvings)
    : ways_(ways), halvings_(halvings), entries_(ways * entries_per_way) {}

std::uint32_t ShadowTag::heat_of(const Entry& entry, std::uint64_t epoch) const {
  const std::uint64_t shift = halvings_ * (epoch - std::min<std::uint64_t>(epoch, entry.epoch));
  return shift < 32 ? entry.heat >> shift : 0;
}

ShadowTag::Entry* ShadowTag::coldest_of(std::uint64_t set, std::uint64_t epoch) {
  Entry* coldest = nullptr;
  for (std::uint64_t way = 0; way < ways_; ++way) {
    Entry& entry = entries_[set * ways_ + way];
    if (entry.tag_and_one == 0) continue;
    if (coldest == nullptr || heat_of(entry, epoch) < heat_of(*coldest, epoch)) coldest = &entry;
  }
  return coldest;
}

ShadowTag::Entry& ShadowTag::entry_for(Tag tag, std::uint64_t set, std::uint64_t epoch) {
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

void ShadowTag::note(Tag tag, std::uint64_t set, std::uint64_t epoch) {
  entry_for(tag, set, epoch);
}

void ShadowTag::heat(Tag tag, std::uint64_t set, std::uint32_t count, std::uint64_t epoch) {
  Entry& entry = entry_for(tag, set, epoch);
  entry.heat = heat_of(entry, epoch) + count;
  entry.epoch = static_cast<std::uint32_t>(epoch);
}

Tag ShadowTag::forget(Entry& entry) {
  --used_;
  return Tag{std::exchange(entry, {}).tag_and_one - 1};
}

std::optional<Tag> ShadowTag::take_coldest_of(std::uint64_t set, std::uint64_t epoch) {
  Entry* coldest = coldest_of(set, epoch);
  if (coldest == nullptr) return std::nullopt;
  return forget(*coldest);
}

std::vector<Tag> ShadowTag::take_coldest(std::uint64_t most, std::uint64_t epoch) {
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

bool ShadowTag::has(Tag tag, std::uint64_t set) const {
  const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(set * ways_);
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(ways_),
                     [tag](const Entry& entry) { return entry.tag_and_one == tag + 1; });
}

}  // namespace racksim::flowcc
