// What of NetCache a run can exercise: the states of a key in which messages meet the switch (NetCache §4.2 to §4.4),
// and the races that the paper or the comments of this folder name.
#pragma once

#include <cstdint>

#include "protocols/netcache/messages.hpp"
#include "protocols/store/coverage.hpp"
#include "protocols/switch_cache/messages.hpp"
#include "protocols/switch_cache/switch_coverage.hpp"

namespace racksim::netcache {

/// A race, by the rule or comment that answers it.
struct Races : store::Races {
  sim::RacePoint update_overtaken = add("switch: an update that a write or fetch has overtaken is not taken (§4.3)");
  sim::RacePoint update_of_evicted_key =
      add("switch: an update comes for a key that is not cached any more, or not yet");
  sim::RacePoint rule_i = add("server: a write is refused because a later write or fetch has been executed (rule i)");
  sim::RacePoint rule_ii = add("server: a write without a version is refused, its key perhaps cached (rule ii)");
  sim::RacePoint write_held = add("server: a write waits for an update of its key (§4.3)");
  sim::RacePoint held_write_repeated = add("server: a write that waits is sent again");
  sim::RacePoint next_held_write_updates =
      add("server: of the writes that waited the first begins an update, and the others wait again");
  sim::RacePoint update_superseded =
      add("server: a fetch or a repeated write begins an update while another is under way");
  sim::RacePoint update_repeated = add("server: an update is sent again");
  sim::RacePoint acknowledgement_of_earlier_update =
      add("server: the acknowledgement of an update that a later one has replaced");
  sim::RacePoint crash_forgets_update = add("server: a crash forgets an update that is under way");
  sim::RacePoint hot_key_cached_by_now = add("controller: a key is reported as hot that is cached by now");
  sim::RacePoint fetch_given_up = add("controller: a fetch is given up");
  sim::RacePoint late_reply_to_controller = add("controller: an answer to a request that is over");
  sim::RacePoint boot_while_installing = add("controller: the switch boots during an insertion");
  sim::RacePoint boot_while_evicting = add("controller: the switch boots during a removal");
  sim::RacePoint revived_invalid = add("controller: a key that has stayed invalid is fetched again");
};
inline constexpr Races races{};
/// Those that the controllers of all caches know.
inline constexpr switch_cache::ControllerRaces controller_races{.fetch_given_up = races.fetch_given_up,
                                                                .late_reply = races.late_reply_to_controller,
                                                                .boot_while_installing = races.boot_while_installing,
                                                                .boot_while_evicting = races.boot_while_evicting,
                                                                .revived_invalid = races.revived_invalid};

/// The numbers of a key's states in the map.
enum class KeyState : std::uint8_t { not_cached, invalid, valid };

/// Messages about a key.
inline constexpr switch_cache::MessageKind kMessages[] = {
    {store::Op::read_request, "R-REQ"},
    {store::Op::read_reply, "R-REP of a server"},
    {store::Op::write_request, "W-REQ"},
    {store::Op::write_reply, "W-REP"},
    {store::Op::correction_request, "CRN-REQ"},
    {switch_cache::kFetchRequest, "F-REQ"},
    {switch_cache::kFetchReply, "F-REP"},
    {store::Op::write_refused, "W-REFUSED"},
    {switch_cache::kEviction, "E-REQ"},
    {switch_cache::kEvictionReply, "E-REP"},
    {kCacheUpdate, "UPDATE"},
};

/// What NetCache declares when it registers.
sim::CoverageMap coverage_map();

/// Marks what passes of NetCache's pipeline exercise (NetCache §4.4).
class SwitchCoverage final : public switch_cache::SwitchCoverage {
 public:
  SwitchCoverage(store::Shared& shared, const switch_cache::CacheManager& manager)
      : switch_cache::SwitchCoverage(shared, manager, kMessages) {}

 private:
  std::size_t state_of(const Met& met, const std::optional<switch_cache::RowAt>& row) override;
  void note_races(const Met& met, bool cached, const p4::Verdict& verdict) const override;
};

}  // namespace racksim::netcache
