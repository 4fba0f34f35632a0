// What of NetCache a run can exercise: the states of a key in which messages meet the switch (NetCache §4.2 to §4.4),
// and the races that the paper or the comments of this folder name.
#pragma once

#include <cstdint>

#include "protocols/store/coverage.hpp"
#include "protocols/store/messages.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::netcache {

/// A race, by the rule or comment that answers it. The names are in coverage.cpp, in this order; the application's
/// (protocols/store/coverage.hpp) come before them.
enum class RacePoint : std::uint8_t {
  update_overtaken = static_cast<std::uint8_t>(store::RacePoint::count),
  update_of_evicted_key,
  rule_i,
  rule_ii,
  write_held,
  held_write_repeated,
  next_held_write_updates,
  update_superseded,
  update_repeated,
  acknowledgement_of_earlier_update,
  crash_forgets_update,
  hot_key_cached_by_now,
  fetch_given_up,
  late_reply_to_controller,
  boot_while_installing,
  boot_while_evicting,
  revived_invalid,
  count
};

/// What NetCache declares when it registers.
sim::CoverageMap coverage_map();

/// The numbers of a key's states in that map.
enum class KeyState : std::uint8_t { not_cached, invalid, valid };
inline constexpr std::size_t kNoMessage = ~std::size_t{0};
/// The number of a message in that map; kNoMessage for one that is about no key.
std::size_t coverage_message(store::Op op);

}  // namespace racksim::netcache
