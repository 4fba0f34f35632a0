// Work in child processes, several at a time: a SimGrid engine exists once per process, and a run that crashes or hangs
// takes no other with it. Each piece of work answers with one text.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/processes/child_process.hpp"

namespace racksim::tools {

/// How one piece of work came out.
struct ChildResult {
  enum class Ending : std::uint8_t {
    answered,   ///< `text` is what the work returned
    threw,      ///< `text` is what the exception said
    killed,     ///< by a signal; `text` names it, with the end of what it wrote to standard error if that was captured
    no_memory,  ///< the system had no more; `text` says so
    timed_out,  ///< ended by the parent after the wall-clock limit; `text` says so
  };
  std::uint64_t id = 0;
  Ending ending = Ending::answered;
  std::string text;
  std::uint64_t peak_bytes = 0;  ///< the most RAM that the process ever had; it begins with its parent's

  bool answered() const { return ending == Ending::answered; }
};

/// A bounded crew of child processes. Children that still run when it is destroyed are killed.
class ChildProcesses {
 public:
  using Work = std::function<std::string()>;

  /// At most `jobs` at a time (at least one), each for at most `limit` of wall-clock time, if one is given. Captured
  /// errors go into the text of those that are killed. Loads what runs need: throws sim::ModuleMissing.
  explicit ChildProcesses(unsigned jobs, std::optional<std::chrono::milliseconds> limit = std::nullopt,
                          ChildErrors errors = ChildErrors::inherited);

  std::size_t running() const { return children_.size(); }
  bool has_room() const { return children_.size() < jobs_; }

  /// Forks off a piece of work; `id` comes back with its result. Only while there is room. False if the system has no
  /// process or descriptor for one more: there is then room for no more than run now. Throws SystemError if none runs.
  [[nodiscard]] bool start(std::uint64_t id, const Work& work);

  /// The next piece of work to end; none if none ends within `patience`, nothing runs, or the program is interrupted
  /// (interruption.hpp): then whoever waits stops, and the children are ended with this object.
  std::optional<ChildResult> wait(std::chrono::milliseconds patience);

 private:
  struct Child {
    std::uint64_t id;
    std::unique_ptr<ChildProcess> process;
    std::chrono::steady_clock::time_point begun;
    std::string text;
  };
  ChildResult end(std::size_t index, bool timed_out);

  unsigned jobs_;
  std::optional<std::chrono::milliseconds> limit_;
  ChildErrors errors_;
  std::vector<Child> children_;
};

/// Does work in a child process and waits for its answer. Throws std::runtime_error with the text of a child that has
/// none, SystemError if it had no memory, and Interrupted (interruption.hpp) with the text given if the program is asked to stop as it waits.
ChildResult answer_of(const ChildProcesses::Work& work, const char* if_interrupted);

}  // namespace racksim::tools
