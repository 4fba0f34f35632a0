// Collects waits and finds a circle. See stall.hpp.
#include "tools/experiment/stall.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "sim/checkers/cycle.hpp"

namespace racksim::tools {

Stall stall(Assembly& assembly) {
  std::vector<sim::Wait> waits;
  if (models::Service* own = assembly.workload().own_service()) own->add_waits(waits);
  assembly.protocol().service().add_waits(waits);
  assembly.protocol().add_waits(waits);
  assembly.rack().add_waits(waits);
  return stall_of(std::move(waits));
}

Stall stall_of(std::vector<sim::Wait> waits) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::string> names;
  const auto number_of = [&](const std::string& name) {
    const auto [place, added] = numbers.emplace(name, names.size());
    if (added) names.push_back(name);
    return place->second;
  };
  std::vector<sim::checkers::OrderEdge> edges;
  for (const sim::Wait& wait : waits) {
    if (wait.whom.empty()) continue;
    const std::size_t from = number_of(wait.who);
    edges.push_back({.from = from, .to = number_of(wait.whom)});
  }
  Stall result{std::move(waits), {}};
  for (const auto& edge : sim::checkers::find_cycle(names.size(), edges)) result.circle.push_back(names[edge.from]);
  return result;
}

std::vector<std::string> lines_of(const Stall& stall, std::size_t most) {
  std::vector<std::string> lines;
  if (!stall.circle.empty()) {
    lines.push_back(fmt::format("in a circle: {} -> {}", fmt::join(stall.circle, " -> "), stall.circle.front()));
  }
  for (const sim::Wait& wait : stall.waits) {
    if (most-- == 0) {
      lines.push_back("and more");
      break;
    }
    lines.push_back(wait.whom.empty() ? fmt::format("{}: {}", wait.who, wait.why)
                                      : fmt::format("{} waits for {}: {}", wait.who, wait.whom, wait.why));
  }
  return lines;
}

}  // namespace racksim::tools
