#include "sim/checkers/program_order.hpp"

#include <algorithm>
#include <map>

namespace racksim::sim::checkers {

Programs programs_of(Operations operations) {
  std::vector<std::uint32_t> numbers;
  for (const auto& operation : operations) numbers.push_back(operation.session);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  Programs programs;
  programs.sessions.resize(numbers.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto found = std::lower_bound(numbers.begin(), numbers.end(), operations[i].session);
    const auto session = static_cast<std::size_t>(found - numbers.begin());
    if (operations[i].pending()) {
      programs.pending.push_back({i, session, programs.sessions[session].size()});
    } else {
      programs.sessions[session].push_back(i);
    }
  }
  return programs;
}

OneAtATime one_at_a_time(Operations operations) {
  struct Split {
    std::uint32_t session;
    std::uint64_t busy_until;
  };
  std::map<std::uint32_t, std::vector<Split>> splits;  // by the old session
  OneAtATime result;
  result.operations.assign(operations.begin(), operations.end());
  for (auto& operation : result.operations) {
    auto& own = splits[operation.session];
    auto free = std::find_if(own.begin(), own.end(), [&](const Split& s) { return s.busy_until < operation.invoked; });
    if (free == own.end()) {
      const auto number = static_cast<std::uint32_t>(result.session_of.size());
      result.session_of.push_back(operation.session);
      free = own.insert(own.end(), {number, 0});
    }
    if (!operation.pending()) free->busy_until = operation.responded;
    operation.session = free->session;
  }
  return result;
}

}  // namespace racksim::sim::checkers
