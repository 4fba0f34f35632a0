// Write order and reports of a server. See star_server.hpp.
#include "protocols/starcache/star_server.hpp"

#include <utility>

#include "models/packets/addressing.hpp"
#include "protocols/starcache/coverage.hpp"
#include "sim/record/history.hpp"

namespace racksim::starcache {

using nocache::Message;
using nocache::Op;

StarServer::StarServer(nocache::Shared& shared, const StarCacheOptions& options, Counters& counters,
                       nocache::Partition& partition)
    : shared_(shared),
      options_(options),
      counters_(counters),
      partition_(partition),
      clock_(shared.rack.server(shared.node_of(partition.server())).clock()),
      order_(shared.versions) {
  partition.extend(*this);
}

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

bool StarServer::admits_write(const Message& request) {
  if (!shared_.safety || order_.admits(hash_in(request), request.safety.version)) return true;
  shared_.coverage.race(request.safety.version == 0 ? RacePoint::rule_ii : RacePoint::rule_i);
  return false;
}

void StarServer::written(const Message& request) {
  order_.executed(hash_in(request), request.safety.version);
}

void StarServer::fetched(const Message& request) {
  order_.executed(hash_in(request), request.safety.version);
}

void StarServer::other(const Message& message, nocache::Address from) {
  switch (message.store.operation()) {
    case Op::eviction: {
      order_.evicted(hash_in(message), message.safety.version);
      Message reply = message;
      reply.store.set(Op::eviction_reply);
      return partition_.send(reply, from, 0);
    }
    case Op::report_reply: {
      const auto found = unacknowledged_.find(static_cast<std::uint32_t>(message.store.seq));
      if (found == unacknowledged_.end()) return;
      clock_.calendar().cancel(found->second.timer);
      unacknowledged_.erase(found);
      return;
    }
    default:
      return;
  }
}

void StarServer::end_round() {
  clock_.after<&StarServer::end_round>(options_.round, *this);
  if (!shared_.rack.server(shared_.node_of(partition_.server())).is_on()) return;
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
    shared_.coverage.race(RacePoint::report_repeated);
    const sim::Time now = clock_.calendar().now();
    sim::record_sent_again(shared_.rack.journal(), partition_.source(), now, 0,
                           {sim::SentAgain::timeout, 0, now - options_.report_timeout});
  }
  Message message;
  message.store.set(Op::report);
  message.store.seq = number;
  message.measure.partition = partition_.server();
  partition_.send(message, {models::kControlCpuNode, nocache::kFirstPort}, 0);
  found->second.timer = clock_.after<&StarServer::send_report>(options_.report_timeout, *this, number);
}

void StarServer::crash() {
  for (auto& [number, report] : unacknowledged_) clock_.calendar().cancel(report.timer);
  unacknowledged_.clear();
}

}  // namespace racksim::starcache
