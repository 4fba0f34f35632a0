// Ctrl-C, SIGTERM and SIGHUP. The first one asks the command to stop in good order: to say what it has done, to keep what
// is complete and to end its child processes. Where nobody listens, in the midst of a warm-up or a search, the program is
// ended within a second all the same. Whoever sends another a second later or more is not heard twice: it ends the program
// at once. (Programs such as `timeout` send the same signal twice in a row.)
#pragma once

#include <stdexcept>
#include <string>

namespace racksim::tools {

/// What ends a command that was interrupted, up to exit status 130. `what()` says what it has done by then.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// From now on these signals are taken as said above. One that the program's parent had it ignore stays ignored. Before
/// it ends the program the handler calls `clean_up`, which may do what signal handlers may. For the program's main.
/// Throws SystemError if there is no descriptor to be had.
void catch_interruptions(void (*clean_up)());

/// Whether one has come. Whoever hears that it has is to stop soon.
bool interrupted();

/// Throws Interrupted if so, with the text that `done` returns.
template <class Done>
void stop_if_interrupted(const Done& done) {
  if (interrupted()) throw Interrupted(done());
}

/// Becomes readable when one comes, for poll(); -1 before `catch_interruptions`.
int interruption_descriptor();

/// While it lives, signals wait: around a fork, so that none is taken in the child as its parent takes it.
class DeferredInterruptions {
 public:
  DeferredInterruptions();
  ~DeferredInterruptions();
  DeferredInterruptions(const DeferredInterruptions&) = delete;
  DeferredInterruptions& operator=(const DeferredInterruptions&) = delete;

  /// In the child: both signals are ignored from now on, since a terminal sends Ctrl-C to parent and children alike and
  /// it is for the parent to end them.
  void ignore_in_child();
  /// In the child, before it becomes another program: both signals do what they do to any program.
  void default_in_child();
};

}  // namespace racksim::tools
