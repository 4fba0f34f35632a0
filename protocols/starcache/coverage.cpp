// The names of what can be covered. See coverage.hpp.
#include "protocols/starcache/coverage.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "protocols/switch_cache/messages.hpp"

namespace racksim::starcache {

namespace {

using store::Op;

struct HandledMessage {
  Op op;
  bool recirculated;
  const char* name;
};
constexpr HandledMessage kHandledMessages[] = {
    {Op::read_request, false, "R-REQ"},
    {Op::read_reply, false, "R-REP of a server"},
    {Op::read_reply, true, "R-REP that circulates"},
    {Op::write_request, false, "W-REQ"},
    {Op::write_reply, false, "W-REP of a server"},
    {Op::write_reply, true, "W-REP in its first loop"},
    {Op::correction_request, false, "CRN-REQ"},
    {switch_cache::kFetchRequest, false, "F-REQ"},
    {switch_cache::kFetchReply, false, "F-REP of a server"},
    {switch_cache::kFetchReply, true, "F-REP in its first loop"},
    {Op::write_refused, false, "W-REFUSED"},
    {switch_cache::kEviction, false, "E-REQ"},
    {switch_cache::kEvictionReply, false, "E-REP"},
};

constexpr std::array kRaces{
    "switch: a cache packet is dropped, its key invalid or of another version (§3.7)",
    "switch: a cache packet is dropped, its key evicted (§3.3)",
    "switch: a write or fetch invalidates an item of which a request has got some packets",
    "switch: a fetch reply that a write or fetch has overtaken does not validate",
    "switch: a write reply that a write or fetch has overtaken does not validate",
    "switch: a reply to a write from before its key was cached does not validate",
    "server: a write is refused because a later write or fetch has been executed (rule i)",
    "server: a write without a version is refused, its key perhaps cached (rule ii)",
    "controller: requests wait for a key that is evicted, and are sent on to its server",
    "controller: a fetch is given up",
    "controller: an answer to a request that is over",
    "controller: the switch boots during an insertion",
    "controller: the switch boots during a removal",
    "controller: the switch boots during a fetch of a preloaded key",
    "controller: a key that has stayed invalid is fetched again",
    "controller: a key whose requests are not served any more is fetched again",
    "server: a report is sent again",
};
static_assert(kRaces.size() ==
              static_cast<std::size_t>(RacePoint::count) - static_cast<std::size_t>(store::RacePoint::count));

}  // namespace

sim::CoverageMap coverage_map() {
  sim::CoverageMap map = store::coverage_map();
  map.states.emplace_back("not cached");
  for (const char* validity : {"invalid", "valid"}) {
    for (const char* queue : {"empty queue", "waiting requests", "full queue"}) {
      map.states.push_back(std::string(validity) + ", " + queue);
    }
  }
  for (const HandledMessage& message : kHandledMessages) map.messages.emplace_back(message.name);
  map.race_points.insert(map.race_points.end(), kRaces.begin(), kRaces.end());
  return map;
}

std::size_t coverage_message(Op op, bool recirculated) {
  const auto found = std::find_if(
      std::begin(kHandledMessages), std::end(kHandledMessages),
      [&](const HandledMessage& message) { return message.op == op && message.recirculated == recirculated; });
  return found == std::end(kHandledMessages) ? kNoMessage
                                             : static_cast<std::size_t>(found - std::begin(kHandledMessages));
}

}  // namespace racksim::starcache
