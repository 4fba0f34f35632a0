// The pcapng format (draft-ietf-opsawg-pcapng): a file is a list of blocks. A section header gives the byte order of what
// follows, interface descriptions give the link type and the unit of time of the packets that name them, and blocks of
// unknown types are passed over. See capture_builder.hpp.
#include <fmt/core.h>

#include <algorithm>

#include "tools/lone_switch/capture_builder.hpp"

namespace racksim::tools {
namespace {

enum BlockType : std::uint32_t {
  interface_description = 1,
  packet = 2,  // as it was before enhanced packets
  simple_packet = 3,
  enhanced_packet = 6,
  section_header = 0x0a0d'0d0a,
};

constexpr std::uint32_t kByteOrder = 0x1a2b'3c4d;
constexpr std::uint32_t kLeastBlock = 12;  // type, length, and the length again

class PcapngReader {
 public:
  PcapngReader(CaptureBytes bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Capture read() {
    for (std::size_t at = 0; at < bytes_.size();) {
      const std::uint32_t type = bytes_.word(at);
      if (type == section_header) begin_section(at);
      const std::uint32_t length = bytes_.word(at + 4);
      if (bytes_.has(at, 8) && (length < kLeastBlock || length % 4 != 0)) {
        bytes_.refuse(at + 4, fmt::format("a block of {} bytes", length), "a multiple of 4 from 12");
      }
      if (!bytes_.has(at, std::max(length, kLeastBlock))) {
        if (is_packet(type)) builder_.skip("cut by the end of the file");
        break;
      }
      block(type, at + 8, at + length - 4);
      at += length;
    }
    return builder_.take(file_);
  }

 private:
  struct Interface {
    std::uint32_t link = 0, snapped_at = 0, check_sequence = 0;
    std::uint8_t unit = 6;  // times are in 10 to the minus 6th of a second
    std::int64_t offset_seconds = 0;
  };

  static bool is_packet(std::uint32_t type) {
    return type == enhanced_packet || type == simple_packet || type == packet;
  }

  void begin_section(std::size_t at) {
    bytes_.set_swapped(false);
    if (bytes_.word(at + 8) != kByteOrder) bytes_.set_swapped(true);
    if (bytes_.word(at + 8) != kByteOrder) {
      bytes_.set_swapped(false);
      bytes_.refuse(at + 8, fmt::format("{:#010x}", bytes_.word(at + 8)), "the byte order of a section, 0x1a2b3c4d");
    }
    interfaces_.clear();
  }

  void block(std::uint32_t type, std::size_t at, std::size_t end) {
    switch (type) {
      case interface_description:
        return describe(at, end);
      case enhanced_packet:
        return take_packet(bytes_.word(at), at + 4, end);
      case packet:
        return take_packet(bytes_.half(at), at + 4, end);
      case simple_packet:
        return take_simple_packet(at, end);
      default:
        return;
    }
  }

  /// Calls with code, place and length of each option from a place on.
  template <class Take>
  void options(std::size_t at, std::size_t end, const Take& take) const {
    while (at + 4 <= end) {
      const std::uint32_t code = bytes_.half(at), length = bytes_.half(at + 2);
      if (code == 0 || at + 4 + length > end) return;
      take(code, at + 4, length);
      at += 4 + (length + 3) / 4 * 4;
    }
  }

  void describe(std::size_t at, std::size_t end) {
    Interface& described = interfaces_.emplace_back();
    described.link = bytes_.half(at);
    described.snapped_at = bytes_.word(at + 4);
    options(at + 8, end, [&](std::uint32_t code, std::size_t where, std::uint32_t length) {
      if (code == 9 && length == 1) described.unit = static_cast<std::uint8_t>(bytes_.number(where, 1));
      if (code == 13 && length == 1) described.check_sequence = static_cast<std::uint32_t>(bytes_.number(where, 1));
      if (code == 14 && length == 8) described.offset_seconds = static_cast<std::int64_t>(bytes_.number(where, 8));
    });
  }

  const Interface& interface(std::uint32_t number, std::size_t at) const {
    if (number >= interfaces_.size()) {
      bytes_.refuse(at, fmt::format("interface {}", number),
                    fmt::format("one of the {} that are described before", interfaces_.size()));
    }
    return interfaces_[number];
  }

  /// From the time stamp on.
  void take_packet(std::uint32_t number, std::size_t at, std::size_t end) {
    const Interface& by = interface(number, at - 4);
    const std::uint32_t captured = bytes_.word(at + 8);
    if (at + 16 > end || captured > end - at - 16) {
      bytes_.refuse(at + 8, fmt::format("{} bytes of a packet", captured), "what fits into its block");
    }
    FoundFrame frame{.at = time(by, std::uint64_t{bytes_.word(at)} << 32 | bytes_.word(at + 4)),
                     .bytes = bytes_.part(at + 16, captured),
                     .whole = bytes_.word(at + 12),
                     .check_sequence = by.check_sequence};
    // Flags of the packet: four bits of them tell the length of its check sequence.
    options(at + 16 + (captured + 3) / 4 * 4, end, [&](std::uint32_t code, std::size_t where, std::uint32_t length) {
      const std::uint32_t told = bytes_.word(where) >> 5 & 0xf;
      if (code == 2 && length == 4 && told != 0) frame.check_sequence = told;
    });
    take(by, frame);
  }

  void take_simple_packet(std::size_t at, std::size_t end) {
    const Interface& by = interface(0, at);
    if (at + 4 > end) bytes_.refuse(at, "an empty block", "a packet");
    const std::uint32_t whole = bytes_.word(at);
    const auto room = static_cast<std::uint32_t>(end - at - 4);
    std::uint32_t captured = std::min(whole, room);
    if (by.snapped_at != 0) captured = std::min(captured, by.snapped_at);
    builder_.remarks().add("without an instant: sent with the one before");
    take(by, {.at = builder_.last(),
              .bytes = bytes_.part(at + 4, captured),
              .whole = whole,
              .check_sequence = by.check_sequence});
  }

  void take(const Interface& by, const FoundFrame& frame) {
    if (by.link != kEthernetLink) return builder_.skip(fmt::format("of link type {}, not Ethernet", by.link));
    builder_.add(frame);
  }

  CaptureTime time(const Interface& by, std::uint64_t units) const {
    constexpr CaptureTime kSecond = 1'000'000'000'000;
    CaptureTime ps = CaptureTime{units} * kSecond;
    const unsigned exponent = by.unit & 0x7fU;
    if ((by.unit & 0x80U) != 0) {
      ps >>= exponent;
    } else {
      for (unsigned i = 0; i < exponent && ps != 0; ++i) ps /= 10;
    }
    return ps + CaptureTime{by.offset_seconds} * kSecond;
  }

  CaptureBytes bytes_;
  const std::string& file_;
  CaptureBuilder builder_;
  std::vector<Interface> interfaces_;  // of the section
};

}  // namespace

bool is_pcapng(std::string_view bytes) {
  return bytes.starts_with("\x0a\x0d\x0d\x0a");
}

Capture read_pcapng(CaptureBytes bytes, const std::string& file) {
  return PcapngReader(bytes, file).read();
}

}  // namespace racksim::tools
