// fork, a pair of sockets and wait4. See forked_child.hpp.
#include "tools/bench/forked_child.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

#include "tools/processes/interruption.hpp"

namespace racksim::tools {

namespace {

/// A message to the parent: an answer, or text that says why there is none.
struct Answer {
  double value = 0;
  bool failed = false;
  char why[240] = {};
};

bool read_all(int file, void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const auto got = ::read(file, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

/// Messages are small enough for a socket to take them whole or not at all; if not, the other side is gone, which the
/// next read will tell.
void write_all(int file, const void* from, std::size_t bytes) {
  while (::send(file, from, bytes, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void live(const std::function<void(const ForkedChild::NextRequest&)>& serve, int parent) {
  bool first = true;
  try {
    serve([&](double value) {
      Answer answer;
      answer.value = value;
      if (!std::exchange(first, false)) write_all(parent, &answer, sizeof answer);
      char request = 0;
      return read_all(parent, &request, 1);
    });
  } catch (const std::exception& error) {
    Answer answer;
    answer.failed = true;
    std::strncpy(answer.why, error.what(), sizeof answer.why - 1);
    write_all(parent, &answer, sizeof answer);
  }
  _exit(0);  // none of the parent's destructors and buffers are the child's
}

}  // namespace

ForkedChild::ForkedChild(const std::function<void(const NextRequest&)>& serve) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    throw std::runtime_error(std::string("no sockets: ") + std::strerror(errno));
  }
  const pid_t parent = ::getpid();
  InterruptionsHeld held;
  pid_ = ::fork();
  if (pid_ == 0) {
    held.ignore_in_child();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) _exit(1);  // the parent went before the line above
    ::close(ends[0]);
    live(serve, ends[1]);
  }
  ::close(ends[1]);
  socket_ = ends[0];
  if (pid_ < 0) {
    ::close(socket_);
    throw std::runtime_error(std::string("no process: ") + std::strerror(errno));
  }
}

ForkedChild::~ForkedChild() {
  finish();
}

double ForkedChild::ask() {
  const char request = 1;
  write_all(socket_, &request, 1);
  pollfd awaited[]{{socket_, POLLIN, 0}, {interruption_descriptor(), POLLIN, 0}};
  while (::poll(awaited, 2, -1) < 0 && errno == EINTR) {
  }
  stop_if_interrupted([] { return "as a process was measuring"; });
  Answer answer;
  if (!read_all(socket_, &answer, sizeof answer)) throw std::runtime_error("the measuring process has died");
  if (answer.failed) throw std::runtime_error(answer.why);
  return answer.value;
}

std::uint64_t ForkedChild::finish() {
  if (pid_ < 0) return 0;
  if (interrupted()) ::kill(pid_, SIGKILL);  // it may be in the midst of a long round
  ::close(socket_);
  rusage usage{};
  while (::wait4(pid_, nullptr, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace racksim::tools
