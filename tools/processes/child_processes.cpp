// fork, a pipe and poll. See child_processes.hpp.
#include "tools/processes/child_processes.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "tools/processes/interruption.hpp"

namespace racksim::tools {
namespace {

/// Exit status of a child whose work threw; its text is then the exception's.
constexpr int kThrew = 70;

void write_all(int pipe, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(pipe, text.data() + written, text.size() - written);
    if (n < 0 && errno != EINTR) return;  // the parent is gone
    if (n > 0) written += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void live(const ChildProcesses::Work& work, int pipe) {
  int status = 0;
  std::string text;
  try {
    text = work();
  } catch (const std::exception& error) {
    text = error.what();
    status = kThrew;
  }
  write_all(pipe, text);
  _exit(status);  // none of the parent's destructors and buffers are the child's
}

/// Reads what there is; false at the end.
bool read_some(int pipe, std::string& text) {
  char buffer[4096];
  const ssize_t n = read(pipe, buffer, sizeof buffer);
  if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

/// ": " and the last lines of a child's standard error; nothing if it wrote none. Closes the file.
std::string take_end(int file) {
  constexpr off_t kMost = 2000;
  const off_t size = lseek(file, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kMost)), '\0');
  const ssize_t n = pread(file, text.data(), text.size(), std::max<off_t>(size - kMost, 0));
  close(file);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? text : ": " + text;
}

}  // namespace

ChildProcesses::ChildProcesses(unsigned jobs, std::optional<std::chrono::milliseconds> limit, ChildErrors errors)
    : jobs_(std::max(jobs, 1u)), limit_(limit), errors_(errors) {}

ChildProcesses::~ChildProcesses() {
  while (!children_.empty()) end(0, true);
}

void ChildProcesses::start(std::uint64_t id, const Work& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error(fmt::format("no pipe to a run: {}", std::strerror(errno)));
  // Should there be no such file, the child's errors go where the parent's go.
  const int errors = errors_ == ChildErrors::captured ? memfd_create("errors of a run", MFD_CLOEXEC) : -1;
  const pid_t parent = getpid();
  InterruptionsHeld held;
  const pid_t process = fork();
  if (process < 0) {
    const std::string why = std::strerror(errno);
    close(ends[0]);
    close(ends[1]);
    if (errors >= 0) close(errors);
    throw std::runtime_error("no process for a run: " + why);
  }
  if (process == 0) {
    held.ignore_in_child();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent went before the line above
    close(ends[0]);
    for (const Child& other : children_) close(other.pipe);
    if (errors >= 0) dup2(errors, STDERR_FILENO);
    live(work, ends[1]);
  }
  close(ends[1]);
  children_.push_back({id, process, ends[0], errors, std::chrono::steady_clock::now(), ""});
}

std::optional<ChildResult> ChildProcesses::wait(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!children_.empty() && !interrupted()) {
    const auto now = std::chrono::steady_clock::now();
    auto wake = deadline;
    if (limit_) {
      for (std::size_t i = 0; i < children_.size(); ++i) {
        if (now - children_[i].begun >= *limit_) return end(i, true);
        wake = std::min(wake, children_[i].begun + *limit_);
      }
    }
    std::vector<pollfd> pipes;
    for (const Child& child : children_) pipes.push_back({child.pipe, POLLIN, 0});
    pipes.push_back({interruption_descriptor(), POLLIN, 0});  // a negative one is left out by poll
    const auto sleep = std::chrono::duration_cast<std::chrono::milliseconds>(wake - now).count();
    const int ready = poll(pipes.data(), pipes.size(), static_cast<int>(std::max<long long>(sleep + 1, 0)));
    for (std::size_t i = 0; ready > 0 && i < children_.size(); ++i) {
      if (pipes[i].revents != 0 && !read_some(children_[i].pipe, children_[i].text)) return end(i, false);
    }
    if (ready <= 0 && std::chrono::steady_clock::now() >= deadline) return std::nullopt;
  }
  return std::nullopt;
}

ChildResult ChildProcesses::end(std::size_t index, bool timed_out) {
  Child child = std::move(children_[index]);
  children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(index));
  if (timed_out) kill(child.process, SIGKILL);
  close(child.pipe);
  int status = 0;
  while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string errors = child.errors >= 0 ? take_end(child.errors) : "";
  using Ending = ChildResult::Ending;
  if (timed_out) return {child.id, Ending::timed_out, "the run did not end within its wall-clock limit"};
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {child.id, Ending::killed,
            fmt::format("the run was ended by signal {} ({}){}", signal, strsignal(signal), errors)};
  }
  if (WEXITSTATUS(status) == kThrew) return {child.id, Ending::threw, std::move(child.text)};
  if (WEXITSTATUS(status) != 0) {
    // A sanitizer or std::exit inside the work.
    return {child.id, Ending::killed, fmt::format("the run ended with status {}{}", WEXITSTATUS(status), errors)};
  }
  return {child.id, Ending::answered, std::move(child.text)};
}

}  // namespace racksim::tools
