// How many cycles a pass takes (docs/hardware.md 6.4): a stage that matches on the result of the one before it waits
// for it in full, one that only feeds its instructions from it starts a little later, and an independent one runs
// beside it.
#include <algorithm>

#include "p4model/fit/dependency_graph.hpp"
#include "p4model/fit/placement.hpp"

namespace racksim::p4 {

namespace {

/// Cycles that what is in a stage adds if the stage waits for the one before it.
std::uint64_t added_cycles(const SwitchResources& r, const DependencyGraph& graph, const Places& places, Gress gress,
                           int s) {
  bool array = false, tcam = false;
  for (const auto& part : places.parts[static_cast<std::size_t>(s)]) {
    const auto v = part.node;
    if (graph[v].gress != gress) continue;
    array = array || !graph[v].arrays.empty();
    tcam = tcam || (graph[v].control->table && graph[v].control->table->in_tcam());
  }
  return (array ? r.stateful_cycles : 0) + (tcam ? r.tcam_cycles : 0);
}

std::uint64_t cycles(const SwitchResources& r, StageDependence dependence, std::uint64_t added) {
  if (dependence == StageDependence::match) return r.match_cycles + added;
  return dependence == StageDependence::action ? r.action_cycles : r.concurrent_cycles;
}

}  // namespace

std::vector<StageDependence> stage_dependences(const SwitchResources& resources, const DependencyGraph& graph,
                                               const Places& places, Gress gress) {
  using D = StageDependence;
  const auto stages = static_cast<int>(resources.stages);
  std::vector<D> result(resources.stages, D::concurrent);
  result[0] = D::match;  // waits for the parser
  // A dependency is met once some stage after its source, up to its target, waits strictly enough.
  const auto met = [&](int from, int to, bool match) {
    return std::any_of(result.begin() + from + 1, result.begin() + to + 1,
                       [&](D d) { return d == D::match || (!match && d == D::action); });
  };
  for (int s = 1; s < stages; ++s) {
    // A further part of a table looks where the parts before it have missed.
    for (const auto& part : places.parts[static_cast<std::size_t>(s)]) {
      if (graph[part.node].gress == gress && places.first[part.node] < s)
        result[static_cast<std::size_t>(s)] = D::match;
    }
    for (const bool match : {true, false}) {
      for (const auto e : boost::make_iterator_range(boost::edges(graph))) {
        const auto from = boost::source(e, graph), to = boost::target(e, graph);
        const auto kind = match ? DependencyKind::match : DependencyKind::action;
        if (graph[e].kind != kind || graph[to].gress != gress || places.first[to] != s ||
            met(places.stage[from], s, match))
          continue;
        result[static_cast<std::size_t>(s)] = match ? D::match : D::action;
      }
    }
  }
  if (gress == Gress::ingress) return result;
  // An egress pass is made long enough by letting independent stages wait.
  const auto total = [&] {
    auto sum = resources.turn_cycles;
    for (int s = 0; s < stages; ++s) {
      sum += cycles(resources, result[static_cast<std::size_t>(s)], added_cycles(resources, graph, places, gress, s));
    }
    return sum;
  };
  for (auto& dependence : result) {
    if (total() >= resources.egress_min_cycles) break;
    dependence = D::match;
  }
  return result;
}

std::uint64_t Placement::latency_cycles(Gress gress, int stage) const {
  return cycles(resources_, dependence(gress, stage), added_cycles(resources_, graph(), places_, gress, stage));
}

std::uint64_t Placement::latency_cycles(Gress gress) const {
  auto sum = resources_.turn_cycles;
  for (int s = 0; s < stages(); ++s) sum += latency_cycles(gress, s);
  return sum;
}

}  // namespace racksim::p4
