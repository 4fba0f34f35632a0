// Keeping the record. See transaction_log.hpp.
#include "models/applications/transactions/transaction_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace racksim::app {

std::uint64_t contents_of(std::span<const std::byte> row, bool there) {
  if (!there) return 0;
  std::uint64_t hash = 0x9e3779b97f4a7c15 ^ row.size();
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0xd6e8feb86659fd93;
    hash ^= hash >> 32;
  };
  std::size_t i = 0;
  for (; i + 8 <= row.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, row.data() + i, 8);
    mix(word);
  }
  std::uint64_t rest = 0;
  if (i < row.size()) std::memcpy(&rest, row.data() + i, row.size() - i);
  mix(rest);
  return hash | 1;
}

TransactionLog::Attempt TransactionLog::begin(sim::Time now, unsigned node, unsigned thread, Attempt last, bool again) {
  Entry entry{.began = now, .ended = now};
  entry.node = static_cast<std::uint16_t>(node);
  entry.thread = static_cast<std::uint16_t>(thread);
  if (knows(last)) {
    entry.transaction = this->entry(last).transaction + (again ? 0 : 1);
    entry.number = again ? this->entry(last).number + 1 : 1;
  } else {
    entry.transaction = entry.number = 1;
  }
  entries_.push_back(entry);
  if (free_.empty()) {
    free_.push_back(open_.size());
    open_.emplace_back();
  }
  open_of_.push_back(free_.back());
  free_.pop_back();
  open_[open_of_.back()].clear();
  return entries_.size();
}

std::uint64_t TransactionLog::next_version(Attempt attempt) {
  std::uint16_t& writes = entries_[attempt - 1].writes;
  if (writes == std::numeric_limits<std::uint16_t>::max()) {
    throw std::logic_error(fmt::format("{} writes more than {} times", name(attempt), writes));
  }
  return attempt << kWriteBits | writes++;
}

void TransactionLog::read(Attempt attempt, Row row, std::uint64_t version, std::uint64_t contents) {
  open_[open_of_[attempt - 1]].push_back({.row = row, .version = version, .contents = contents});
}

void TransactionLog::wrote(Attempt attempt, Row row, Versions versions, std::uint64_t contents) {
  open_[open_of_[attempt - 1]].push_back(
      {.row = row, .version = versions.version, .before = versions.before, .contents = contents, .wrote = true});
}

void TransactionLog::end(Attempt attempt, sim::Time now, Outcome outcome) {
  Entry& entry = entries_[attempt - 1];
  std::vector<Access>& open = open_[open_of_[attempt - 1]];
  if (outcome != Outcome::committed) {
    std::erase_if(open, [](const Access& access) { return !access.wrote; });
  }
  entry.ended = now;
  entry.outcome = outcome;
  entry.first = accesses_.size();
  entry.accesses = open.size();
  accesses_.insert(accesses_.end(), open.begin(), open.end());
  open.clear();
  free_.push_back(open_of_[attempt - 1]);
}

std::string TransactionLog::name(Attempt attempt) const {
  if (attempt == 0) return "what was there at first";
  if (!knows(attempt)) return fmt::format("nobody (attempt {})", attempt);
  const Entry& e = entry(attempt);
  std::string text = fmt::format("transaction {} of thread {} of node {}", e.transaction, e.thread, e.node);
  if (e.number > 1) text += fmt::format(", attempt {}", e.number);
  return text;
}

}  // namespace racksim::app
