// fork, a pipe and wait4. See child_process.hpp.
#include "tools/processes/child_process.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "tools/processes/interruption.hpp"
#include "tools/text/system_error.hpp"

namespace racksim::tools {
namespace {

/// Were an exception to leave a body, the child would go on as a second parent: it is ended instead.
[[noreturn]] void run(const ChildProcess::Body& body, int pipe) noexcept {
  _exit(body(pipe));  // none of the parent's destructors and buffers are the child's
}

/// The last lines of a file.
std::string end_of(int file) {
  constexpr off_t kMost = 2000;
  const off_t size = lseek(file, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kMost)), '\0');
  const ssize_t n = pread(file, text.data(), text.size(), std::max<off_t>(size - kMost, 0));
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// What execvp(3) takes: pointers into the command, which must stay where it is.
std::vector<char*> arguments_of(std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (auto& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  return arguments;
}

/// All that a child writes, to its end.
std::string all_of(ChildProcess& child) {
  std::string text;
  while (child.read_some(text)) {
  }
  return text;
}

}  // namespace

ChildProcess::ChildProcess(const Body& body, Signals signals, ChildErrors errors) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw SystemError(fmt::format("no pipe for a process: {}", std::strerror(errno)));
  // Should there be no such file, the child's errors go where the parent's go.
  if (errors == ChildErrors::captured) errors_ = memfd_create("errors of a child", MFD_CLOEXEC);
  const pid_t parent = getpid();
  DeferredInterruptions held;
  process_ = fork();
  if (process_ == 0) {
    if (signals == Signals::ignored) {
      held.ignore_in_child();
    } else {
      held.default_in_child();
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_FAILURE);  // the parent went before the line above
    close(ends[0]);
    if (errors_ >= 0) dup2(errors_, STDERR_FILENO);
    run(body, ends[1]);
  }
  const int error = errno;
  close(ends[1]);
  pipe_ = ends[0];
  if (process_ < 0) {
    close(pipe_);
    if (errors_ >= 0) close(errors_);
    throw SystemError(fmt::format("no process: {}", std::strerror(error)));
  }
}

ChildProcess::~ChildProcess() {
  if (process_ >= 0) {
    kill();
    wait();
  }
}

bool ChildProcess::read_some(std::string& text) {
  char buffer[4096];
  const ssize_t n = read(pipe_, buffer, sizeof buffer);
  if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

void ChildProcess::kill() {
  ::kill(process_, SIGKILL);
}

ChildProcess::End ChildProcess::wait() {
  close(pipe_);
  End end;
  rusage usage{};
  while (wait4(process_, &end.status, 0, &usage) < 0 && errno == EINTR) {
  }
  process_ = -1;
  end.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  if (errors_ >= 0) {
    end.errors = end_of(errors_);
    close(errors_);
  }
  return end;
}

void write_all(int pipe, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(pipe, text.data() + written, text.size() - written);
    if (n < 0 && errno != EINTR) return;  // the parent is gone
    if (n > 0) written += static_cast<std::size_t>(n);
  }
}

int exit_status_of(std::vector<std::string> command) {
  const auto arguments = arguments_of(command);
  const auto become_program = [&](int pipe) {
    execvp(arguments.front(), arguments.data());
    write_all(pipe, std::strerror(errno));  // still here: the parent is told why
    return EXIT_FAILURE;
  };
  ChildProcess child(become_program, ChildProcess::Signals::by_default);
  const std::string error = all_of(child);
  const int status = child.wait().status;
  if (!error.empty()) throw std::runtime_error(fmt::format("{} cannot be started: {}", command.front(), error));
  if (!WIFEXITED(status)) throw std::runtime_error(fmt::format("{} was ended by a signal", command.front()));
  return WEXITSTATUS(status);
}

ProgramEnd run_program(std::vector<std::string> command) {
  constexpr int kNotStarted = 127;  // as a shell says it
  const auto arguments = arguments_of(command);
  const auto become_program = [&](int pipe) {
    dup2(pipe, STDOUT_FILENO);
    execvp(arguments.front(), arguments.data());
    return kNotStarted;
  };
  ChildProcess child(become_program, ChildProcess::Signals::by_default, ChildErrors::captured);
  ProgramEnd end;
  end.output = all_of(child);
  ChildProcess::End ended = child.wait();
  end.errors = std::move(ended.errors);
  end.status = WIFEXITED(ended.status) ? WEXITSTATUS(ended.status) : 128 + WTERMSIG(ended.status);
  end.started = end.status != kNotStarted;
  return end;
}

std::string output_of(std::vector<std::string> command) {
  constexpr int kNotStarted = 127;  // as a shell says it
  const auto arguments = arguments_of(command);
  const auto become_program = [&](int pipe) {
    dup2(pipe, STDOUT_FILENO);
    execvp(arguments.front(), arguments.data());
    return kNotStarted;
  };
  ChildProcess child(become_program, ChildProcess::Signals::by_default);
  std::string output = all_of(child);
  const int status = child.wait().status;
  if (!WIFEXITED(status)) throw std::runtime_error(fmt::format("{} was ended by a signal", command.front()));
  if (WEXITSTATUS(status) == kNotStarted)
    throw std::runtime_error(fmt::format("{} cannot be started", command.front()));
  if (WEXITSTATUS(status) != 0) {
    throw std::runtime_error(fmt::format("{} ended with status {}", command.front(), WEXITSTATUS(status)));
  }
  return output;
}

}  // namespace racksim::tools
