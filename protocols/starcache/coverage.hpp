// What of StarCache a run can exercise: the states of a key in which messages meet the switch (StarCache §3.3, §3.4),
// and the races that the paper or the comments of this folder name.
#pragma once

#include <cstdint>

#include "protocols/starcache/options.hpp"
#include "protocols/starcache/star_program.hpp"
#include "protocols/store/coverage.hpp"
#include "protocols/switch_cache/messages.hpp"
#include "protocols/switch_cache/switch_coverage.hpp"

namespace racksim::starcache {

/// A race, by the rule or comment that answers it.
struct Races : store::Races {
  sim::RacePoint stale_packet_dropped =
      add("switch: a cache packet is dropped, its key invalid or of another version (§3.7)");
  sim::RacePoint evicted_packet_dropped = add("switch: a cache packet is dropped, its key evicted (§3.3)");
  sim::RacePoint invalidated_while_served =
      add("switch: a write or fetch invalidates an item of which a request has got some packets");
  sim::RacePoint fetch_reply_overtaken =
      add("switch: a fetch reply that a write or fetch has overtaken does not validate");
  sim::RacePoint write_reply_overtaken =
      add("switch: a write reply that a write or fetch has overtaken does not validate");
  sim::RacePoint write_reply_from_before_insertion =
      add("switch: a reply to a write from before its key was cached does not validate");
  sim::RacePoint rule_i = add("server: a write is refused because a later write or fetch has been executed (rule i)");
  sim::RacePoint rule_ii = add("server: a write without a version is refused, its key perhaps cached (rule ii)");
  sim::RacePoint requests_sent_on =
      add("controller: requests wait for a key that is evicted, and are sent on to its server");
  sim::RacePoint fetch_given_up = add("controller: a fetch is given up");
  sim::RacePoint late_reply_to_controller = add("controller: an answer to a request that is over");
  sim::RacePoint boot_while_installing = add("controller: the switch boots during an insertion");
  sim::RacePoint boot_while_evicting = add("controller: the switch boots during a removal");
  sim::RacePoint boot_while_fetching = add("controller: the switch boots during a fetch of a preloaded key");
  sim::RacePoint revived_invalid = add("controller: a key that has stayed invalid is fetched again");
  sim::RacePoint revived_with_requests =
      add("controller: a key whose requests are not served any more is fetched again");
  sim::RacePoint report_repeated = add("server: a report is sent again");
};
inline constexpr Races races{};
/// Those that the controllers of all caches know.
inline constexpr switch_cache::ControllerRaces controller_races{.fetch_given_up = races.fetch_given_up,
                                                                .late_reply = races.late_reply_to_controller,
                                                                .boot_while_installing = races.boot_while_installing,
                                                                .boot_while_evicting = races.boot_while_evicting,
                                                                .revived_invalid = races.revived_invalid,
                                                                .revived_with_requests = races.revived_with_requests};

/// A key's row of the state table, and its queue.
enum class Validity : std::uint8_t { invalid, valid };
enum class QueueState : std::uint8_t { empty, waiting, full };

inline constexpr std::size_t kNotCached = 0;
/// The number of a cached key's state in the map.
constexpr std::size_t coverage_state(Validity validity, QueueState queue) {
  return 1 + static_cast<std::size_t>(validity) * 3 + static_cast<std::size_t>(queue);
}

/// Messages about a key, by the way that they come.
inline constexpr switch_cache::MessageKind kMessages[] = {
    {store::Op::read_request, "R-REQ"},
    {store::Op::read_reply, "R-REP of a server"},
    {store::Op::read_reply, "R-REP that circulates", true},
    {store::Op::write_request, "W-REQ"},
    {store::Op::write_reply, "W-REP of a server"},
    {store::Op::write_reply, "W-REP in its first loop", true},
    {store::Op::correction_request, "CRN-REQ"},
    {switch_cache::kFetchRequest, "F-REQ"},
    {switch_cache::kFetchReply, "F-REP of a server"},
    {switch_cache::kFetchReply, "F-REP in its first loop", true},
    {store::Op::write_refused, "W-REFUSED"},
    {switch_cache::kEviction, "E-REQ"},
    {switch_cache::kEvictionReply, "E-REP"},
};

/// What StarCache declares when it registers.
sim::CoverageMap coverage_map();

/// Marks what passes of StarCache's pipeline exercise (StarCache §3.3, Figure 4).
class SwitchCoverage final : public switch_cache::SwitchCoverage {
 public:
  SwitchCoverage(store::Shared& shared, const StarCacheOptions& options, const StarProgram& program,
                 const switch_cache::CacheManager& manager)
      : switch_cache::SwitchCoverage(shared, manager, kMessages), options_(options), program_(program) {}

 private:
  bool recirculated(store::Op op, unsigned port) const override;
  std::size_t state_of(const Met& met, const std::optional<switch_cache::RowAt>& row) override;
  void note_races(const Met& met, bool cached, const p4::Verdict& verdict) const override;

  const StarCacheOptions& options_;
  StarProgram program_;
  bool served_ = false;  // some packets of the item, but not all, have gone to the request at the front
};

}  // namespace racksim::starcache
