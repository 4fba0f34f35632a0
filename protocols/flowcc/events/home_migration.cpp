// Choosing, giving away and taking back. See home_migration.hpp.
#include "protocols/flowcc/events/home_migration.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sim/kernel/invariant.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::flowcc {

HomeMigration::HomeMigration(const MigrationOptions& options, MigrationCounters& counters, unsigned requester,
                             MigrationHost& host, bool counts_heat)
    : options_(options),
      rules_(options.effective()),
      counters_(counters),
      requester_(requester),
      host_(host),
      hotness_(counts_heat) {}

HomeMigration::Standing HomeMigration::standing(Tag tag) const {
  const Place* place = places_.find(tag);
  return place == nullptr ? Standing::home : place->standing;
}

HomeMigration::Admission HomeMigration::admit(const FlowCcHeader& request) const {
  const Place* place = places_.find(request.tag());
  if (place == nullptr) return Admission::serve;
  if (place->standing != Standing::home && rules_.mark) return Admission::refuse;
  // The switch puts its stamp into a field that requests do not use (lcf_program.hpp).
  if (rules_.stamp && request.copyset < place->returned_by) return Admission::drop;
  return Admission::serve;
}

bool HomeMigration::drains(Tag tag) const {
  const Place* place = places_.find(tag);
  return place != nullptr && place->drains;
}

bool HomeMigration::would_grant(Tag tag) const {
  return rules_.mark ? standing(tag) == Standing::home : standing(tag) != Standing::leaving;
}

void HomeMigration::unlocked(Tag tag) {
  if (drains(tag)) begin_next();
}

// What has not begun by the end of the next epoch is thought over.
void HomeMigration::end_epoch() {
  ++counters_.epochs.value;
  candidates_.clear();
  for (const Heat& hot : hotness_.hottest(options_.top_k)) {
    if (standing(hot.tag) == Standing::home && !drains(hot.tag)) candidates_.push_back(hot.tag);
  }
  hotness_.clear();
  begin_next();
}

void HomeMigration::remove(Tag tag) {
  if (standing(tag) != Standing::away) return;
  if (std::find(removals_.begin(), removals_.end(), tag) != removals_.end()) return;
  removals_.push_back(tag);
  begin_next();
}

// Removals go first: they make room.
void HomeMigration::begin_next() {
  while (!move_ && (begin_removal() || begin_drained() || begin_candidate())) {
  }
}

// Each of these takes one block off its list, and returns whether there was one.
bool HomeMigration::begin_removal() {
  if (removals_.empty()) return false;
  const Tag tag = removals_.front();
  removals_.pop_front();
  if (standing(tag) != Standing::away) return true;
  places_[tag].standing = Standing::returning;
  move_ = Move{.type = MessageType::remove_from_switch, .tag = tag, .seq = ++seq_};
  ++counters_.removes.value;
  transmit(false);
  return true;
}

bool HomeMigration::begin_drained() {
  for (auto tag = draining_.begin(); tag != draining_.end(); ++tag) {
    if (!host_.lock_to_move(*tag)) continue;
    Place& place = places_[*tag];
    place.drains = false;
    begin_add(*tag, place);
    draining_.erase(tag);
    return true;
  }
  return false;
}

bool HomeMigration::begin_candidate() {
  if (candidates_.empty()) return false;
  const Tag tag = candidates_.front();
  candidates_.pop_front();
  Place& place = places_[tag];
  if (host_.lock_to_move(tag)) {
    begin_add(tag, place);
    return true;
  }
  ++counters_.skips.value;
  if (host_.locked_by_application(tag)) return true;
  if (++place.skips >= options_.skips) {
    ++counters_.drains.value;
    place.drains = true;
    draining_.push_back(tag);
  }
  return true;
}

void HomeMigration::begin_add(Tag tag, Place& place) {
  place.skips = 0;
  place.standing = Standing::leaving;
  move_ = Move{.type = MessageType::add_to_switch, .tag = tag, .seq = ++seq_, .metadata = host_.metadata_to_move(tag)};
  ++counters_.adds.value;
  transmit(false);
}

void HomeMigration::transmit(bool again) {
  FlowCcHeader h;
  h.set_type(move_->type);
  h.receiver = static_cast<std::uint64_t>(Receiver::home_agent);
  h.set_tag(move_->tag);
  h.requester = requester_;
  h.seq = move_->seq;
  h.serial = move_->latest_serial = ++serial_;
  h.retransmitted = again;
  if (move_->type == MessageType::add_to_switch) h.set_metadata(move_->metadata);
  if (again) ++counters_.retransmissions.value;
  host_.send_move(h, again);
}

void HomeMigration::timed_out() {
  RACKSIM_INVARIANT(move_.has_value(), "what times out is a migration that is under way");
  transmit(true);
}

void HomeMigration::answered(const FlowCcHeader& answer) {
  if (!move_ || answer.seq != move_->seq || answer.tag() != move_->tag) return;
  const MessageType type = answer.message_type();
  switch (move_->type) {
    case MessageType::add_to_switch:
      if (type == MessageType::ack) return added();
      if (type == MessageType::failed_ack) return collided();
      return;
    case MessageType::remove_from_switch:
      if (type == MessageType::failed_ack) {
        // As of any request: an earlier transmission may have been refused, and the latest have taken the lock.
        if (answer.serial != move_->latest_serial) return;
        places_[move_->tag].standing = Standing::away;
        ++counters_.busy_removes.value;
        return end_move();
      }
      if (type != MessageType::ack) return;
      host_.set_moved_metadata(move_->tag, answer.metadata());
      if (!rules_.two_phase_remove) return returned(move_->seq);
      host_.stop_waiting();
      move_->type = MessageType::clear;
      return transmit(false);
    default:
      if (type == MessageType::unlock_ack) returned(move_->seq);
      return;
  }
}

void HomeMigration::added() {
  ++counters_.added.value;
  Place& place = places_[move_->tag];
  place.standing = Standing::away;
  place.listed_at = static_cast<std::uint32_t>(away_.size());
  away_.push_back(move_->tag);
  host_.unlock_moved(move_->tag);
  end_move();
}

// "The home agent will retry the ADD-TO-SWITCH at the next epoch (if the corresponding cache block is still hot)."
void HomeMigration::collided() {
  ++counters_.collisions.value;
  places_[move_->tag].standing = Standing::home;
  host_.unlock_moved(move_->tag);
  end_move();
}

void HomeMigration::returned(std::uint32_t seq) {
  ++counters_.removed.value;
  Place& place = places_[move_->tag];
  leave_away(place);
  place.standing = Standing::home;
  place.returned_by = seq;
  end_move();
}

void HomeMigration::leave_away(Place& place) {
  const Tag last = away_.back();
  away_[place.listed_at] = last;
  places_.find(last)->listed_at = place.listed_at;
  away_.pop_back();
}

void HomeMigration::end_move() {
  host_.stop_waiting();
  move_.reset();
  begin_next();
}

void HomeMigration::forget() {
  hotness_.clear();
  places_ = {};
  away_.clear();
  removals_.clear();
  candidates_.clear();
  draining_.clear();
  move_.reset();
}

void HomeMigration::crash() {
  forget();
  seq_ = serial_ = 0;
}

void HomeMigration::list(HeatReport& report, std::size_t most) {
  for (most = std::min(most, away_.size()); most > 0; --most) {
    next_listed_ = next_listed_ + 1 < away_.size() ? next_listed_ + 1 : 0;
    report.blocks[report.size++] = {away_[next_listed_], 0};
  }
}

std::string HomeMigration::describe() const {
  if (!move_) return "";
  return fmt::format("{} of block {} (seq {})", to_string(move_->type), sim::printed_key(move_->tag), move_->seq);
}

}  // namespace racksim::flowcc
