// Reports of a server. See star_server.hpp.
#include "protocols/starcache/star_server.hpp"

#include <utility>

#include "protocols/starcache/coverage.hpp"
#include "protocols/starcache/messages.hpp"
#include "sim/record/history.hpp"

namespace racksim::starcache {

using store::Message;
using store::Op;

StarServer::StarServer(store::Shared& shared, const switch_cache::CacheLocation& location,
                       const StarCacheOptions& options, Counters& counters, store::Partition& partition)
    : CachingServer(shared, location, partition),
      options_(options),
      counters_(counters),
      clock_(shared.rack.server(shared.node_of(partition.server())).clock()) {}

void StarServer::start_reporting() {
  top_ = std::make_unique<TopKeys>(options_.top_k, options_.sketch_width);
  clock_.after<&StarServer::end_round>(options_.round, *this);
}

const std::vector<Popularity>* StarServer::report(std::uint32_t number) const {
  const auto found = unacknowledged_.find(number);
  return found == unacknowledged_.end() ? nullptr : &found->second.keys;
}

void StarServer::requested(const Message& request) {
  if (top_ && request.store.operation() == Op::read_request) top_->count(request.key);
}

void StarServer::refused(bool has_version) const {
  shared().coverage.race(has_version ? races.rule_i : races.rule_ii);
}

void StarServer::own_message(const Message& message, store::Address) {
  if (message.store.operation() != kReportReply) return;
  const auto found = unacknowledged_.find(static_cast<std::uint32_t>(message.store.seq));
  if (found == unacknowledged_.end()) return;
  clock_.calendar().cancel(found->second.timer);
  unacknowledged_.erase(found);
}

void StarServer::end_round() {
  clock_.after<&StarServer::end_round>(options_.round, *this);
  if (!shared().rack.server(shared().node_of(server())).is_on()) return;
  std::vector<Popularity> keys = top_->take(options_.report_above);
  if (keys.empty()) return;
  const std::uint32_t number = next_report_++;
  unacknowledged_[number].keys = std::move(keys);
  send_report(number);
}

void StarServer::send_report(std::uint32_t number) {
  const auto found = unacknowledged_.find(number);
  if (found == unacknowledged_.end()) return;
  ++counters_.reports.value;
  if (std::exchange(found->second.sent, true)) {
    shared().coverage.race(races.report_repeated);
    const sim::Time now = clock_.calendar().now();
    sim::record_sent_again(shared().rack.event_log(), partition().source(), now, 0,
                           {sim::SentAgain::timeout, 0, now - options_.report_timeout});
  }
  Message message;
  message.store.set(kReport);
  message.store.seq = number;
  message.measure.partition = server();
  partition().send(message, controller(), 0);
  found->second.timer = clock_.after<&StarServer::send_report>(options_.report_timeout, *this, number);
}

void StarServer::crash() {
  for (auto& [number, report] : unacknowledged_) clock_.calendar().cancel(report.timer);
  unacknowledged_.clear();
}

}  // namespace racksim::starcache
