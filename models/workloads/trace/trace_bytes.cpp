// See trace_bytes.hpp.
#include "models/workloads/trace/trace_bytes.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "models/workloads/trace/trace_error.hpp"

namespace racksim::models {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;

}  // namespace

TraceBytes::TraceBytes(std::string file) : file_(std::move(file)), buffer_(kPiece) {
  descriptor_ = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw TraceError(file_, "", std::strerror(errno), "a readable trace");
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    throw TraceError(file_, "", "a folder", "a readable trace");
  }
  if (S_ISREG(status.st_mode)) length_ = static_cast<std::uint64_t>(status.st_size);
}

TraceBytes::~TraceBytes() {
  ::close(descriptor_);
}

bool TraceBytes::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw TraceError(file_, "", std::strerror(errno), "a readable trace");
  at_end_ = got == 0;
  end_ += static_cast<std::size_t>(got);
  return !at_end_;
}

std::string_view TraceBytes::peek(std::size_t count) {
  while (end_ - begin_ < count && fill()) {
  }
  return {buffer_.data() + begin_, std::min(count, end_ - begin_)};
}

std::string_view TraceBytes::take(std::size_t count) {
  const std::string_view bytes = peek(count);
  begin_ += bytes.size();
  return bytes;
}

std::optional<std::string_view> TraceBytes::line() {
  std::size_t searched = 0;
  for (;;) {
    const std::string_view there(buffer_.data() + begin_, end_ - begin_);
    std::size_t length = there.find('\n', searched);
    const bool ends_here = length != std::string_view::npos;
    if (!ends_here) {
      searched = there.size();
      if (searched <= kLongestLine && fill()) continue;
      if (searched == 0) return std::nullopt;
      length = searched;
    }
    ++lines_;
    if (length > kLongestLine) {
      throw TraceError(file_, fmt::format("line {}", lines_), fmt::format("more than {} bytes", kLongestLine),
                       "a line of a trace");
    }
    // What was read may have moved the buffer.
    std::string_view text(buffer_.data() + begin_, length);
    begin_ += length + (ends_here ? 1 : 0);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }
}

void TraceBytes::rewind() {
  if (!length_ || ::lseek(descriptor_, 0, SEEK_SET) != 0) throw std::logic_error(file_ + " is read a second time");
  begin_ = end_ = 0;
  lines_ = 0;
  at_end_ = false;
}

}  // namespace racksim::models
