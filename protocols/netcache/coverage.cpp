// States, messages and passes. See coverage.hpp.
#include "protocols/netcache/coverage.hpp"

namespace racksim::netcache {

sim::CoverageMap coverage_map() {
  return switch_cache::coverage_map({"not cached", "invalid", "valid"}, kMessages, races);
}

std::size_t SwitchCoverage::state_of(const Met& met, const std::optional<switch_cache::RowAt>&) {
  return static_cast<std::size_t>(program().is_valid(met.state) ? KeyState::valid : KeyState::invalid);
}

void SwitchCoverage::note_races(const Met& met, bool cached, const p4::Verdict&) const {
  if (met.op != kCacheUpdate) return;
  if (!cached) return race(races.update_of_evicted_key);
  if (program().has_versions() && met.version != program().version_in(met.state)) race(races.update_overtaken);
}

}  // namespace racksim::netcache
