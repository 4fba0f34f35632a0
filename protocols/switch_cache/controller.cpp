// The look for dead keys. See controller.hpp.
#include "protocols/switch_cache/controller.hpp"

#include <utility>
#include <vector>

namespace racksim::switch_cache {

Controller::Controller(store::Shared& shared, const CacheOptions& options, Counters& counters,
                       const CacheProgram& program, CacheManager& manager)
    : Rounds(shared.rack.calendar(), options.round),
      counters_(counters),
      manager_(manager),
      version_bits_(program.state->width.bits) {}

sim::Task<void> Controller::look_for_dead_keys() {
  std::map<std::uint64_t, Pulse> pulses;
  std::vector<sim::Task<void>> revivals;
  for (const std::uint64_t key : manager_.cached()) {
    if (!manager_.is_cached(key)) continue;
    const std::uint64_t index = manager_.index_of(key);
    const Pulse pulse = co_await feel_pulse(index);
    manager_.note_version(key, index, pulse.state & p4::mask_of(version_bits_));
    const bool invalid = pulse.state >> version_bits_ == 0;
    const auto before = pulses_.find(key);
    const bool same = before != pulses_.end() && before->second.state == pulse.state &&
                      (invalid || before->second.front == pulse.front);
    if (same && (invalid || pulse.waited_for) && manager_.is_cached(key)) {
      met_dead_key(invalid);
      revivals.push_back(revive(key));
    }
    pulses[key] = pulse;
  }
  pulses_ = std::move(pulses);
  co_await sim::gather(std::move(revivals));
}

sim::Task<void> Controller::revive(std::uint64_t key) {
  ++counters_.revivals.value;
  co_await manager_.fetch(key);
}

}  // namespace racksim::switch_cache
