// The ingress parser's view of a frame. See captured_packets.hpp.
#include "tools/lone_switch/captured_packets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "tools/json/input_error.hpp"

namespace racksim::tools {
namespace {

/// Where the parser goes from a state, given the header that it has extracted.
const std::string& next_of(const p4::ParserState& state, const p4::Program& program,
                           std::span<const PresetValue> values, const p4::Packet& packet) {
  if (!state.selector) return state.next;
  const auto& field = program.info(*state.selector);
  for (std::size_t h = 0; h < packet.header_count(); ++h) {
    if (&packet.layout(h) != program.headers()[static_cast<std::size_t>(field.header)].layout) continue;
    const auto value = packet.word(h, static_cast<std::size_t>(field.member));
    for (const auto& c : state.cases) {
      const bool chosen = c.set ? std::any_of(values.begin(), values.end(),
                                              [&](const PresetValue& member) {
                                                return member.set == c.set && (value & member.mask) == member.value;
                                              })
                                : (value & c.mask) == c.value;
      if (chosen) return c.state;
    }
  }
  return state.next;
}

std::uint64_t bits_at(std::span<const std::uint8_t> bytes, std::size_t bit, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i, ++bit) value = value << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1U);
  return value;
}

/// Nothing if the parser wants a header that was not captured whole.
std::optional<SentPacket> packet_of(const CapturedFrame& frame, const p4::Program& program,
                                    std::span<const PresetValue> values, p4::PacketPool& pool) {
  SentPacket sent;
  std::span<const std::uint8_t> bytes = frame.bytes;
  auto packet = pool.make();
  const auto& states = program.parser(p4::Gress::ingress).states;
  const p4::ParserState* state = states.empty() ? nullptr : &states.front();
  while (state) {
    const auto& layout = *program.headers()[static_cast<std::size_t>(state->header)].layout;
    if (bytes.size() < layout.bytes()) {
      if (frame.missing > 0) return std::nullopt;
      break;
    }
    SentPacket::SentHeader header{.layout = &layout};
    std::size_t bit = 0;
    for (std::size_t f = 0; f < layout.count; ++f) {
      header.words.push_back(bits_at(bytes, bit, layout.fields[f].bits));
      bit += layout.fields[f].bits;
    }
    packet->push_words(layout, header.words.data());
    sent.headers.push_back(std::move(header));
    bytes = bytes.subspan(layout.bytes());
    const auto& next = next_of(*state, program, values, *packet);
    const auto found =
        std::find_if(states.begin(), states.end(), [&](const p4::ParserState& one) { return one.name == next; });
    state = found == states.end() ? nullptr : &*found;
  }
  sent.payload_bytes = static_cast<std::uint32_t>(bytes.size()) + frame.missing;
  for (const auto byte : bytes) sent.payload.push_back(static_cast<std::byte>(byte));
  sent.payload.resize(sent.payload_bytes);
  return sent;
}

}  // namespace

std::vector<SentPacket> packets_of(Capture& capture, const p4::Program& program, unsigned port, const std::string& file,
                                   std::span<const PresetValue> values) {
  std::vector<SentPacket> packets;
  p4::PacketPool pool;
  for (const CapturedFrame& frame : capture.frames) {
    auto packet = packet_of(frame, program, values, pool);
    if (!packet || packet->headers.empty()) {
      capture.remarks.add(packet ? "skipped: too short for the first header that the program parses"
                                 : "skipped: their headers were not captured whole");
      continue;
    }
    packet->port = port;
    packet->time = frame.at;
    packets.push_back(std::move(*packet));
  }
  if (packets.empty()) {
    throw InputError(file, "", "no frame to send: " + capture.remarks.text(),
                     "a capture with at least one frame that the program parses");
  }
  return packets;
}

}  // namespace racksim::tools
