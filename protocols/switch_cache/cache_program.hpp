// What the program of every cache in the switch has: how it recognises the application's messages, and the handles that
// the control plane fills and reads it by.
#pragma once

#include <memory>

#include "p4model/execute/forwarding.hpp"
#include "p4model/language/forward.hpp"
#include "p4model/language/header.hpp"
#include "p4model/language/register_array.hpp"
#include "protocols/store/version.hpp"

namespace racksim::switch_cache {

/// The halves of an entry of an array of pairs, as the control plane sees it.
inline std::uint64_t low_half(const p4::RegisterArray& array, std::uint64_t entry) {
  return entry & p4::mask_of(array.width.bits);
}
inline std::uint64_t high_half(const p4::RegisterArray& array, std::uint64_t entry) {
  return entry >> array.width.bits;
}
inline std::uint64_t pair(const p4::RegisterArray& array, std::uint64_t low, std::uint64_t high) {
  return high << array.width.bits | low;
}

struct CacheProgram {
  std::shared_ptr<const p4::Program> program;
  const p4::Table* lookup = nullptr;      ///< (high, low half of the key's hash) -> set_index
  const p4::Action* set_index = nullptr;  ///< value: the table index, below cache_entries
  p4::Forwarding forwarding{};

  // By table index.
  const p4::RegisterArray* state = nullptr;       ///< 1 when valid; with versions lo: version, hi: 1 when valid
  const p4::RegisterArray* popularity = nullptr;  ///< reads of the key that the cache has taken
  // One entry.
  const p4::RegisterArray* hits = nullptr;  ///< the same of all keys

  bool has_versions() const { return state->width.pair; }
  /// What an entry of STATE says.
  bool is_valid(std::uint64_t entry) const { return (has_versions() ? high_half(*state, entry) : entry) != 0; }
  store::Version version_in(std::uint64_t entry) const {
    return has_versions() ? store::Version{low_half(*state, entry)} : store::kNoVersion;
  }
};

/// Adds the ingress states from Ethernet to the application's last header: StoreHeader, MeasureHeader and, with
/// `safety`, SafetyHeader. Messages are known by reserved UDP ports (StarCache §3.1, NetCache §4.1); all other packets
/// end after their UDP header. Returns the state of the last header, which accepts unless it is told to go on.
p4::ParserState& append_parser(p4::Program& program, bool safety);

/// Makes the lookup table, for `entries` keys: a hit sets `index`.
p4::Table& make_lookup(p4::Program& program, p4::FieldRef index, std::uint64_t entries, CacheProgram& out);

/// An action that adds 1 to an entry of an array.
p4::RegisterAction& count_one(p4::RegisterArray& array);

/// Makes an action that counts a read which the cache has taken, of the key and of all keys.
p4::Action& make_read_counter(p4::Program& program, const char* name, p4::FieldRef index, std::uint64_t entries,
                              CacheProgram& out);

/// Has an action count the versions in the low half of STATE (store/version.hpp): 1 follows after the largest.
p4::RegisterAction& count_up(p4::RegisterAction& begin, std::uint64_t largest_version);

}  // namespace racksim::switch_cache
