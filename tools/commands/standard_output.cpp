// See standard_output.hpp.
#include "tools/commands/standard_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>

#include "tools/commands/command_line.hpp"

namespace racksim::tools {

void occupy_standard_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(standard, F_GETFD) >= 0) continue;
    // The lowest free number is this one. Opened the wrong way round: reading fails, and so does writing.
    if (open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY) != standard) _exit(exit_internal_error);
  }
}

DescriptorBuffer::DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

int DescriptorBuffer::sync() {
  const char* at = pbase();
  while (error_ == 0 && at < pptr()) {
    const ssize_t n = write(descriptor_, at, static_cast<std::size_t>(pptr() - at));
    if (n >= 0) {
      at += n;
    } else if (errno == EAGAIN) {
      pollfd ready{descriptor_, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return error_ == 0 ? 0 : -1;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type character) {
  if (sync() != 0) return traits_type::eof();
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  return sputc(traits_type::to_char_type(character));
}

int finish_output(DescriptorBuffer& buffer, int status, std::ostream& err) {
  buffer.pubsync();
  if (buffer.error() == 0) return status;
  err << "racksim: standard output could not be written: " << std::strerror(buffer.error()) << '\n';
  return status == exit_ok || status == exit_failed ? exit_internal_error : status;
}

}  // namespace racksim::tools
