// The names of what can be covered. See coverage.hpp.
#include "protocols/netcache/coverage.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "protocols/netcache/messages.hpp"
#include "protocols/switch_cache/messages.hpp"

namespace racksim::netcache {

namespace {

using store::Op;

struct MessageName {
  Op op;
  const char* name;
};
constexpr MessageName kMessages[] = {
    {Op::read_request, "R-REQ"},
    {Op::read_reply, "R-REP of a server"},
    {Op::write_request, "W-REQ"},
    {Op::write_reply, "W-REP"},
    {Op::correction_request, "CRN-REQ"},
    {switch_cache::kFetchRequest, "F-REQ"},
    {switch_cache::kFetchReply, "F-REP"},
    {Op::write_refused, "W-REFUSED"},
    {switch_cache::kEviction, "E-REQ"},
    {switch_cache::kEvictionReply, "E-REP"},
    {kCacheUpdate, "UPDATE"},
};

constexpr std::array kNetCacheRaces{
    "switch: an update that a write or fetch has overtaken is not taken (§4.3)",
    "switch: an update comes for a key that is not cached any more, or not yet",
    "server: a write is refused because a later write or fetch has been executed (rule i)",
    "server: a write without a version is refused, its key perhaps cached (rule ii)",
    "server: a write waits for an update of its key (§4.3)",
    "server: a write that waits is sent again",
    "server: of the writes that waited the first begins an update, and the others wait again",
    "server: a fetch or a repeated write begins an update while another is under way",
    "server: an update is sent again",
    "server: the acknowledgement of an update that a later one has replaced",
    "server: a crash forgets an update that is under way",
    "controller: a key is reported as hot that is cached by now",
    "controller: a fetch is given up",
    "controller: an answer to a request that is over",
    "controller: the switch boots during an insertion",
    "controller: the switch boots during a removal",
    "controller: a key that has stayed invalid is fetched again",
};
static_assert(kNetCacheRaces.size() ==
              static_cast<std::size_t>(RacePoint::count) - static_cast<std::size_t>(store::RacePoint::count));

}  // namespace

sim::CoverageMap coverage_map() {
  sim::CoverageMap map = store::coverage_map();
  map.states = {"not cached", "invalid", "valid"};
  for (const MessageName& message : kMessages) map.messages.emplace_back(message.name);
  map.race_points.insert(map.race_points.end(), kNetCacheRaces.begin(), kNetCacheRaces.end());
  return map;
}

std::size_t coverage_message(Op op) {
  const auto found =
      std::find_if(std::begin(kMessages), std::end(kMessages), [&](const MessageName& m) { return m.op == op; });
  return found == std::end(kMessages) ? kNoMessage : static_cast<std::size_t>(found - std::begin(kMessages));
}

}  // namespace racksim::netcache
