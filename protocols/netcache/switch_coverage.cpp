// See switch_coverage.hpp.
#include "protocols/netcache/switch_coverage.hpp"

#include "protocols/netcache/messages.hpp"

namespace racksim::netcache {

using store::Op;

p4::Pipeline& SwitchCoverage::pipeline() const {
  return manager_.place().pipeline(kPipe);
}

void SwitchCoverage::before_ingress(const p4::Packet& packet, const p4::IngressMetadata&) {
  message_ = kNoMessage;
  const auto* store = packet.find<store::StoreHeader>();
  if (store == nullptr) return;
  op_ = store->operation();
  message_ = coverage_message(op_);
  if (message_ == kNoMessage) return;
  const auto* safety = packet.find<store::SafetyHeader>();
  version_ = safety == nullptr ? 0 : safety->version;
  hits_ = pipeline().counters(*program_.lookup).hits;
  const auto row = manager_.row_of(store::KeyHash{store->hkey_high, store->hkey_low});
  state_ = row ? pipeline().registers().read(program_.state->id, row->index) : 0;
}

void SwitchCoverage::after_ingress(const p4::Packet&, const p4::IngressMetadata&, const p4::Verdict&) {
  if (message_ == kNoMessage) return;
  const bool cached = pipeline().counters(*program_.lookup).hits > hits_;
  const unsigned bits = program_.state->width.bits;
  const bool valid = (shared_.safety ? state_ >> bits : state_) != 0;
  const KeyState state = !cached ? KeyState::not_cached : valid ? KeyState::valid : KeyState::invalid;
  shared_.coverage.pair(static_cast<std::size_t>(state), message_);
  if (op_ != kCacheUpdate) return;
  if (!cached) shared_.coverage.race(RacePoint::update_of_evicted_key);
  if (cached && shared_.safety && version_ != (state_ & p4::mask_of(bits))) {
    shared_.coverage.race(RacePoint::update_overtaken);
  }
}

}  // namespace racksim::netcache
