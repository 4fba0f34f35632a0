// Sweeps of the hardware and steps of the driver. See entry_timeouts.hpp.
#include "models/switch/entry_timeouts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "models/switch/control_cpu.hpp"

namespace racksim::models {

namespace {

constexpr unsigned kShortestSweep = 21, kLongestSweep = 21 + 15;  // exponents of two, in cycles
/// Sweeps until the driver is told: of the eight values of three bits one says that an entry takes no part, one that it
/// is idle, and the first after a hit has it tell of being active.
constexpr std::uint64_t kSweeps = 5;

/// In which the driver reckons.
constexpr sim::Duration kMillisecond = 1_ms;

sim::Duration in_whole_milliseconds(sim::Duration length) {
  return kMillisecond * (length / kMillisecond);
}

std::string printed(sim::Duration length) {
  return fmt::format("{} us", length.ps() / 1'000'000);
}

sim::Duration sweep_length(unsigned exponent, std::uint64_t clock_hz) {
  return sim::transmission_time(std::int64_t{1} << exponent, static_cast<std::int64_t>(clock_hz));
}

}  // namespace

struct EntryTimeouts::Aging {
  std::uint64_t id = 0;  // in the order of set_ttl
  TableEntry entry;
  sim::Duration ttl;
  bool hit = false;                     // in the round under way
  bool there = false;                   // in a pipe at least
  std::uint64_t sweeps = 0;             // since the last hit
  std::optional<sim::Duration> left{};  // once the hardware has told that it is idle, until it has timed out
};

struct EntryTimeouts::Watched {
  const p4::Table* table = nullptr;
  sim::Duration interval, sweep;
  sim::Duration idle_when_told;  // as the driver reckons, in whole milliseconds
  std::vector<Aging> entries{};
};

/// One look at all entries of a table, pipe by pipe.
struct EntryTimeouts::Round {
  struct Look final : SlotAccess {
    Look(Round& r, std::pair<p4::Gress, int> where) : round(r), place(where) {}
    p4::Gress gress() const override { return place.first; }
    int stage() const override { return place.second; }
    void execute(p4::Pipeline& pipeline, sim::Time at) override {
      for (auto& entry : round.table.entries) {
        if (entry.id >= round.behind) continue;
        const auto hit = pipeline.take_hit(*entry.entry.table, entry.entry.key, entry.entry.priority);
        entry.there = entry.there || hit.has_value();
        entry.hit = entry.hit || hit.value_or(false);
      }
      round.latest = std::max(round.latest, at);
      if (--round.outstanding == 0) round.owner.end(round, round.latest);
    }

    Round& round;
    std::pair<p4::Gress, int> place;
  };

  EntryTimeouts& owner;
  Watched& table;
  Kind kind;
  std::uint64_t behind;  // entries that were given a time to live later are not looked at
  unsigned outstanding = 0;
  sim::Time latest{};
  std::vector<std::unique_ptr<Look>> looks{};
};

EntryTimeouts::EntryTimeouts(RackContext& context, SwitchChassis& chassis, TimeoutListener& listener)
    : context_(context),
      chassis_(chassis),
      listener_(listener),
      lane_(context.calendar.add_lane(chassis.name() + "/timeouts")),
      message_lane_(context.calendar.add_lane(chassis.name() + "/timeouts/messages")) {}

EntryTimeouts::~EntryTimeouts() = default;

sim::Duration EntryTimeouts::shortest_interval(const SwitchOptions& options) {
  const auto sweeps = sweep_length(kShortestSweep, options.clock_hz) * static_cast<std::int64_t>(kSweeps);
  return in_whole_milliseconds(sweeps) + kMillisecond;
}

void EntryTimeouts::watch(const p4::Table& table, sim::Duration interval) {
  const auto& options = chassis_.options();
  if (!table.ages) throw std::runtime_error(fmt::format("table '{}' has no idle time-outs", table.name));
  const auto cycles = static_cast<std::uint64_t>(interval / kMillisecond) * (options.clock_hz / 1000);
  const auto sweeps = cycles / kSweeps >> kShortestSweep;
  if (sweeps == 0) {
    throw std::runtime_error(fmt::format("table '{}': a query interval of {} is shorter than {}", table.name,
                                         printed(interval), printed(shortest_interval(options))));
  }
  // The next power of two, as the driver has it.
  const auto exponent =
      std::min<unsigned>(kShortestSweep + static_cast<unsigned>(std::bit_width(sweeps - 1)), kLongestSweep);
  auto& added = *watched_.emplace_back(std::make_unique<Watched>());
  added.table = &table;
  added.interval = interval;
  added.sweep = sweep_length(exponent, options.clock_hz);
  added.idle_when_told = in_whole_milliseconds(added.sweep) * static_cast<std::int64_t>(kSweeps);
  const auto now = context_.calendar.now();
  context_.calendar.at<&EntryTimeouts::sweep>(now + added.sweep, lane_, *this, &added);
  context_.calendar.at<&EntryTimeouts::query>(now + added.interval, lane_, *this, &added);
}

EntryTimeouts::Watched& EntryTimeouts::watched(const p4::Table& table) {
  for (const auto& one : watched_) {
    if (one->table == &table) return *one;
  }
  throw std::logic_error(fmt::format("the idle time-outs of table '{}' are not watched", table.name));
}

void EntryTimeouts::set_ttl(const TableEntry& entry, sim::Duration ttl) {
  auto& table = watched(*entry.table);
  if (ttl < table.interval) {
    throw std::runtime_error(fmt::format("table '{}': a time to live of {} is shorter than its query interval of {}",
                                         entry.table->name, printed(ttl), printed(table.interval)));
  }
  forget(entry);
  table.entries.push_back({.id = next_id_++, .entry = entry, .ttl = ttl});
}

void EntryTimeouts::forget(const TableEntry& entry) {
  std::erase_if(watched(*entry.table).entries, [&](const Aging& one) { return one.entry == entry; });
}

void EntryTimeouts::sweep(Watched* table) {
  begin(*table, Kind::sweep);
  context_.calendar.at<&EntryTimeouts::sweep>(context_.calendar.now() + table->sweep, lane_, *this, table);
}

void EntryTimeouts::query(Watched* table) {
  begin(*table, Kind::query);
  context_.calendar.at<&EntryTimeouts::query>(context_.calendar.now() + table->interval, lane_, *this, table);
}

void EntryTimeouts::begin(Watched& table, Kind kind) {
  auto& round = *rounds_.emplace_back(new Round{.owner = *this, .table = table, .kind = kind, .behind = next_id_});
  round.outstanding = chassis_.pipes();
  const auto place = ControlCpu::place_of(chassis_.pipeline(0), *table.table);
  for (unsigned pipe = 0; pipe < chassis_.pipes(); ++pipe) {
    round.looks.push_back(std::make_unique<Round::Look>(round, place));
  }
  // The last of them may end the round at once.
  const auto pipes = chassis_.pipes();
  for (unsigned pipe = 0; pipe < pipes; ++pipe) chassis_.access(pipe, *round.looks[pipe]);
}

void EntryTimeouts::end(Round& round, sim::Time at) {
  const sim::Time told = at + chassis_.options().control_latency;
  for (auto& entry : round.table.entries) {
    if (std::exchange(entry.there, false) && times_out(round.table, entry, round.kind)) {
      messages_.emplace_back(told, entry.id);
      context_.calendar.at<&EntryTimeouts::tell>(std::max(told, context_.calendar.now()), message_lane_, *this);
    }
    entry.hit = false;
  }
  std::erase_if(rounds_, [&](const auto& one) { return one.get() == &round; });
}

bool EntryTimeouts::times_out(const Watched& table, Aging& entry, Kind kind) {
  if (entry.hit) {
    entry.sweeps = 0;
    entry.left.reset();
  }
  if (kind == Kind::sweep) {
    if (++entry.sweeps != kSweeps) return false;
    if (entry.ttl <= table.idle_when_told) return true;
    entry.left = entry.ttl - table.idle_when_told;
    return false;
  }
  if (!entry.left) return false;
  if (*entry.left <= table.interval) {
    entry.left.reset();
    return true;
  }
  *entry.left = *entry.left - table.interval;
  return false;
}

// What has been forgotten, or given another time to live, since the message was sent is told no more.
void EntryTimeouts::tell() {
  const auto first = std::min_element(messages_.begin(), messages_.end(),
                                      [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto id = first->second;
  messages_.erase(first);
  for (const auto& table : watched_) {
    for (const auto& entry : table->entries) {
      if (entry.id != id) continue;
      const TableEntry told = entry.entry;
      listener_.timed_out(told);
      return;
    }
  }
}

}  // namespace racksim::models
