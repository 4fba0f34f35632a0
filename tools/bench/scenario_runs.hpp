// What runs of scenarios take, each in a process of its own: memory, events a message, time where nothing happens, and
// time with many hosts.
#pragma once

#include <cstdint>
#include <string>

#include "tools/bench/rounds.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

// All of these throw std::runtime_error when a run fails.

/// The most RAM, in bytes, of a process that runs a scenario. It is this process's child and begins with its memory,
/// so ask before this process has grown.
std::uint64_t peak_memory_of(const Scenario& scenario);

/// What a message of a coherence protocol costs the calendar, in events: those of a run of `with_messages`, beyond
/// those that the same accesses take in a run of `without`, for each of the messages that the metric `messages` counts.
double events_per_message(const Scenario& with_messages, const Scenario& without, const std::string& messages);

/// Gets of a key-value service by coroutine clients, with histories and oracles: NoCache, of which each is an RPC.
Scenario service_scenario(std::uint64_t operations, const Catalogue& catalogue);
/// Operations of such a run per second of a processor, without what comes before its first event. One a process.
double service_rate(std::uint64_t operations, const Catalogue& catalogue);

/// Simulated seconds per second of a processor, and the ratio of the two.
struct IdlePassesResult {
  Spread skipped, run, skipped_over_run;
};

/// Circulating packets that nobody asks for: how much faster a quiet run of StarCache is when their passes are computed
/// instead of run (models/switch/idle_ring.hpp). scenarios/starcache/zipf-0.99.json at 1,000 requests/s: 32 hot items
/// circulate, and hardly anybody asks for one. `simulated_ms` are run, and a hundred times as many skipped, so that
/// both take a while; what is measured is the whole of a run, the making of the rack included.
IdlePassesResult run_idle_passes(unsigned simulated_ms, unsigned rounds, const Catalogue& catalogue);

/// Events per second of a processor with 16 hosts and with 1,024, and the second over the first.
struct HostsResult {
  Spread few, many, kept;
};

/// What becomes of the rate as the rack grows: scenarios/nocache/thousand-hosts.json, whose hosts all have as much to do,
/// for about so many operations. What a run takes before its first event and after its last is left out, as the
/// difference of two lengths.
HostsResult run_hosts(std::uint64_t operations, unsigned rounds, const Catalogue& catalogue);

}  // namespace racksim::tools
