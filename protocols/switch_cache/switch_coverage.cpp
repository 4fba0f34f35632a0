// Passes and their marks. See switch_coverage.hpp.
#include "protocols/switch_cache/switch_coverage.hpp"

#include <algorithm>
#include <utility>

namespace racksim::switch_cache {

std::size_t coverage_message(std::span<const MessageKind> kinds, store::Op op, bool recirculated) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const MessageKind& kind) {
    return kind.op == op && kind.recirculated == recirculated;
  });
  return found == kinds.end() ? kNoMessage : static_cast<std::size_t>(found - kinds.begin());
}

sim::CoverageMap coverage_map(std::vector<std::string> states, std::span<const MessageKind> kinds,
                              const sim::RacePoints& races) {
  sim::CoverageMap map;
  map.states = std::move(states);
  for (const MessageKind& kind : kinds) map.messages.emplace_back(kind.name);
  map.race_points = races.names();
  return map;
}

std::uint64_t SwitchCoverage::lookup_hits(unsigned port) const {
  return manager_.location().pipeline(chassis().pipe_of(port)).counters(*program().lookup).hits;
}

void SwitchCoverage::before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) {
  message_ = kNoMessage;
  const auto* store = packet.find<store::StoreHeader>();
  if (store == nullptr) return;
  met_ = {.op = store->operation(), .recirculated = recirculated(store->operation(), metadata.port)};
  message_ = coverage_message(kinds_, met_.op, met_.recirculated);
  if (message_ == kNoMessage) return;
  const auto* safety = packet.find<store::SafetyHeader>();
  if (safety != nullptr) met_.version = safety->version;
  hits_ = lookup_hits(metadata.port);
  const auto row = manager_.row_of(store::KeyHash{store->hkey_high, store->hkey_low});
  if (row) met_.state = read(*row, program().state);
  state_ = state_of(met_, row);
}

void SwitchCoverage::after_ingress(const p4::Packet&, const p4::IngressMetadata& metadata, const p4::Verdict& verdict) {
  if (message_ == kNoMessage) return;
  const bool cached = lookup_hits(metadata.port) > hits_;
  shared_.coverage.pair(cached ? state_ : 0, message_);
  note_races(met_, cached, verdict);
}

}  // namespace racksim::switch_cache
