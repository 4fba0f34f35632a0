// Messages as packets. See network.hpp.
#include "protocols/store/network.hpp"

#include <algorithm>

#include "models/packets/addressing.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::store {

namespace {
void push_value(p4::Packet& packet, sim::Value value) {
  std::uint64_t words[ValueHeader::kWords];
  for (unsigned i = 0; i < ValueHeader::kWords; ++i) words[i] = ValueHeader::word(value, i);
  packet.push_words(ValueHeader::kLayout, words);
}

sim::Value value_in(p4::Packet& packet) {
  const auto words = packet.words(packet.header_count() - 1);
  return ValueHeader::value_of([&](unsigned i) { return words.get(i); });
}

// In the number of a part: the key, and above it the number of the fragment.
constexpr unsigned kKeyBits = 48;
constexpr std::uint64_t kKeyMask = (std::uint64_t{1} << kKeyBits) - 1;
constexpr std::size_t kUdp = 2, kStore = 3, kMeasure = 4, kSafety = 5;  // indices of the headers
}  // namespace

unsigned Shared::packets_of(sim::Key key) const {
  const std::uint32_t room = value_room(), bytes = sizes.value_bytes(key);
  return std::max(1u, (bytes + room - 1) / room);
}

p4::PacketRef make_message(Shared& shared, const Message& message, std::uint16_t source_port, Address to,
                           sim::OperationId operation) {
  p4::PacketRef packet = shared.rack.make_packet(to.node, source_port, to.port);
  packet->push(message.store);
  packet->push(message.measure);
  if (shared.safety) packet->push(message.safety);
  if (message.value_in_header) push_value(*packet, message.value);
  // What is not on the wire does not arrive: a packet without the value's bytes reads as a value that nobody has
  // written.
  packet->content = models::Content::of(
      PartOfItem{part_id(message.key, message.fragment), message.brings_value ? message.value : sim::kNeverWritten});
  packet->payload_bytes = shared.sizes.key_bytes;
  if (message.brings_value) {
    const std::uint32_t room = shared.value_room(), before = message.fragment * room;
    const std::uint32_t bytes = shared.sizes.value_bytes(message.key);
    packet->payload_bytes += std::min(room, bytes - std::min(bytes, before));
  }
  packet->operation = operation;
  return packet;
}

Message read_message(const Shared& shared, p4::Packet& packet) {
  Message message;
  message.store = packet.get_at<StoreHeader>(kStore);
  message.measure = packet.get_at<MeasureHeader>(kMeasure);
  if (shared.safety) message.safety = packet.get_at<SafetyHeader>(kSafety);
  const auto part = packet.content.as<PartOfItem>();
  message.key = sim::Key{part.id & kKeyMask};
  message.fragment = static_cast<unsigned>(part.id >> kKeyBits);
  message.value = part.value;
  message.brings_value = packet.payload_bytes > shared.sizes.key_bytes;
  message.value_in_header = packet.header_count() > (shared.safety ? kSafety : kMeasure) + 1;
  if (message.value_in_header) message.value = value_in(packet);
  return message;
}

void note_parts(const Shared& shared, const p4::Packet& packet, const Message& message, models::ItemParts& parts) {
  if (!message.value_in_header) {
    const std::uint32_t bytes = packet.payload_bytes - std::min(packet.payload_bytes, shared.sizes.key_bytes);
    return parts.add({message.key, message.fragment, bytes, packet.content.as<PartOfItem>().value});
  }
  const auto words = const_cast<p4::Packet&>(packet).words(packet.header_count() - 1);
  for (unsigned i = 0; i < ValueHeader::kWords; i += 2) {
    parts.add({message.key, i / 2, 8, ValueHeader::value_of(words.get(i), words.get(i + 1), i)});
  }
}

Address sender_of(p4::Packet& packet) {
  return {models::node_of_ipv4(packet.get_at<p4::Ipv4>(1).src),
          static_cast<std::uint16_t>(packet.get_at<p4::Udp>(kUdp).src_port)};
}

bool is_message(const p4::Packet& packet) {
  return packet.find<StoreHeader>() != nullptr;
}

}  // namespace racksim::store
