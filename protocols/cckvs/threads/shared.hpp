// What all threads of a cluster share: the rack, the options, who listens where, and what is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/nic/verbs.hpp"
#include "models/rack/rack.hpp"
#include "models/service/key_value_service.hpp"
#include "protocols/cckvs/threads/counters.hpp"
#include "protocols/cckvs/threads/home_requests.hpp"
#include "protocols/cckvs/threads/messages.hpp"
#include "protocols/cckvs/threads/node_options.hpp"
#include "protocols/cckvs/threads/races.hpp"
#include "protocols/cckvs/threads/shard.hpp"

namespace racksim::cckvs {

/// Labels of answers, in the order of the service's list.
enum class AnsweredBy : std::uint8_t { cache, local_store, remote_store, count };

struct Shared {
  models::Rack& rack;
  NodeOptions options;
  Counters counters;
  sim::CoverageProbe coverage{};
  std::optional<sim::Duration> retransmit_after{};  ///< for how long an answer is waited for; none: for ever
  models::ItemSizes items{};
  std::vector<std::vector<models::Destination>> kvs_threads{};  ///< by node and thread

  /// Where keys come into the caches and go: who sees to the requests at a node, by node; else empty.
  std::vector<HomeRequests*> home_requests{};
  bool stamps_answers = false;  ///< answers of homes have a timestamp

  unsigned nodes() const { return static_cast<unsigned>(rack.nodes()); }
  Home home(sim::Key key) const {
    return home_of(key, nodes(), static_cast<unsigned>(options.kvs_threads), items.placement_seed);
  }
  MessageSizes sizes(sim::Key key) const {
    return {.key_bytes = items.key_bytes, .value_bytes = items.value_bytes(key)};
  }
  /// Of the answer to a request, in bytes of payload.
  std::uint32_t response_bytes(sim::Key key, bool put) const {
    constexpr std::uint32_t kTimestampBytes = 5;
    return sizes(key).response(put) + (stamps_answers ? kTimestampBytes : 0);
  }
  /// Of a datagram on a wire, besides its payload.
  std::uint32_t header_bytes(bool with_immediate) const {
    // LRH, BTH, DETH, ICRC and VCRC; or Ethernet, IPv4, UDP, BTH, DETH, ICRC, FCS, preamble and gap.
    const bool infiniband = rack.options().link_framing == models::Framing::infiniband;
    return (infiniband ? 8 + 12 + 8 + 4 + 2 : 14 + 20 + 8 + 12 + 8 + 4 + 4 + 20) + (with_immediate ? 4 : 0);
  }
};

}  // namespace racksim::cckvs
