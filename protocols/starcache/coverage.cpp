// States, messages and passes. See coverage.hpp.
#include "protocols/starcache/coverage.hpp"

namespace racksim::starcache {

using store::Op;

sim::CoverageMap coverage_map() {
  std::vector<std::string> states{"not cached"};
  for (const char* validity : {"invalid", "valid"}) {
    for (const char* queue : {"empty queue", "waiting requests", "full queue"}) {
      states.push_back(std::string(validity) + ", " + queue);
    }
  }
  return switch_cache::coverage_map(std::move(states), kMessages, races);
}

// An F-REQ may have been sent through the recirculation port to its pipe, and is no cache packet.
bool SwitchCoverage::recirculated(Op op, unsigned port) const {
  return op != switch_cache::kFetchRequest && port == chassis().recirculation_port(chassis().pipe_of(port));
}

std::size_t SwitchCoverage::state_of(const Met& met, const std::optional<switch_cache::RowAt>& row) {
  served_ = false;
  if (!row) return kNotCached;
  const std::uint64_t queue = read(*row, program_.queue), waiting = switch_cache::low_half(*program_.queue, queue);
  served_ = switch_cache::high_half(*program_.queue, queue) > 1;
  return coverage_state(program_.is_valid(met.state) ? Validity::valid : Validity::invalid,
                        waiting == 0                    ? QueueState::empty
                        : waiting < options_.queue_size ? QueueState::waiting
                                                        : QueueState::full);
}

void SwitchCoverage::note_races(const Met& met, bool cached, const p4::Verdict& verdict) const {
  if (met.recirculated) {
    if (verdict.dropped()) race(cached ? races.stale_packet_dropped : races.evicted_packet_dropped);
    return;
  }
  const bool invalidates = met.op == Op::write_request || met.op == switch_cache::kFetchRequest;
  if (cached && invalidates && served_) race(races.invalidated_while_served);
  if (!cached || verdict.mcast_a != p4::Verdict::kNone) return;
  if (met.op == switch_cache::kFetchReply) race(races.fetch_reply_overtaken);
  if (met.op == Op::write_reply) {
    race(met.version == 0 ? races.write_reply_from_before_insertion : races.write_reply_overtaken);
  }
}

}  // namespace racksim::starcache
