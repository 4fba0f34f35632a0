// A crew with poll. See child_processes.hpp.
#include "tools/processes/child_processes.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "sim/simgrid/module.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/text/system_error.hpp"

namespace racksim::tools {
namespace {

/// Exit status of a child whose work threw; its text is then the exception's.
constexpr int kThrew = 70;
/// Of one for whose work there was no memory.
constexpr int kNoMemory = 71;

int answer(const ChildProcesses::Work& work, int pipe) {
  int status = 0;
  std::string text;
  try {
    text = work();
  } catch (const std::bad_alloc&) {
    return kNoMemory;
  } catch (const std::exception& error) {
    text = error.what();
    status = kThrew;
  }
  write_all(pipe, text);
  return status;
}

}  // namespace

ChildProcesses::ChildProcesses(unsigned jobs, std::optional<std::chrono::milliseconds> limit, ChildErrors errors)
    : jobs_(std::max(jobs, 1u)), limit_(limit), errors_(errors) {
  sim::load_simgrid();  // once, and not in every child
}

bool ChildProcesses::start(std::uint64_t id, const Work& work) {
  try {
    auto process = std::make_unique<ChildProcess>([&work](int pipe) { return answer(work, pipe); },
                                                  ChildProcess::Signals::ignored, errors_);
    children_.push_back({id, std::move(process), std::chrono::steady_clock::now(), ""});
    return true;
  } catch (const SystemError&) {
    if (children_.empty()) throw;
    jobs_ = static_cast<unsigned>(children_.size());
    return false;
  }
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
    for (const Child& child : children_) pipes.push_back({child.process->pipe(), POLLIN, 0});
    pipes.push_back({interruption_descriptor(), POLLIN, 0});  // a negative one is left out by poll
    const auto sleep = std::chrono::duration_cast<std::chrono::milliseconds>(wake - now).count();
    const int ready = poll(pipes.data(), pipes.size(), static_cast<int>(std::max<long long>(sleep + 1, 0)));
    for (std::size_t i = 0; ready > 0 && i < children_.size(); ++i) {
      if (pipes[i].revents != 0 && !children_[i].process->read_some(children_[i].text)) return end(i, false);
    }
    if (ready <= 0 && std::chrono::steady_clock::now() >= deadline) return std::nullopt;
  }
  return std::nullopt;
}

ChildResult ChildProcesses::end(std::size_t index, bool timed_out) {
  Child child = std::move(children_[index]);
  children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(index));
  if (timed_out) child.process->kill();
  const auto [status, peak_bytes, errors] = child.process->wait();
  using Ending = ChildResult::Ending;
  ChildResult result{.id = child.id, .ending = Ending::killed, .text = std::move(child.text), .peak_bytes = peak_bytes};
  const std::string why = errors.empty() ? "" : ": " + errors;
  if (timed_out) {
    result.ending = Ending::timed_out;
    result.text = "the run did not end within its wall-clock limit";
  } else if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    result.text = fmt::format("the run was ended by signal {} ({}){}", signal, strsignal(signal), why);
  } else if (WEXITSTATUS(status) == kThrew) {
    result.ending = Ending::threw;
  } else if (WEXITSTATUS(status) == kNoMemory) {
    result.ending = Ending::no_memory;
    result.text = "a run had no memory";
  } else if (WEXITSTATUS(status) != 0) {
    // A sanitizer or std::exit inside the work.
    result.text = fmt::format("the run ended with status {}{}", WEXITSTATUS(status), why);
  } else {
    result.ending = Ending::answered;
  }
  return result;
}

ChildResult answer_of(const ChildProcesses::Work& work, const char* if_interrupted) {
  ChildProcesses children(1);
  static_cast<void>(children.start(0, work));  // where it is the only one it runs, or throws
  std::optional<ChildResult> result;
  while (!(result = children.wait(std::chrono::hours(1)))) {
    stop_if_interrupted([&] { return if_interrupted; });
  }
  if (result->ending == ChildResult::Ending::no_memory) throw SystemError(result->text);
  if (!result->answered()) throw std::runtime_error(result->text);
  return *std::move(result);
}

}  // namespace racksim::tools
