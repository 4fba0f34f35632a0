// What of StarCache a run can exercise: the states of a key in which messages meet the switch (StarCache §3.3, §3.4),
// and the races that the paper or the comments of this folder name.
#pragma once

#include <cstdint>

#include "protocols/store/coverage.hpp"
#include "protocols/store/messages.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::starcache {

/// A key's row of the state table, and its queue.
enum class Validity : std::uint8_t { invalid, valid };
enum class QueueState : std::uint8_t { empty, waiting, full };

/// A race, by the rule or comment that answers it. The names are in coverage.cpp, in this order; the application's
/// (protocols/store/coverage.hpp) come before them.
enum class RacePoint : std::uint8_t {
  stale_packet_dropped = static_cast<std::uint8_t>(store::RacePoint::count),
  evicted_packet_dropped,
  invalidated_while_served,
  fetch_reply_overtaken,
  write_reply_overtaken,
  write_reply_from_before_insertion,
  rule_i,
  rule_ii,
  requests_sent_on,
  fetch_given_up,
  late_reply_to_controller,
  boot_while_installing,
  boot_while_evicting,
  boot_while_fetching,
  revived_invalid,
  revived_with_requests,
  report_repeated,
  count
};

/// What StarCache declares when it registers.
sim::CoverageMap coverage_map();

inline constexpr std::size_t kNotCached = 0;
/// The number of a cached key's state in that map.
constexpr std::size_t coverage_state(Validity validity, QueueState queue) {
  return 1 + static_cast<std::size_t>(validity) * 3 + static_cast<std::size_t>(queue);
}
inline constexpr std::size_t kNoMessage = ~std::size_t{0};
/// The number of a message in that map, by the way that it came; kNoMessage for one that is about no key.
std::size_t coverage_message(store::Op op, bool recirculated);

}  // namespace racksim::starcache
