// One child process and a pipe from it: the only place that forks. Whatever a child is for, Ctrl-C and SIGTERM reach it
// through its parent alone, and it is gone when its parent is.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace racksim::tools {

/// Where the standard error of a child goes: to the parent's, or into a file that is read at its end.
enum class ChildErrors : std::uint8_t { inherited, captured };

/// A child that has not been waited for is killed with its object.
class ChildProcess {
 public:
  /// What a child does: it writes to the pipe what the parent is to read, and returns its exit status. It must not
  /// throw.
  using Body = std::function<int(int pipe)>;
  /// What SIGINT and SIGTERM do to it: nothing, or what they do to any program, for a child that becomes one.
  enum class Signals : std::uint8_t { ignored, by_default };
  struct End {
    int status = 0;                ///< as of waitpid(2)
    std::uint64_t peak_bytes = 0;  ///< the most RAM that it ever had; it begins with its parent's
    std::string errors;            ///< the last lines that it wrote to a captured standard error
  };

  /// Forks with a copy of everything that the parent has built. Throws SystemError if there is no process to be
  /// had.
  explicit ChildProcess(const Body& body, Signals signals = Signals::ignored,
                        ChildErrors errors = ChildErrors::inherited);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Where its output can be read, for poll().
  int pipe() const { return pipe_; }
  /// Waits for output and appends what there is; false at its end.
  bool read_some(std::string& text);

  void kill();
  /// Waits for its end. Once.
  End wait();

 private:
  pid_t process_ = -1;  ///< until it has been waited for
  int pipe_ = -1;
  int errors_ = -1;  ///< a file without a name, or -1
};

/// Writes a text to a child's pipe, all of it unless the parent is gone.
void write_all(int pipe, const std::string& text);

/// Runs a program, found as a shell finds it, and waits for its end. Throws std::runtime_error, which names it, if it
/// cannot be started or does not exit.
int exit_status_of(std::vector<std::string> command);

/// How a program ended that was run for what it writes.
struct ProgramEnd {
  bool started = false;
  int status = 0;              ///< that it exited with; 128 and more if a signal ended it, as a shell says it
  std::string output, errors;  ///< all that it wrote to standard output, and the last lines of standard error
};
/// Runs a program, found as a shell finds it, and waits for its end.
ProgramEnd run_program(std::vector<std::string> command);

/// Runs a program as well, and returns what it wrote to its standard output. Throws std::runtime_error, which names it,
/// if it cannot be started or does not exit with status 0.
std::string output_of(std::vector<std::string> command);

}  // namespace racksim::tools
