// What the system refuses although the input is good: descriptors, processes, memory, room on a disk.
#pragma once

#include <cerrno>
#include <stdexcept>

namespace racksim::tools {

/// Ends a command with status 3 and one line, `what()`: no input is at fault, and no defect of racksim.
class SystemError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether an errno says that the system has no more of something, and nothing of the place that was named.
inline bool is_exhaustion(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EIO:
      return true;
    default:
      return false;
  }
}

}  // namespace racksim::tools
