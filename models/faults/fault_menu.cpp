// Drawing of random fault schedules. See fault_menu.hpp.
#include "models/faults/fault_menu.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "models/faults/faults.hpp"

namespace racksim::models {

std::vector<DrawnFault> draw_faults(sim::RandomStream& random, const FaultScene& scene,
                                    const std::vector<std::string>& kinds, std::uint64_t most) {
  std::vector<const FaultEntry*> menu;
  for (const auto& kind : kinds) {
    const FaultEntry* found = sim::Registry<FaultEntry>::find(kind);
    if (found == nullptr) throw std::runtime_error(fmt::format("there is no kind of fault '{}'", kind));
    if (scene.nodes >= found->least_nodes) menu.push_back(found);
  }
  if (menu.empty() || most == 0) throw std::runtime_error("there is no kind of fault to draw from");
  std::vector<DrawnFault> drawn(1 + random.below(most));
  for (DrawnFault& one : drawn) {
    const FaultEntry& entry = *menu[random.below(menu.size())];
    one = {entry.name, entry.make()};
    one.fault->draw(random, scene);
  }
  return drawn;
}

}  // namespace racksim::models
