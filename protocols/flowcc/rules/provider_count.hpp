// How many data providers a miss has: the owner of a block that others hold asks exactly one of them for the data
// (Concordia §5.1.1, Table 3).
//
// Seen by the requester, from outside the owner: an acknowledgement echoes the request as its receiver got it. Each
// transmission is judged by itself, since a retransmission that finds another copyset may find another provider, and so
// is each copyset, since a network that delivers a packet twice makes two transmissions of one.
#pragma once

#include <cstdint>
#include <optional>

#include "protocols/flowcc/rules/messages.hpp"

namespace racksim::flowcc {

class ProviderCount {
 public:
  /// One transmission, as far as it is acknowledged: by whom, and who of them was asked for the data.
  struct Transmission {
    std::uint64_t serial = 0;
    Copyset copyset = 0, acknowledged = 0, providers = 0;
  };

  /// An acknowledgement of a holder to a miss of this type.
  void acknowledged(MessageType type, const FlowCcHeader& ack) {
    const GlobalMetadata metadata = ack.metadata();
    if (ack.serial != latest_.serial || metadata.copyset != latest_.copyset) {
      latest_ = {.serial = ack.serial, .copyset = metadata.copyset};
    }
    const Copyset from = node_bit(static_cast<NodeId>(ack.node_id));
    latest_.acknowledged |= from;
    if (ack.is_data_provider != 0) latest_.providers |= from;
    const bool single = route(type, metadata.status, ack.retransmitted != 0) == Route::provider;
    const bool all = single || (latest_.copyset & ~latest_.acknowledged) == 0;
    const bool several = (latest_.providers & (latest_.providers - 1)) != 0;
    if (!wrong_ && (several || (all && latest_.providers == 0))) wrong_ = latest_;
  }

  /// The transmission that was acknowledged last.
  const Transmission& latest() const { return latest_; }
  /// The first transmission that asked none or several of the holders, if any did.
  const std::optional<Transmission>& wrong() const { return wrong_; }

 private:
  Transmission latest_;
  std::optional<Transmission> wrong_;
};

}  // namespace racksim::flowcc
