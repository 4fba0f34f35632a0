// Choosing, giving away and taking back. See home_migration.hpp.
#include "protocols/flowcc/events/home_migration.hpp"

#include <algorithm>

namespace racksim::flowcc {

HomeMigration::HomeMigration(const MigrationOptions& options, MigrationCounters& counters, unsigned requester,
                             MigrationHost& host, bool counts_heat)
    : options_(options),
      rules_(options.effective()),
      counters_(counters),
      requester_(requester),
      host_(host),
      hotness_(counts_heat) {}

HomeMigration::Admission HomeMigration::admit(const FlowCcHeader& request) const {
  const BlockRecord* record = records_.find(request.tag());
  if (record == nullptr) return Admission::serve;
  if (record->standing != Standing::home && rules_.mark) return Admission::refuse;
  // The switch puts its stamp into a field that requests do not use (lcf_program.hpp).
  if (rules_.stamp && request.copyset < record->returned_by) return Admission::drop;
  return Admission::serve;
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

// Each of these takes one block off its list, and returns whether there was one.
bool HomeMigration::begin_removal() {
  if (removals_.empty()) return false;
  const Tag tag = removals_.front();
  removals_.pop_front();
  if (standing(tag) != Standing::away) return true;
  records_[tag].standing = Standing::returning;
  move_ = Move{.type = MessageType::remove_from_switch, .tag = tag, .seq = ++seq_};
  ++counters_.removes.value;
  transmit(false);
  return true;
}

bool HomeMigration::begin_drained() {
  for (auto tag = draining_.begin(); tag != draining_.end(); ++tag) {
    if (!host_.lock_to_move(*tag)) continue;
    BlockRecord& record = records_[*tag];
    record.drains = false;
    begin_add(*tag, record);
    draining_.erase(tag);
    return true;
  }
  return false;
}

bool HomeMigration::begin_candidate() {
  if (candidates_.empty()) return false;
  const Tag tag = candidates_.front();
  candidates_.pop_front();
  BlockRecord& record = records_[tag];
  if (host_.lock_to_move(tag)) {
    begin_add(tag, record);
    return true;
  }
  ++counters_.skips.value;
  if (host_.locked_by_application(tag)) return true;
  if (++record.skips >= options_.skips) {
    ++counters_.drains.value;
    record.drains = true;
    draining_.push_back(tag);
  }
  return true;
}

void HomeMigration::begin_add(Tag tag, BlockRecord& record) {
  record.skips = 0;
  record.standing = Standing::leaving;
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
        records_[move_->tag].standing = Standing::away;
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
  BlockRecord& record = records_[move_->tag];
  record.standing = Standing::away;
  record.listed_at = static_cast<std::uint32_t>(away_.size());
  away_.push_back(move_->tag);
  host_.unlock_moved(move_->tag);
  end_move();
}

// "The home agent will retry the ADD-TO-SWITCH at the next epoch (if the corresponding cache block is still hot)."
void HomeMigration::collided() {
  ++counters_.collisions.value;
  records_[move_->tag].standing = Standing::home;
  host_.unlock_moved(move_->tag);
  end_move();
}

void HomeMigration::returned(std::uint32_t seq) {
  ++counters_.removed.value;
  BlockRecord& record = records_[move_->tag];
  leave_away(record);
  record.standing = Standing::home;
  record.returned_by = seq;
  end_move();
}

void HomeMigration::leave_away(BlockRecord& record) {
  const Tag last = away_.back();
  away_[record.listed_at] = last;
  records_.find(last)->listed_at = record.listed_at;
  away_.pop_back();
}

void HomeMigration::forget() {
  hotness_.clear();
  records_ = {};
  away_.clear();
  removals_.clear();
  candidates_.clear();
  draining_.clear();
  move_.reset();
}

void HomeMigration::list(HeatReport& report, std::size_t most) {
  for (most = std::min(most, away_.size()); most > 0; --most) {
    next_listed_ = next_listed_ + 1 < away_.size() ? next_listed_ + 1 : 0;
    report.blocks[report.size++] = {away_[next_listed_], 0};
  }
}

}  // namespace racksim::flowcc
