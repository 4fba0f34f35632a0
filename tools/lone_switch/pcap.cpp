// Reading and writing of captures. See pcap.hpp.
#include "tools/lone_switch/pcap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tools/json/input_error.hpp"

namespace racksim::tools {
namespace {

constexpr std::uint32_t kMicroseconds = 0xa1b2'c3d4, kNanoseconds = 0xa1b2'3c4d, kEthernet = 1;
constexpr std::size_t kFileHeader = 24, kFrameHeader = 16;
constexpr std::uint32_t kLongestFrame = 16'384;

std::string bytes_in(const std::string& path, std::size_t most) {
  if (std::filesystem::is_directory(path)) throw InputError(path, "", "a folder", "a file that can be read");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path, "", "nothing", "a file that can be read");
  std::string bytes;
  for (auto at = std::istreambuf_iterator<char>(in); at != std::istreambuf_iterator<char>() && bytes.size() < most;
       ++at)
    bytes.push_back(*at);
  return bytes;
}

class PcapReader {
 public:
  explicit PcapReader(const std::string& path) : path_(path), bytes_(bytes_in(path, std::size_t{1} << 28)) {}

  std::vector<CapturedFrame> read() {
    need(0, kFileHeader);
    const auto unit = magic();
    if (!unit) refuse(0, fmt::format("{:#010x}", word(0)), "the magic number of a capture, 0xa1b2c3d4 or 0xa1b23c4d");
    if (word(20) != kEthernet) refuse(20, fmt::format("link type {}", word(20)), "Ethernet, which is 1");
    std::vector<CapturedFrame> frames;
    for (std::size_t at = kFileHeader; at < bytes_.size();) {
      need(at, kFrameHeader);
      const std::uint32_t captured = word(at + 8), whole = word(at + 12);
      if (captured != whole || captured > kLongestFrame) {
        refuse(at + 8, fmt::format("{} bytes of a frame of {}", captured, whole),
               fmt::format("whole frames of at most {} bytes", kLongestFrame));
      }
      const auto begin = at + kFrameHeader;
      need(begin, captured);
      const auto ns =
          std::int64_t{word(at)} * 1'000'000'000 + std::int64_t{word(at + 4)} * (unit == kNanoseconds ? 1 : 1000);
      if (frames.empty()) first_ns_ = ns;
      if (ns < first_ns_ || ns - first_ns_ > 1'000'000'000) {
        refuse(at, "a frame from another second", "frames within one second after the first one");
      }
      auto& frame = frames.emplace_back();
      frame.at = sim::Time{} + sim::Duration::from_ps((ns - first_ns_) * 1000);
      frame.bytes.assign(bytes_.begin() + static_cast<std::ptrdiff_t>(begin),
                         bytes_.begin() + static_cast<std::ptrdiff_t>(begin + captured));
      at = begin + captured;
    }
    if (frames.empty()) refuse(kFileHeader, "no frames", "at least one");
    return frames;
  }

 private:
  [[noreturn]] void refuse(std::size_t at, std::string found, std::string expected) const {
    throw InputError(path_, fmt::format("byte {}", at), std::move(found), std::move(expected));
  }
  void need(std::size_t at, std::size_t count) const {
    if (bytes_.size() - at < count) {
      refuse(at, fmt::format("{} bytes to the end", bytes_.size() - at), fmt::format("{} bytes", count));
    }
  }
  /// The magic number, and with it the byte order; 0 if it is none.
  std::uint32_t magic() {
    for (const bool swapped : {false, true}) {
      swapped_ = swapped;
      if (word(0) == kMicroseconds || word(0) == kNanoseconds) return word(0);
    }
    return 0;
  }
  std::uint32_t word(std::size_t at) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto byte = static_cast<std::uint8_t>(bytes_[at + i]);
      value |= std::uint32_t{byte} << 8 * (swapped_ ? 3 - i : i);
    }
    return value;
  }

  std::string path_, bytes_;
  bool swapped_ = false;
  std::int64_t first_ns_ = 0;
};

void append(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift & 0xff));
}

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

SentPacket packet_of(std::span<const std::uint8_t> bytes, const p4::Program& program,
                     std::span<const PresetValue> values, p4::PacketPool& pool) {
  SentPacket sent;
  auto packet = pool.make();
  const auto& states = program.parser(p4::Gress::ingress).states;
  const p4::ParserState* state = states.empty() ? nullptr : &states.front();
  while (state) {
    const auto& layout = *program.headers()[static_cast<std::size_t>(state->header)].layout;
    if (bytes.size() < layout.bytes()) break;
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
  sent.payload_bytes = static_cast<std::uint32_t>(bytes.size());
  for (const auto byte : bytes) sent.payload.push_back(static_cast<std::byte>(byte));
  return sent;
}

}  // namespace

bool is_pcap(const std::string& path) {
  const auto start = bytes_in(path, 4);
  for (const std::string_view magic :
       {"\xd4\xc3\xb2\xa1", "\x4d\x3c\xb2\xa1", "\xa1\xb2\xc3\xd4", "\xa1\xb2\x3c\x4d"}) {
    if (start == magic) return true;
  }
  return false;
}

std::vector<CapturedFrame> read_pcap(const std::string& path) {
  return PcapReader(path).read();
}

std::string pcap_bytes(std::span<const CapturedFrame> frames) {
  std::string out;
  append(out, kNanoseconds);
  append(out, 2 | 4 << 16);  // version 2.4
  append(out, 0);
  append(out, 0);
  append(out, 262'144);  // the longest frame that could be
  append(out, kEthernet);
  for (const auto& frame : frames) {
    const auto ns = (frame.at - sim::Time{}).ps() / 1000;
    append(out, static_cast<std::uint32_t>(ns / 1'000'000'000));
    append(out, static_cast<std::uint32_t>(ns % 1'000'000'000));
    for (int i = 0; i < 2; ++i) append(out, static_cast<std::uint32_t>(frame.bytes.size()));
    out.append(frame.bytes.begin(), frame.bytes.end());
  }
  return out;
}

std::vector<SentPacket> packets_of(std::span<const CapturedFrame> frames, const p4::Program& program, unsigned port,
                                   const std::string& file, std::span<const PresetValue> values) {
  std::vector<SentPacket> packets;
  p4::PacketPool pool;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    auto packet = packet_of(frames[i].bytes, program, values, pool);
    if (packet.headers.empty()) {
      throw InputError(file, fmt::format("frame {}", i + 1), fmt::format("{} bytes", frames[i].bytes.size()),
                       "a frame that the program's ingress parser finds its first header in");
    }
    packet.port = port;
    packet.time = frames[i].at;
    packets.push_back(std::move(packet));
  }
  return packets;
}

}  // namespace racksim::tools
