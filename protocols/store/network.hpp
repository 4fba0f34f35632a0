// What the parts of one store share, and how they make messages.
#pragma once

#include <cstdint>
#include <vector>

#include "models/rack/rack.hpp"
#include "models/service/key_value_service.hpp"
#include "protocols/store/counters.hpp"
#include "protocols/store/coverage.hpp"
#include "protocols/store/key_hash.hpp"
#include "protocols/store/messages.hpp"
#include "protocols/store/options.hpp"
#include "protocols/store/version.hpp"

namespace racksim::store {

using models::NodeId;

/// Owned by the protocol object.
struct Shared {
  models::Rack& rack;
  StoreOptions options;
  unsigned client_nodes;
  bool safety;  ///< messages carry the SafetyHeader
  Counters counters;
  models::ItemSizes sizes{};
  Versions versions{};            ///< of SafetyHeader, as the switch counts them
  sim::CoverageProbe coverage{};  ///< set by protocols whose map begins with coverage.hpp's

  unsigned servers() const { return static_cast<unsigned>(options.server_nodes * options.partitions); }
  KeyHash hash(sim::Key key) const { return key_hash(key, static_cast<unsigned>(options.hash_bits)); }
  /// The server that has the keys of a hash.
  unsigned home_of(KeyHash hash) const { return server_of(hash, servers(), sizes.placement_seed); }
  NodeId node_of(unsigned server) const {
    return static_cast<NodeId>(client_nodes + server / static_cast<unsigned>(options.partitions));
  }
  std::uint16_t port_of(unsigned server) const {
    return static_cast<std::uint16_t>(kFirstPort + server % static_cast<unsigned>(options.partitions));
  }
  std::uint32_t header_bytes() const {
    return StoreHeader::kLayout.bytes() + MeasureHeader::kLayout.bytes() + (safety ? SafetyHeader::kLayout.bytes() : 0);
  }
  /// Bytes of value that a packet holds behind its headers and the key (§3.2).
  std::uint32_t value_room() const { return kMostPayload - header_bytes() - sizes.key_bytes; }
  /// Packets that an item consists of (§3.9), at least 1.
  unsigned packets_of(sim::Key key) const;
};

/// The contents of a message behind UDP.
struct Message {
  StoreHeader store;
  MeasureHeader measure;
  SafetyHeader safety;
  sim::Key key = 0;       ///< the original key, in the payload
  unsigned fragment = 0;  ///< which packet of the item
  sim::Value value = 0;
  bool brings_value = false;     ///< the packet is as long as its part of the value
  bool value_in_header = false;  ///< the value is in a ValueHeader
};

/// A part of an item as one number: keys have 48 bits. That of an item's first part is its key.
constexpr std::uint64_t part_id(sim::Key key, unsigned number) {
  return key | std::uint64_t{number} << 48;
}
/// Whether it is the first part: its number is the key then.
constexpr bool is_first_part(std::uint64_t part) {
  return part >> 48 == 0;
}

/// The hash of the key that a message is about.
inline KeyHash hash_in(const Message& message) {
  return {message.store.hkey_high, message.store.hkey_low};
}

/// A UDP address.
struct Address {
  NodeId node = 0;
  std::uint16_t port = 0;
  bool operator==(const Address&) const = default;
};

/// What a message's payload means.
struct PartOfItem {
  std::uint64_t id = 0;  ///< of the part
  sim::Value value = 0;
};

/// A packet from `source_port` of the sender to `to`.
p4::PacketRef make_message(Shared& shared, const Message& message, std::uint16_t source_port, Address to,
                           sim::OperationId operation);
/// The other way round. Throws p4::PacketError when the packet is no message of the application.
Message read_message(const Shared& shared, p4::Packet& packet);
/// Notes what a packet with a value holds of its item: the packet's own part or, of a ValueHeader, what each stage of
/// the switch has put in.
void note_parts(const Shared& shared, const p4::Packet& packet, const Message& message, models::ItemParts& parts);
/// Where a packet comes from.
Address sender_of(p4::Packet& packet);
/// Whether it is a message of the application.
bool is_message(const p4::Packet& packet);

}  // namespace racksim::store
