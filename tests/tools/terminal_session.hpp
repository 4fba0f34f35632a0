// The built program on a terminal of its own, as a person sees it: progress lines appear, and Ctrl-C goes to the
// program and its children alike. What is waited for is what is seen; if the program ends before, the wait ends too.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"

namespace racksim::tools::testing {

class TerminalSession {
 public:
  /// Starts `racksim ARGUMENTS` in the folder, having it ignore some signals. Its standard output goes to the file
  /// "out" there, all else to the terminal.
  TerminalSession(const TemporaryFolder& folder, std::vector<std::string> arguments, std::vector<int> ignored = {})
      : out_(folder.path() / "out") {
    arguments.insert(arguments.begin(), racksim::places::racksim_program());
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const winsize size{40, 200, 0, 0};
    process_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (process_ < 0) throw std::runtime_error("no terminal for a test");
    if (process_ == 0) {
      // A shell in the background has its children ignore Ctrl-C, and who runs tests may be one.
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
      for (const int signal : ignored) ::signal(signal, SIG_IGN);
      for (const char* name : {"RACKSIM_PROGRESS", "NO_COLOR"}) unsetenv(name);
      setenv("TERM", "xterm", 1);
      const int file = open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || chdir(folder.path().c_str()) != 0) _exit(99);
      execv(argv.front(), argv.data());
      _exit(99);
    }
  }
  ~TerminalSession() {
    if (!ended_) {
      kill(process_, SIGKILL);
      finish();
    }
    close(terminal_);
  }
  TerminalSession(const TerminalSession&) = delete;
  TerminalSession& operator=(const TerminalSession&) = delete;

  /// Reads the terminal until a text has appeared; false if the program ended without it.
  bool wait_for(const std::string& text) {
    return wait_until([&] { return seen_.find(text) != std::string::npos; });
  }
  /// Until the program has so many child processes.
  bool wait_for_children(std::size_t number) {
    return wait_until([&] { return children().size() >= number; });
  }

  std::vector<pid_t> children() const {
    const std::string process = std::to_string(process_);
    std::ifstream list("/proc/" + process + "/task/" + process + "/children");
    std::vector<pid_t> result;
    for (pid_t child = 0; list >> child;) result.push_back(child);
    return result;
  }

  pid_t process() const { return process_; }

  void press_ctrl_c() {
    if (write(terminal_, "\x03", 1) != 1) throw std::runtime_error("the terminal takes no key");
  }
  void terminate() { kill(process_, SIGTERM); }

  /// Waits for the end: the exit status, or 1000 and the number of the signal that ended it.
  int finish() {
    while (read_some(-1)) {
    }
    int status = 0;
    waitpid(process_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  /// What the terminal has shown.
  const std::string& seen() const { return seen_; }
  std::string out() const { return content(out_); }

 private:
  /// Reads what the terminal shows within so many milliseconds; false when nobody will write to it any more.
  bool read_some(int patience) {
    pollfd ready{terminal_, POLLIN, 0};
    if (poll(&ready, 1, patience) <= 0) return true;
    char buffer[4096];
    const ssize_t n = read(terminal_, buffer, sizeof buffer);
    if (n > 0) seen_.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
  }
  template <class Condition>
  bool wait_until(const Condition& condition) {
    bool open = true;
    while (!condition()) {
      if (!open) return false;
      open = read_some(20);
    }
    return true;
  }

  std::filesystem::path out_;
  pid_t process_ = -1;
  int terminal_ = -1;
  bool ended_ = false;
  std::string seen_;
};

}  // namespace racksim::tools::testing
