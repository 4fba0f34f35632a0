// Which steps a state of the exploration has. See explored_block.hpp.

#include "protocols/flowcc/explored/explored_parts.hpp"

namespace racksim::flowcc {

void ExploredBlock::list_steps() {
  steps_.clear();
  add_events();
  add_flights();
  add_again();
  if (is_still() || counts_.timeouts < options_.timeouts) add_timeouts();
  add_migrations();
}

void ExploredBlock::add_events() {
  for (std::size_t i = 0; i < requesters_.size(); ++i) {
    const Requester& requester = *requesters_[i];
    if (requester.events.event().active()) {
      if (!requester.events.has_sent_request() && requester.events.may_send())
        steps_.push_back({Step::Action::send, i});
      continue;
    }
    if (requester.begun == options_.operations) continue;
    const CacheEntry* copy = requester.copy();
    const auto begins = [&](MessageType type, bool wanted) {
      if (wanted) steps_.push_back({.action = Step::Action::begin, .index = i, .type = type});
    };
    if (copy == nullptr) {
      begins(MessageType::read_miss, options_.reads);
      begins(MessageType::write_miss, options_.writes);
    } else if (copy->state == CacheEntry::State::clean) {
      begins(MessageType::write_shared, options_.writes);
      begins(MessageType::evict_shared, options_.evictions);
    } else {
      begins(MessageType::evict_modified, options_.evictions);
    }
  }
}

// Of two that are alike one is enough.
void ExploredBlock::add_flights() {
  const bool fifo = options_.network == ExploreOptions::Network::fifo;
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    const auto type = static_cast<ExploredFlight::Type>(flights_[i][0]);
    const bool is_packet = type == ExploredFlight::Type::to_switch || type == ExploredFlight::Type::to_node;
    if (i > 0 && fifo && is_packet &&
        flights_[i].compare(0, ExploredFlight::kPathBytes, flights_[i - 1], 0, ExploredFlight::kPathBytes) == 0) {
      continue;
    }
    if (i > 0 && flights_[i] == flights_[i - 1]) continue;
    steps_.push_back({Step::Action::deliver, i});
    if (is_packet && counts_.losses < options_.losses) steps_.push_back({Step::Action::lose, i});
    if (is_packet && counts_.duplicates < options_.duplicates) steps_.push_back({Step::Action::duplicate, i});
  }
}

void ExploredBlock::add_again() {
  for (std::size_t i = 0; i < again_.size(); ++i) {
    const bool behind =
        i > 0 && options_.ordered_resubmits &&
        again_[i].compare(0, ExploredFlight::kPathBytes, again_[i - 1], 0, ExploredFlight::kPathBytes) == 0;
    if (!behind && (i == 0 || again_[i] != again_[i - 1])) steps_.push_back({Step::Action::again, i});
  }
}

void ExploredBlock::add_timeouts() {
  for (std::size_t i = 0; i < requesters_.size(); ++i) {
    const Requester& requester = *requesters_[i];
    if (requester.events.has_sent_request() && !requester.completed)
      steps_.push_back({Step::Action::request_timeout, i});
    for (std::size_t slot = 0; slot < requester.waits.size(); ++slot) {
      if (requester.waits[slot]) steps_.push_back({Step::Action::unlock_timeout, i, slot});
    }
  }
  if (home_->migration().moving()) steps_.push_back({Step::Action::move_timeout});
}

void ExploredBlock::add_migrations() {
  const HomeMigration& migration = home_->migration();
  if (counts_.adds < options_.adds && !migration.is_away(tag()) && !migration.drains(tag())) {
    steps_.push_back({Step::Action::add});
  }
  if (counts_.removes < options_.removes && migration.is_away(tag()) && migration.moving() != tag()) {
    steps_.push_back({Step::Action::remove});
  }
  if (counts_.foreign == options_.foreign) return;
  for (std::size_t way = 0; way < options_.flowcc.ways; ++way) {
    if (!is_in(way)) steps_.push_back({Step::Action::foreign, way});
  }
}

}  // namespace racksim::flowcc
