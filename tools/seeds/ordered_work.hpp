// Pieces of work by number, in child processes, several at a time, until enough of them are done. How many are done does
// not depend on how many run at a time: what was begun beyond is thrown away.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tools/processes/child_processes.hpp"

namespace racksim::tools {

struct OrderedWork {
  std::size_t least = 1;  ///< done in any case
  std::size_t most = 1;   ///< never more
  /// In the child: what piece `number`, from 0 on, answers.
  std::function<std::string(std::size_t number)> work;
  /// Whether the first so many results, from `least` on, are enough. Asked where `most` is more than `least`.
  std::function<bool(const std::vector<ChildResult>& first)> enough = {};
  /// If any, told now and then how many are done.
  std::function<void(std::size_t done)> progress = {};
};

/// The results by number, at most `jobs` at a time; once the program is interrupted (interruption.hpp) those that are there
/// without a gap, and whoever called says so. Throws SystemError if no process can be started.
std::vector<ChildResult> run_in_order(const OrderedWork& ordered, unsigned jobs);

}  // namespace racksim::tools
