// The bytes of a trace's file, or of a pipe, as they come: lines or pieces of fixed length, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace racksim::models {

class TraceBytes {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// Throws TraceError if there is no such file, or it cannot be read.
  explicit TraceBytes(std::string file);
  ~TraceBytes();
  TraceBytes(const TraceBytes&) = delete;
  TraceBytes& operator=(const TraceBytes&) = delete;

  const std::string& file() const { return file_; }
  /// The length of a regular file; nothing of a pipe, a device, a terminal, which can be read once.
  std::optional<std::uint64_t> length() const { return length_; }

  /// The next bytes, fewer than `count` only at the end, without taking them. Valid until the next call.
  std::string_view peek(std::size_t count);
  /// The next line without its end ("\n" or "\r\n"); nothing at the end. Valid until the next call. Throws TraceError at
  /// a line that is too long.
  std::optional<std::string_view> line();
  /// The next `count` bytes, fewer only at the end. Valid until the next call.
  std::string_view take(std::size_t count);
  /// The number of the line that was read last, from 1 on.
  std::uint64_t line_number() const { return lines_; }

  /// Begins again. Only for a regular file.
  void rewind();

 private:
  /// Reads more behind what is there; false at the end.
  bool fill();

  std::string file_;
  int descriptor_ = -1;
  std::optional<std::uint64_t> length_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what has been read and not taken
  bool at_end_ = false;
  std::uint64_t lines_ = 0;
};

}  // namespace racksim::models
