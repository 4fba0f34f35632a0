// Counting, and orders. See coordinator.hpp.
#include "protocols/cckvs/coordinator.hpp"

#include <algorithm>

#include "sim/kernel/invariant.hpp"

namespace racksim::cckvs {

namespace {
constexpr std::uint64_t kLeast = 2;  // requests that make a key worth a free place: one may be chance
}  // namespace

Coordinator::Coordinator(models::Rack& rack, const HotSetOptions& options, std::uint64_t capacity, HandOverAgent& agent,
                         HotSetCounters& counters)
    : options_(options),
      capacity_(capacity),
      agent_(agent),
      counters_(counters),
      lane_(rack.calendar().add_lane("cckvs/coordinator")),
      random_(rack.seed(), "cckvs/coordinator"),
      counts_(options.counters_for(capacity)) {
  agent_.report_to(*this);
}

void Coordinator::add_actor(sim::Engine& engine, sim::HostId host) {
  engine.add_actor("coordinator", host, [this](sim::Engine::Actor& actor) {
    for (;;) {
      actor.sleep(options_.epoch);
      actor.post<&Coordinator::end_epoch>(lane_, *this);
    }
  });
}

void Coordinator::begin_with(std::span<const sim::Key> keys) {
  for (const sim::Key key : keys) states_[key] = KeyState::cached;
}

sim::Duration Coordinator::look_at(sim::Key key) {
  if (options_.sample_every > 1 && random_.below(options_.sample_every) != 0) return {};
  ++counters_.samples.value;
  counts_.add(key);
  return options_.sample_work;
}

void Coordinator::end_epoch() {
  ++counters_.epochs.value;
  plans_.clear();
  make_plans();
  counts_.clear();
  begin_plans();
}

// What nobody has been told of is not counted: a key without a counter has been asked for less than any that has one.
std::uint64_t Coordinator::count_of(sim::Key key) const {
  const sim::SpaceSaving::Counter* counter = counts_.find(key);
  return counter == nullptr ? 0 : counter->count;
}

// The hottest key that is not cached against the coldest that is, and so on, as long as the one is hotter for certain.
void Coordinator::make_plans() {
  struct Ranked {
    std::uint64_t count;
    sim::Key key;
  };
  std::vector<Ranked> come, leave;
  for (const sim::SpaceSaving::Counter& counter : counts_.counters()) {
    if (states_.find(counter.key) == nullptr && counter.at_least() >= kLeast) {
      come.push_back({counter.at_least(), counter.key});
    }
  }
  // Those that a key under way is to follow have their places.
  successors_.for_each([&](std::uint64_t, sim::Key comes) {
    std::erase_if(come, [comes](const Ranked& one) { return one.key == comes; });
  });
  states_.for_each([&](std::uint64_t key, KeyState state) {
    if (state == KeyState::cached) leave.push_back({count_of(sim::Key(key)), sim::Key(key)});
  });
  std::sort(come.begin(), come.end(),
            [](const Ranked& a, const Ranked& b) { return a.count != b.count ? a.count > b.count : a.key < b.key; });
  std::sort(leave.begin(), leave.end(),
            [](const Ranked& a, const Ranked& b) { return a.count != b.count ? a.count < b.count : a.key < b.key; });
  std::uint64_t room = capacity_ - std::min<std::uint64_t>(capacity_, states_.size());
  std::size_t coldest = 0;
  for (const Ranked& one : come) {
    if (room > 0) {
      --room;
      plans_.push_back({one.key, std::nullopt});
      continue;
    }
    if (coldest == leave.size()) break;
    if (static_cast<double>(one.count) <= (1 + options_.margin) * static_cast<double>(leave[coldest].count)) break;
    plans_.push_back({one.key, leave[coldest++].key});
  }
  std::reverse(plans_.begin(), plans_.end());
}

void Coordinator::begin_plans() {
  while (under_way_ < options_.changes_at_once && !plans_.empty()) {
    const Plan plan = plans_.back();
    plans_.pop_back();
    ++under_way_;
    if (plan.leaves) {
      successors_[*plan.leaves] = plan.comes;
      states_[*plan.leaves] = KeyState::leaving;
      agent_.order(*plan.leaves, false);
    } else {
      states_[plan.comes] = KeyState::coming;
      agent_.order(plan.comes, true);
    }
  }
}

// Who follows counts as the same change.
void Coordinator::changed(sim::Key key) {
  KeyState* state = states_.find(key);
  RACKSIM_INVARIANT(state != nullptr && *state != KeyState::cached,
                    "a home reports a change that it was ordered to make");
  if (*state == KeyState::leaving) {
    states_.erase(key);
    const sim::Key next = *successors_.find(key);
    successors_.erase(key);
    states_[next] = KeyState::coming;
    return agent_.order(next, true);
  }
  *state = KeyState::cached;
  --under_way_;
  begin_plans();
}

}  // namespace racksim::cckvs
