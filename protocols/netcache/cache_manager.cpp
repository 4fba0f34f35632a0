// Preloading and the reports of hot keys. See cache_manager.hpp.
#include "protocols/netcache/cache_manager.hpp"

#include <fmt/core.h>

#include "sim/options/option_error.hpp"

namespace racksim::netcache {

using store::Message;
using store::Op;
using store::ValueHeader;

// Servers are always told when a key is not cached any more: they update the switch when a cached key is written.
CacheManager::CacheManager(store::Shared& shared, const switch_cache::CacheLocation& location,
                           const NetCacheOptions& options, Counters& counters, const NetProgram& program)
    : switch_cache::CacheManager(shared, location, options, counters, program, controller_races, true),
      options_(options),
      counters_(counters),
      program_(program) {
  if (location.pipes() != std::vector<unsigned>{kPipe}) {
    throw sim::OptionError(
        "/rack/topology/pipes",
        fmt::format("servers in {} pipes of their switch, up to {}", location.pipes().size(), location.pipes().back()),
        "all in the first: NetCache is modelled for one pipe, with the control CPU's port");
  }
  configure_switch();
}

void CacheManager::configure_switch() {
  models::SwitchChassis& chassis = location().chassis();
  chassis.replication().set_group(kReportGroup, {{0, {static_cast<std::uint16_t>(chassis.cpu_port())}}});
}

bool CacheManager::cacheable(sim::Key key) const {
  return shared().sizes.key_bytes <= kMostKeyBytes && shared().sizes.value_bytes(key) <= kMostValueBytes;
}

sim::Duration CacheManager::patience(std::uint64_t attempt) const {
  return NetCacheOptions::patience(options_.fetch_timeout, attempt);
}

std::vector<CacheManager::Preloaded> CacheManager::preload(std::span<const sim::Key> keys) {
  p4::RegisterFile& registers = location().pipeline(kPipe).registers();
  std::vector<Preloaded> preloaded;
  for (const sim::Key key : keys) {
    if (room() == 0) break;
    const auto row = cacheable(key) ? insert_now(key, true) : std::nullopt;
    if (!row) continue;
    const store::Version version = shared().safety ? first_version(key) : store::kNoVersion;
    registers.write(program_.state->id, row->index,
                    shared().safety ? switch_cache::pair(*program_.state, version, 1) : 1);
    for (unsigned i = 0; i < kValueArrays; ++i) {
      registers.write(program_.values[i]->id, row->index, ValueHeader::word(0, i));
    }
    preloaded.push_back({key, version});
  }
  return preloaded;
}

void CacheManager::other(const Message& message, store::Address) {
  if (message.store.operation() != Op::read_request) return;  // a copy of one for a hot key
  ++counters_.hot_reports.value;
  if (hot_key_) hot_key_(message.key);
}

}  // namespace racksim::netcache
