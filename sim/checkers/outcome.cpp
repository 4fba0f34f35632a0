#include "sim/checkers/outcome.hpp"

namespace racksim::sim::checkers {

std::string explained(const Outcome& outcome, const SessionNames& names) {
  auto text = outcome.why;
  const char* separator = ": ";
  for (const auto& operation : outcome.operations) {
    text += separator + described(operation, names);
    separator = "; ";
  }
  return text;
}

}  // namespace racksim::sim::checkers
