// Entries of a log, and which of them are kept. See log.hpp.
#include "protocols/gam/log/log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/kernel/invariant.hpp"

namespace racksim::gam {

sim::Time Log::append(sim::Time now, sim::Key line, LogEntry entry) {
  const sim::Time durable = device_.append(now, bytes_of(entry));
  writing_.emplace_back(line, std::move(entry));
  return durable;
}

void Log::commit() {
  for (auto& [line, entry] : writing_) keep(line, std::move(entry));
  writing_.clear();
}

// A DLOG makes the one before it void: nobody asks for it. An OLOG does not, for it may be undone.
void Log::keep(sim::Key line, LogEntry entry) {
  bytes_ += bytes_of(entry);
  const auto found = records_.find(line);
  if (found == records_.end()) {
    const std::uint32_t counter = entry.counter;
    records_.emplace(line, Record{std::move(entry), std::nullopt, counter});
    return;
  }
  Record& record = found->second;
  record.counter = std::max(record.counter, entry.counter);
  if (record.before) bytes_ -= bytes_of(*record.before);
  if (entry.type == LogEntry::Type::dlog) {
    bytes_ -= bytes_of(record.newest);
    record.before.reset();
  } else {
    record.before = std::move(record.newest);
  }
  record.newest = std::move(entry);
}

void Log::undo(sim::Key line) {
  RACKSIM_INVARIANT(std::none_of(writing_.begin(), writing_.end(), [&](const auto& w) { return w.first == line; }),
                    "nobody writes a line that recovery looks at");
  Record& record = records_.at(line);
  bytes_ -= bytes_of(record.newest);
  if (record.before) {
    record.newest = std::move(*record.before);
    record.before.reset();
  } else {
    // Its counter stays known: it is not given out again.
    record.newest = {.type = LogEntry::Type::dlog, .counter = record.counter};
    bytes_ += bytes_of(record.newest);
  }
}

const LogEntry* Log::newest(sim::Key line) const {
  const auto found = records_.find(line);
  return found == records_.end() ? nullptr : &found->second.newest;
}

const LogEntry* Log::before(sim::Key line) const {
  const auto of_line = [&](const auto& entry) { return entry.first == line; };
  const auto last = std::find_if(writing_.rbegin(), writing_.rend(), of_line);
  if (last != writing_.rend()) {
    const auto earlier = std::find_if(std::next(last), writing_.rend(), of_line);
    return earlier != writing_.rend() ? &earlier->second : newest(line);
  }
  const auto found = records_.find(line);
  return found == records_.end() || !found->second.before ? nullptr : &*found->second.before;
}

bool Log::has_written(sim::Key line, std::uint32_t counter) const {
  const LogEntry* entry = newest(line);
  return entry != nullptr && entry->type == LogEntry::Type::dlog && entry->counter == counter;
}

std::uint32_t Log::counter_of(sim::Key line) const {
  const auto found = records_.find(line);
  return found == records_.end() ? 0 : found->second.counter;
}

std::vector<sim::Key> Log::lines() const {
  std::vector<sim::Key> lines;
  lines.reserve(records_.size());
  for (const auto& [line, record] : records_) lines.push_back(sim::Key{line});
  std::sort(lines.begin(), lines.end());
  return lines;
}

void Log::crash(sim::Time now) {
  writing_.clear();
  device_.power_off(now);
}

}  // namespace racksim::gam
