// A flag, a pipe and the handler. See interruption.hpp.
#include "tools/processes/interruption.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "tools/text/system_error.hpp"

namespace racksim::tools {
namespace {

constexpr std::array kInterruptions{SIGINT, SIGTERM, SIGHUP};
constexpr int kInterruptedStatus = 130;
constexpr time_t kAnotherWish = 1;                // seconds after which another signal is another wish
constexpr itimerval kPatience{{}, {0, 700'000}};  // until somebody hears it

// What the handler may touch.
volatile sig_atomic_t interruption_came = 0;
timespec interruption_came_at{};
std::array<int, 2> interruption_pipe{-1, -1};
volatile sig_atomic_t interruption_heard = 0;
void (*clean_up_at_end)() = nullptr;

bool is_another_wish() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto seconds = now.tv_sec - interruption_came_at.tv_sec;
  return seconds > kAnotherWish || (seconds == kAnotherWish && now.tv_nsec >= interruption_came_at.tv_nsec);
}

[[noreturn]] void end_at_once() {
  if (clean_up_at_end != nullptr) clean_up_at_end();
  _exit(kInterruptedStatus);
}

void on_patience_over(int) {
  if (interruption_heard != 0) return;
  constexpr std::string_view kSaid = "racksim: interrupted: nothing that it was doing was complete\n";
  static_cast<void>(!write(STDERR_FILENO, kSaid.data(), kSaid.size()));
  end_at_once();
}

void on_interruption(int) {
  const int saved = errno;
  if (interruption_came != 0) {
    if (is_another_wish()) end_at_once();
  } else {
    clock_gettime(CLOCK_MONOTONIC, &interruption_came_at);
    interruption_came = 1;
    setitimer(ITIMER_REAL, &kPatience, nullptr);
    const char byte = 0;
    static_cast<void>(!write(interruption_pipe[1], &byte, 1));
  }
  errno = saved;
}

sigset_t interruption_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kInterruptions) sigaddset(&set, signal);
  return set;
}

void handle_all_by(void (*handler)(int)) {
  for (const int signal : kInterruptions) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(signal, &action, nullptr);
  }
}

void let_interruptions_come() {
  const sigset_t set = interruption_signals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

void catch_interruptions(void (*clean_up)()) {
  if (pipe2(interruption_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw SystemError(std::string("no pipe for signals: ") + std::strerror(errno));
  }
  clean_up_at_end = clean_up;
  struct sigaction patience {};
  patience.sa_handler = on_patience_over;
  sigfillset(&patience.sa_mask);
  patience.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &patience, nullptr);
  struct sigaction action {};
  action.sa_handler = on_interruption;
  action.sa_mask = interruption_signals();
  action.sa_flags = SA_RESTART;
  for (const int signal : kInterruptions) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

bool interrupted() {
  if (interruption_came != 0) interruption_heard = 1;
  return interruption_came != 0;
}

int interruption_descriptor() {
  return interruption_pipe[0];
}

DeferredInterruptions::DeferredInterruptions() {
  const sigset_t set = interruption_signals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

DeferredInterruptions::~DeferredInterruptions() {
  let_interruptions_come();
}

void DeferredInterruptions::ignore_in_child() {
  handle_all_by(SIG_IGN);
  interruption_came = 0;
  interruption_heard = 0;
  let_interruptions_come();
}

void DeferredInterruptions::default_in_child() {
  handle_all_by(SIG_DFL);
  let_interruptions_come();
}

}  // namespace racksim::tools
