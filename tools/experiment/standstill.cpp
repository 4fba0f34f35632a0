// Collects waits and finds a circle. See standstill.hpp.
#include "tools/experiment/standstill.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "sim/checkers/cycle.hpp"

namespace racksim::tools {

Standstill standstill(Assembly& assembly) {
  std::vector<sim::Wait> waits;
  assembly.protocol().service().add_waits(waits);
  assembly.protocol().add_waits(waits);
  assembly.rack().add_waits(waits);
  return standstill_of(std::move(waits));
}

Standstill standstill_of(std::vector<sim::Wait> waits) {
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
  Standstill result{std::move(waits), {}};
  for (const auto& edge : sim::checkers::find_cycle(names.size(), edges)) result.circle.push_back(names[edge.from]);
  return result;
}

std::vector<std::string> lines_of(const Standstill& standstill, std::size_t most) {
  std::vector<std::string> lines;
  if (!standstill.circle.empty()) {
    lines.push_back(
        fmt::format("in a circle: {} -> {}", fmt::join(standstill.circle, " -> "), standstill.circle.front()));
  }
  for (const sim::Wait& wait : standstill.waits) {
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
