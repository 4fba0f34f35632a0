// What the readers of both capture formats share: bytes in either order, and frames put into their order (capture.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/json/input_error.hpp"
#include "tools/lone_switch/capture.hpp"

namespace racksim::tools {

inline constexpr std::uint32_t kEthernetLink = 1;

/// An instant of a capture in picoseconds since 1970, which 64 bits do not hold.
__extension__ using CaptureTime = __int128;

/// A file's bytes, whose numbers are in an order that is found out.
class CaptureBytes {
 public:
  CaptureBytes(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  std::size_t size() const { return bytes_.size(); }
  bool has(std::size_t at, std::size_t count) const { return at <= bytes_.size() && bytes_.size() - at >= count; }
  void set_swapped(bool swapped) { swapped_ = swapped; }
  /// What lies in the file; zeros behind its end.
  std::uint64_t number(std::size_t at, std::size_t bytes) const;
  std::uint32_t word(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
  std::uint32_t half(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 2)); }
  std::string_view part(std::size_t at, std::size_t count) const { return bytes_.substr(at, count); }
  [[noreturn]] void refuse(std::size_t at, std::string found, std::string expected) const;

 private:
  std::string_view bytes_;
  std::string file_;
  bool swapped_ = false;
};

/// A frame as it stands in a file.
struct FoundFrame {
  CaptureTime at = 0;
  std::string_view bytes{};
  std::uint32_t whole = 0;           ///< how long it was on the wire, as the file says
  std::uint32_t check_sequence = 0;  ///< of how many bytes at its end
};

/// Gathers a capture.
class CaptureBuilder {
 public:
  void add(const FoundFrame& frame);
  /// A frame that is there and cannot be taken.
  void skip(std::string_view why);
  CaptureTime last() const { return times_.empty() ? 0 : times_.back(); }
  CaptureRemarks& remarks() { return capture_.remarks; }
  /// Throws InputError if there is no frame, or one lies too far from the first.
  Capture take(const std::string& file);

 private:
  Capture capture_;
  std::vector<CaptureTime> times_;  // of the frames
};

/// The readers. `bytes` begin as such a file does.
Capture read_classic_capture(CaptureBytes bytes, const std::string& file);
Capture read_pcapng(CaptureBytes bytes, const std::string& file);

/// Whether bytes begin so.
bool is_pcapng(std::string_view bytes);

/// The most that a capture says it holds of a frame, as libpcap has it (MAXIMUM_SNAPLEN): more is a damaged file.
inline constexpr std::uint32_t kMostCaptured = 262'144;

}  // namespace racksim::tools
