// Finding and keeping states. See state_store.hpp.
#include "sim/exploration/state_store.hpp"

#include <cstring>
#include <stdexcept>

#include "sim/record/run_hash.hpp"

namespace racksim::sim {

std::pair<std::uint32_t, bool> StateStore::add(std::string_view encoding) {
  if (encoding.size() > 0xffff) throw std::length_error("the encoding of a state has more than 64 KiB");
  if ((extents_.size() + 1) * 3 > table_.size() * 2) grow();
  HashMixer mixer(0);
  mixer.add(encoding);
  const std::uint64_t hash = mixer.finish().low;
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  for (; table_[at] != kNone; at = (at + 1) & mask) {
    const std::uint32_t number = table_[at];
    if (extents_[number].hash == static_cast<std::uint32_t>(hash) && state(number) == encoding) return {number, false};
  }
  if (used_ + encoding.size() > kBlock) {
    blocks_.push_back(std::make_unique<char[]>(kBlock));
    used_ = 0;
  }
  std::memcpy(blocks_.back().get() + used_, encoding.data(), encoding.size());
  const auto number = static_cast<std::uint32_t>(extents_.size());
  extents_.push_back({static_cast<std::uint32_t>(blocks_.size() - 1), static_cast<std::uint32_t>(used_),
                      static_cast<std::uint32_t>(encoding.size()), static_cast<std::uint32_t>(hash)});
  used_ += encoding.size();
  table_[at] = number;
  return {number, true};
}

// The low 32 bits of the hash are kept, which find the place in tables of up to 2^32.
void StateStore::grow() {
  std::vector<std::uint32_t> table(table_.size() * 2, kNone);
  const std::size_t mask = table.size() - 1;
  for (std::uint32_t number = 0; number < extents_.size(); ++number) {
    std::size_t at = extents_[number].hash & mask;
    while (table[at] != kNone) at = (at + 1) & mask;
    table[at] = number;
  }
  table_ = std::move(table);
}

}  // namespace racksim::sim
