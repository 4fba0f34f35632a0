// Invariants of the simulator and of protocols, checked where a comment or the design states them.
//
// They find the defect where it is, before an oracle sees what came of it, if any does. A check costs a branch while it
// is off; what it looks at is cheap, so that fuzzing can have all of them on.
#pragma once

#include <stdexcept>
#include <string_view>

namespace racksim::sim {

/// Thrown where an invariant does not hold. Its text names the place, the condition and what it stands for.
class BrokenInvariant : public std::logic_error {
 public:
  BrokenInvariant(std::string_view file, unsigned line, std::string_view condition, std::string_view message);
};

namespace detail {
#ifdef NDEBUG
inline bool invariants_are_checked = false;
#else
inline bool invariants_are_checked = true;
#endif
/// Apart from the code that it is called from, so that that stays small.
[[noreturn, gnu::cold, gnu::noinline]] void break_invariant(const char* file, unsigned line, const char* condition,
                                                            const char* message);
}  // namespace detail

/// Whether invariants are checked in this process: at first in builds with assertions alone.
inline bool invariants_checked() {
  return detail::invariants_are_checked;
}
/// Has them checked, or not.
inline void check_invariants(bool on) {
  detail::invariants_are_checked = on;
}

/// Has them checked, or not, as long as it lives.
class InvariantChecks {
 public:
  explicit InvariantChecks(bool on) : before_(invariants_checked()) { check_invariants(on); }
  InvariantChecks(const InvariantChecks&) = delete;
  InvariantChecks& operator=(const InvariantChecks&) = delete;
  ~InvariantChecks() { check_invariants(before_); }

 private:
  bool before_;
};

}  // namespace racksim::sim

/// States what must hold here: throws BrokenInvariant with `message`, a literal, if it does not. While invariants are
/// not checked the condition is not evaluated. Not for destructors, nor for what else must not throw.
#define RACKSIM_INVARIANT(condition, message)                                             \
  do {                                                                                    \
    if (::racksim::sim::invariants_checked()) [[unlikely]] {                              \
      if (!(condition)) [[unlikely]]                                                      \
        ::racksim::sim::detail::break_invariant(__FILE__, __LINE__, #condition, message); \
    }                                                                                     \
  } while (false)
