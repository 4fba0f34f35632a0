#include "tests/sim/checkers/reference/lock_fairness.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace racksim::sim::checkers {
namespace {

struct Waiting {
  std::size_t request;
  std::vector<std::size_t> overtaken_by;
};

}  // namespace

Outcome check_lock_fairness(Operations operations, const FairnessLimits& limits) {
  require_history(operations);
  std::vector<std::size_t> granted;  // in the order of the grants
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto& operation = operations[i];
    if (operation.action == Action::unlock) continue;
    if (operation.action != Action::lock && operation.action != Action::lock_shared)
      return {Verdict::undecided, "this operation is not a lock's", {operation}};
    if (!operation.pending()) granted.push_back(i);
  }
  const auto requested = granted;
  std::sort(granted.begin(), granted.end(),
            [&](std::size_t a, std::size_t b) { return operations[a].responded < operations[b].responded; });
  std::vector<Waiting> waiting;
  std::size_t arrived = 0;
  for (const auto grant : granted) {
    const auto& winner = operations[grant];
    while (arrived < requested.size() && operations[requested[arrived]].invoked < winner.responded)
      waiting.push_back({requested[arrived++], {}});
    waiting.erase(std::find_if(waiting.begin(), waiting.end(), [&](const Waiting& w) { return w.request == grant; }));
    for (auto& loser : waiting) {
      const auto& request = operations[loser.request];
      const bool compatible = request.action == Action::lock_shared && winner.action == Action::lock_shared;
      if (compatible || winner.invoked < request.invoked || winner.invoked_at < request.invoked_at + limits.doorway)
        continue;
      loser.overtaken_by.push_back(grant);
      const auto times = static_cast<std::uint64_t>(
          std::count_if(loser.overtaken_by.begin(), loser.overtaken_by.end(),
                        [&](std::size_t other) { return operations[other].session == winner.session; }));
      if (times <= limits.overtakings) continue;
      Outcome outcome{Verdict::fail,
                      fmt::format("the first request was overtaken by {} of a session that began later, {} allowed",
                                  times, limits.overtakings),
                      {request}};
      for (const auto other : loser.overtaken_by) outcome.operations.push_back(operations[other]);
      return outcome;
    }
  }
  return {};
}

}  // namespace racksim::sim::checkers
