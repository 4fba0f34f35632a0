// The schedule of faults. See faults.hpp.
#include "models/faults/faults.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sim/record/history.hpp"

namespace racksim::models {

FaultSchedule::FaultSchedule(Rack& rack) : rack_(rack), lane_(rack.calendar().add_lane("faults")) {}

void FaultSchedule::add(const std::string& kind, std::shared_ptr<Fault> fault) {
  fault->check(rack_);
  const auto parts = fault->parts();
  for (const auto& part : parts) add_entry(kind, part);
  if (parts.empty()) add_entry(kind, std::move(fault));
}

void FaultSchedule::add_entry(const std::string& kind, std::shared_ptr<Fault> fault) {
  const auto source =
      rack_.event_log().add_source(fmt::format("fault/{}/{}/{}", entries_.size(), kind, fault->where()));
  entries_.push_back({kind, std::move(fault), source, {}, {}, Phase::waiting});
}

void FaultSchedule::start() {
  auto& calendar = rack_.calendar();
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    entry.fault->announce(rack_);
    entry.begin = calendar.at<&FaultSchedule::begin>(sim::Time{} + entry.fault->from(), lane_, *this, i);
    if (entry.fault->until() >= Fault::kEver) continue;
    entry.end = calendar.at<&FaultSchedule::end>(sim::Time{} + entry.fault->until(), lane_, *this, i);
  }
}

void FaultSchedule::begin(std::uint32_t index) {
  Entry& entry = entries_[index];
  entry.phase = Phase::active;
  active_.push_back(index);
  rack_.event_log().record(sim::Observed::fault_begun, entry.source, rack_.calendar().now(), 0, index);
  report(entry, sim::Disturbance::machine_begin);
  entry.fault->begin(rack_);
}

void FaultSchedule::end(std::uint32_t index) {
  Entry& entry = entries_[index];
  entry.phase = Phase::over;
  std::erase(active_, index);
  entry.fault->end(rack_);
  rack_.event_log().record(sim::Observed::fault_ended, entry.source, rack_.calendar().now(), 0, index);
  report(entry, sim::Disturbance::machine_end);
  if (!entry.fault->replaces_earlier()) return;
  for (const auto other : active_) {
    if (entries_[other].kind == entry.kind) entries_[other].fault->begin(rack_);
  }
}

bool FaultSchedule::will_end() const {
  return std::any_of(active_.begin(), active_.end(),
                     [this](std::uint32_t index) { return entries_[index].fault->until() < Fault::kEver; });
}

void FaultSchedule::report(const Entry& entry, sim::Disturbance kind) {
  if (entry.fault->acts_on_packets_alone()) return;
  sim::record_disturbance(rack_.event_log(), entry.source, rack_.calendar().now(), 0, kind);
}

void FaultSchedule::heal() {
  auto& calendar = rack_.calendar();
  const sim::Time now = calendar.now();
  if (!entries_.empty()) {
    sim::record_disturbance(rack_.event_log(), entries_.front().source, now, 0, sim::Disturbance::healed,
                            now + Fault::kHealNotice);
  }
  for (std::size_t node = 0; node < rack_.nodes(); ++node) {
    rack_.uplink(static_cast<NodeId>(node)).heal(now + Fault::kHealNotice);
    rack_.downlink(static_cast<NodeId>(node)).heal(now + Fault::kHealNotice);
  }
  for (const Trunk& trunk : rack_.trunks()) {
    trunk.up->heal(now + Fault::kHealNotice);
    trunk.down->heal(now + Fault::kHealNotice);
  }
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    const sim::Time last = entry.fault->healed_by(now);
    if (entry.phase == Phase::waiting && sim::Time{} + entry.fault->from() >= last) {
      calendar.cancel(entry.begin);
      calendar.cancel(entry.end);
      entry.fault->withdraw(rack_);
      entry.phase = Phase::over;
    }
    const bool stays = entry.phase == Phase::active && entry.fault->outlives_heal();
    if (entry.phase == Phase::over || stays || sim::Time{} + entry.fault->until() <= last) continue;
    calendar.cancel(entry.end);
    if (last > now) {
      entry.end = calendar.at<&FaultSchedule::end>(last, lane_, *this, i);
    } else {
      end(i);
    }
  }
}

}  // namespace racksim::models
