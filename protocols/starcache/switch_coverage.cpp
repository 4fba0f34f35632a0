// See switch_coverage.hpp.
#include "protocols/starcache/switch_coverage.hpp"

#include "protocols/switch_cache/messages.hpp"

namespace racksim::starcache {

using store::Op;

SwitchCoverage::SwitchCoverage(store::Shared& shared, const StarCacheOptions& options, const StarProgram& program,
                               const CacheManager& manager)
    : shared_(shared), options_(options), program_(program), manager_(manager) {}

// An F-REQ may have been sent through the recirculation port to its pipe, and is no cache packet.
bool SwitchCoverage::comes_round(unsigned port) const {
  const models::SwitchChassis& chassis = manager_.place().chassis();
  return op_ != switch_cache::kFetchRequest && port == chassis.recirculation_port(chassis.pipe_of(port));
}

std::uint64_t SwitchCoverage::lookup_hits(unsigned port) const {
  return manager_.place().pipeline(manager_.place().chassis().pipe_of(port)).counters(*program_.lookup).hits;
}

std::size_t SwitchCoverage::state_at(RowAt row) const {
  const std::uint64_t index = row.index;
  const p4::RegisterFile& registers = manager_.place().pipeline(row.pipe).registers();
  const std::uint64_t state = registers.read(program_.state->id, index);
  const bool valid = (shared_.safety ? state >> program_.state->width.bits : state) != 0;
  const std::uint64_t waiting = registers.read(program_.queue->id, index) & p4::mask_of(program_.queue->width.bits);
  return coverage_state(valid ? Validity::valid : Validity::invalid, waiting == 0 ? QueueState::empty
                                                                     : waiting < options_.queue_size
                                                                         ? QueueState::waiting
                                                                         : QueueState::full);
}

void SwitchCoverage::before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) {
  message_ = kNoMessage;
  const auto* store = packet.find<store::StoreHeader>();
  if (store == nullptr) return;
  op_ = store->operation();
  message_ = coverage_message(op_, comes_round(metadata.port));
  if (message_ == kNoMessage) return;
  const auto* safety = packet.find<store::SafetyHeader>();
  version_ = safety == nullptr ? 0 : safety->version;
  hits_ = lookup_hits(metadata.port);
  const auto row = manager_.row_of({store->hkey_high, store->hkey_low});
  state_ = row ? state_at(*row) : kNotCached;
  served_ = false;
  if (!row) return;
  const std::uint64_t queue = manager_.place().pipeline(row->pipe).registers().read(program_.queue->id, row->index);
  served_ = queue >> program_.queue->width.bits > 1;
}

void SwitchCoverage::after_ingress(const p4::Packet&, const p4::IngressMetadata& metadata, const p4::Verdict& verdict) {
  if (message_ == kNoMessage) return;
  const bool cached = lookup_hits(metadata.port) > hits_;
  shared_.coverage.pair(cached ? state_ : kNotCached, message_);
  if (comes_round(metadata.port)) {
    if (verdict.dropped()) {
      shared_.coverage.race(cached ? RacePoint::stale_packet_dropped : RacePoint::evicted_packet_dropped);
    }
    return;
  }
  const bool invalidates = op_ == Op::write_request || op_ == switch_cache::kFetchRequest;
  if (cached && invalidates && served_) shared_.coverage.race(RacePoint::invalidated_while_served);
  if (!cached || verdict.mcast_a != p4::Verdict::kNone) return;
  if (op_ == switch_cache::kFetchReply) shared_.coverage.race(RacePoint::fetch_reply_overtaken);
  if (op_ == Op::write_reply) {
    shared_.coverage.race(version_ == 0 ? RacePoint::write_reply_from_before_insertion
                                        : RacePoint::write_reply_overtaken);
  }
}

}  // namespace racksim::starcache
