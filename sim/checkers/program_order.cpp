#include "sim/checkers/program_order.hpp"

#include <algorithm>

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

}  // namespace racksim::sim::checkers
