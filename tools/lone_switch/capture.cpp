// Frames in their order, the classic format, and writing it. See capture.hpp.
#include "tools/lone_switch/capture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tools/lone_switch/capture_builder.hpp"
#include "tools/text/numbers.hpp"

namespace racksim::tools {
namespace {

constexpr std::uint32_t kMicroseconds = 0xa1b2'c3d4, kNanoseconds = 0xa1b2'3c4d;
constexpr std::size_t kFileHeader = 24, kFrameHeader = 16;
constexpr std::uint32_t kLongestFrame = 16'384;
constexpr std::int64_t kMostDays = 100;
constexpr CaptureTime kSecond = 1'000'000'000'000;

/// The magic number of a classic capture, in the order that it has been found to be in.
std::uint32_t classic_magic(CaptureBytes& bytes) {
  for (const bool swapped : {false, true}) {
    bytes.set_swapped(swapped);
    if (bytes.word(0) == kMicroseconds || bytes.word(0) == kNanoseconds) return bytes.word(0);
  }
  return 0;
}

}  // namespace

void CaptureRemarks::add(std::string_view what) {
  for (auto& [text, count] : all_) {
    if (text == what) {
      ++count;
      return;
    }
  }
  all_.emplace_back(what, 1);
}

std::string CaptureRemarks::text() const {
  std::string text;
  for (const auto& [what, count] : all_) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", counted(count, "frame"), what);
  }
  return text;
}

std::uint64_t CaptureBytes::number(std::size_t at, std::size_t count) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = at + (swapped_ ? i : count - 1 - i);
    value = value << 8 | (place < bytes_.size() ? static_cast<std::uint8_t>(bytes_[place]) : 0U);
  }
  return value;
}

void CaptureBytes::refuse(std::size_t at, std::string found, std::string expected) const {
  throw InputError(file_, fmt::format("byte {}", at), std::move(found), std::move(expected));
}

void CaptureBuilder::add(const FoundFrame& frame) {
  const auto captured = static_cast<std::uint32_t>(frame.bytes.size());
  // Some capturing programs say less than they give.
  const std::uint32_t all = std::max(frame.whole, captured);
  const std::uint32_t whole = all - std::min(all, frame.check_sequence);
  if (whole > kLongestFrame) {
    return skip(fmt::format("longer than {} bytes, which no port takes (a NIC's offload may have joined several)",
                            kLongestFrame));
  }
  ++capture_.found;
  auto& kept = capture_.frames.emplace_back();
  const std::string_view bytes = frame.bytes.substr(0, whole);
  kept.bytes.assign(bytes.begin(), bytes.end());
  kept.missing = whole - static_cast<std::uint32_t>(bytes.size());
  if (frame.check_sequence > 0) remarks().add("captured with their check sequence, which is taken off");
  if (kept.missing > 0) remarks().add("captured in part: what is missing at their end is sent as zeros");
  times_.push_back(frame.at);
}

void CaptureBuilder::skip(std::string_view why) {
  ++capture_.found;
  remarks().add(fmt::format("skipped: {}", why));
}

Capture CaptureBuilder::take(const std::string& file) {
  if (times_.empty()) {
    throw InputError(file, "", capture_.found == 0 ? "no frames" : "no frame to send: " + remarks().text(),
                     "a capture with at least one Ethernet frame");
  }
  const CaptureTime first = *std::min_element(times_.begin(), times_.end());
  CaptureTime latest = first;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const CaptureTime after = times_[i] - first;
    if (after > kSecond * 86'400 * kMostDays) {
      throw InputError(file, fmt::format("frame {} of those that can be sent", i + 1),
                       fmt::format("{} days after the earliest", static_cast<std::int64_t>(after / kSecond / 86'400)),
                       fmt::format("at most {} days: instants are counted in picoseconds", kMostDays));
    }
    if (times_[i] < latest) remarks().add("captured after later ones: all are sent in the order of their instants");
    latest = std::max(latest, times_[i]);
    capture_.frames[i].at = sim::Time{} + sim::Duration::from_ps(static_cast<std::int64_t>(after));
  }
  std::stable_sort(capture_.frames.begin(), capture_.frames.end(),
                   [](const CapturedFrame& a, const CapturedFrame& b) { return a.at < b.at; });
  return std::move(capture_);
}

Capture read_classic_capture(CaptureBytes bytes, const std::string& file) {
  const CaptureTime fraction = classic_magic(bytes) == kNanoseconds ? 1'000 : 1'000'000;
  if (!bytes.has(0, kFileHeader)) {
    bytes.refuse(0, fmt::format("{} bytes", bytes.size()), fmt::format("the {} of a capture's head", kFileHeader));
  }
  const std::uint32_t link = bytes.word(20) & 0xffff;
  if (link != kEthernetLink) {
    bytes.refuse(20, fmt::format("link type {}", link), fmt::format("Ethernet, which is {}", kEthernetLink));
  }
  // The length of the check sequence in units of 16 bits, if the bit in front of it says that it is there.
  const bool announced = (bytes.word(20) & 0x0400'0000) != 0;
  const std::uint32_t check_sequence = announced ? (bytes.word(20) >> 28) * 2 : 0;
  CaptureBuilder builder;
  for (std::size_t at = kFileHeader; at < bytes.size();) {
    const std::uint32_t captured = bytes.word(at + 8);
    if (bytes.has(at, kFrameHeader) && captured > kMostCaptured) {
      bytes.refuse(at + 8, fmt::format("{} bytes of one frame", captured), fmt::format("at most {}", kMostCaptured));
    }
    if (!bytes.has(at, kFrameHeader + captured)) {
      builder.skip("cut by the end of the file");
      break;
    }
    builder.add({.at = kSecond * bytes.word(at) + fraction * bytes.word(at + 4),
                 .bytes = bytes.part(at + kFrameHeader, captured),
                 .whole = bytes.word(at + 12),
                 .check_sequence = check_sequence});
    at += kFrameHeader + captured;
  }
  return builder.take(file);
}

bool is_capture(std::string_view bytes) {
  CaptureBytes start(bytes, "");
  return bytes.size() >= 4 && (is_pcapng(bytes) || classic_magic(start) != 0);
}

Capture read_capture(std::string_view bytes, const std::string& file) {
  CaptureBytes start(bytes, file);
  if (is_pcapng(bytes)) return read_pcapng(start, file);
  if (bytes.size() < 4 || classic_magic(start) == 0) {
    start.refuse(0, fmt::format("{:#010x}", start.word(0)), "the magic number of a capture, pcap's or pcapng's");
  }
  return read_classic_capture(start, file);
}

std::string pcap_bytes(std::span<const CapturedFrame> frames) {
  std::string out;
  const auto append = [&out](std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift & 0xff));
  };
  append(kNanoseconds);
  append(2 | 4 << 16);  // version 2.4
  append(0);
  append(0);
  append(kMostCaptured);
  append(kEthernetLink);
  for (const auto& frame : frames) {
    const auto ns = (frame.at - sim::Time{}).ps() / 1000;
    append(static_cast<std::uint32_t>(ns / 1'000'000'000));
    append(static_cast<std::uint32_t>(ns % 1'000'000'000));
    append(static_cast<std::uint32_t>(frame.bytes.size()));
    append(static_cast<std::uint32_t>(frame.bytes.size()) + frame.missing);
    out.append(frame.bytes.begin(), frame.bytes.end());
  }
  return out;
}

}  // namespace racksim::tools
