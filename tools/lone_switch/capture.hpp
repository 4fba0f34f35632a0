// Captures as they are in the field: Ethernet frames in the classic pcap format
// (https://www.tcpdump.org/manpages/pcap-savefile.5.html) or in pcapng (draft-ietf-opsawg-pcapng).
//
// What cannot be sent is skipped, and what is sent otherwise than it was captured is told: a capture comes with remarks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/kernel/time.hpp"

namespace racksim::tools {

/// A frame without its check sequence.
struct CapturedFrame {
  sim::Time at;  ///< after the capture's earliest frame
  std::vector<std::uint8_t> bytes{};
  std::uint32_t missing = 0;  ///< bytes behind these that were not captured
};

/// What there is to say of frames, and of how many, in the order in which it came up.
class CaptureRemarks {
 public:
  void add(std::string_view what);
  const std::vector<std::pair<std::string, std::uint64_t>>& all() const { return all_; }
  /// "3 frames skipped: too long; 1 frame ..."
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::uint64_t>> all_;
};

struct Capture {
  std::uint64_t found = 0;              ///< frames in the file, those that are skipped too
  std::vector<CapturedFrame> frames{};  ///< in the order of their instants
  CaptureRemarks remarks{};
};

/// A capture is kept in memory whole, so that a pipe can be read.
inline constexpr std::size_t kMostCaptureBytes = std::size_t{256} << 20;

/// Whether bytes begin as a capture does.
bool is_capture(std::string_view bytes);

/// Reads a capture of either format and byte order; `file` stands for it in errors. Throws InputError that names the
/// byte where it is none, is of another link type than Ethernet, or holds no frame.
Capture read_capture(std::string_view bytes, const std::string& file);

/// A capture in the classic format with nanoseconds; what is finer is cut off.
std::string pcap_bytes(std::span<const CapturedFrame> frames);

}  // namespace racksim::tools
