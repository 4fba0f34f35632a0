// How a home agent's migrations reach the network, its locks and its clock. See home_migration.hpp.
#include <algorithm>

#include "protocols/flowcc/home_agent.hpp"
#include "protocols/flowcc/memory_node.hpp"

namespace racksim::flowcc {

bool HomeAgent::admits(const p4::Packet& packet) {
  if (!migration_) return true;
  switch (migration_->admit(packet.get<FlowCcHeader>())) {
    case HomeMigration::Admission::serve:
      return true;
    case HomeMigration::Admission::refuse:
      shared_.coverage.race(RacePoint::home_refuses_given_away);
      ++shared_.migration->refused_requests.value;
      reply(packet, MessageType::failed_ack, {}, false);
      return false;
    case HomeMigration::Admission::drop:
      shared_.coverage.race(RacePoint::home_drops_from_before_return);
      ++shared_.migration->dropped_requests.value;
      return false;
  }
  return true;
}

void HomeAgent::migration_packet(const p4::Packet& packet) {
  ++shared_.migration->packets.value;
  const FlowCcHeader& h = packet.get<FlowCcHeader>();
  if (h.message_type() == MessageType::removal_notice) return migration_->remove(h.tag());
  migration_->answered(h);
}

void HomeAgent::epoch_over() {
  const auto blocks = static_cast<std::int64_t>(migration_->counted());
  core_.run<&HomeAgent::end_epoch>(shared_.options.migration.work_per_block * blocks, *this);
}

void HomeAgent::end_epoch() {
  migration_->end_epoch();
  HeatReport report;
  for (std::uint64_t left = shared_.options.migration.listed; left > 0;) {
    const std::size_t most = std::min<std::uint64_t>(left, HeatReport::kMost);
    report.size = 0;
    migration_->list(report, most);
    if (report.size == 0) return;
    FlowCcHeader h;
    h.set_type(MessageType::listing);
    h.receiver = static_cast<std::uint64_t>(Receiver::shadow);
    h.node_id = endpoint_.node();
    ++shared_.migration->packets.value;
    ++shared_.counters.home_sent.value;
    endpoint_.send_hint(h, shared_.shadow, report);
    if (report.size < most) return;
    left -= most;
  }
}

void HomeAgent::forget() {
  stop_waiting();
  holders_.clear();
  if (migration_) migration_->forget();
}

void HomeAgent::crash() {
  std::fill(metadata_.begin(), metadata_.end(), GlobalMetadata{});
  last_executed_.forget_all();
  std::fill(last_serial_.begin(), last_serial_.end(), 0);
  std::fill(last_unlock_.begin(), last_unlock_.end(), 0);
}

void HomeAgent::forget_requester(RequesterId requester) {
  last_executed_.forget(requester);
  last_serial_[requester] = 0;
  if (!last_unlock_.empty()) last_unlock_[requester] = 0;
}

void HomeAgent::rebuild(const std::map<Tag, GlobalMetadata>& blocks) {
  std::fill(metadata_.begin(), metadata_.end(), GlobalMetadata{});
  for (const auto& [tag, metadata] : blocks) set_metadata(tag, metadata);
}

bool HomeAgent::lock_to_move(Tag tag) {
  if (lock(tag) != LockState::free) return false;
  holders_.push_back({.tag = tag,
                      .requester = static_cast<std::uint16_t>(number()),
                      .read = false,
                      .seq = 0,
                      .since = shared_.calendar.now()});
  return true;
}

void HomeAgent::unlock_moved(Tag tag) {
  std::erase_if(holders_, [&](const Holder& l) { return l.tag == tag && l.requester == number(); });
}

void HomeAgent::send_move(const FlowCcHeader& header, bool again) {
  FlowCcHeader h = header;
  h.set_index = set_index(h.tag(), shared_.options.entries_per_way);
  h.node_id = endpoint_.node();
  h.reply_qp = endpoint_.raw_qpn();
  ++shared_.migration->packets.value;
  ++shared_.counters.home_sent.value;
  endpoint_.send(h, endpoint_.node(), 0);
  const sim::Duration first =
      shared_.rack.options().rtt * static_cast<std::int64_t>(shared_.options.migration.timeout_rtts);
  move_patience_ = again ? std::min(move_patience_ * 2, first * FlowCcOptions::kMostBackOff) : first;
  move_timer_ = shared_.rack.server(endpoint_.node()).clock().after<&HomeAgent::move_timed_out>(move_patience_, *this);
}

void HomeAgent::stop_waiting() {
  shared_.calendar.cancel(move_timer_);
  move_timer_ = {};
}

void HomeAgent::move_timed_out() {
  endpoint_.report_timeout(*migration_->moving(), 0, move_patience_);
  migration_->timed_out();
}

}  // namespace racksim::flowcc
