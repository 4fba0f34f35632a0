// What a list of options says of one. See parameters.hpp.
#include "sim/options/parameters.hpp"

namespace racksim::sim {

std::string Parameter::described() const {
  if (!basis) return doc;
  switch (basis->of) {
    case Basis::Of::published:
      return fmt::format("{} ({})", doc, basis->text);
    case Basis::Of::estimate:
      return fmt::format("{} (estimate: {})", doc, basis->text);
    case Basis::Of::calibrated:
      return fmt::format("{} (calibrated: {})", doc, basis->text);
  }
  return doc;
}

}  // namespace racksim::sim
