// The placement itself: units (tables that share an array stay together) in order of the longest chain behind them,
// each into the first stage that its dependencies and the budgets allow; a table for which none has room is divided.
// Pinned units get their resources first.
#include <fmt/core.h>

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <cstddef>
#include <optional>

#include "p4model/fit/dependency_graph.hpp"
#include "p4model/fit/placement.hpp"

namespace racksim::p4 {

namespace {

/// Nodes that must be in one stage.
struct Unit {
  std::vector<std::size_t> nodes;
  std::optional<int> pin;
  std::string pinned_by;  ///< what was pinned, e.g. "table 'check'"
  int chain = 0;          ///< stages that must follow
};
using UnitGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Unit, std::size_t>;

std::string describe(const ProgramNode& node) {
  return node.control->table ? fmt::format("table '{}'", node.name) : fmt::format("gateway '{}'", node.name);
}

class Placer {
 public:
  Placer(const SwitchResources& resources, const Program& program, const DependencyGraph& graph)
      : resources_(resources),
        program_(program),
        graph_(graph),
        unit_of_(boost::num_vertices(graph)),
        places_{.stage = std::vector<int>(boost::num_vertices(graph), -1),
                .first = std::vector<int>(boost::num_vertices(graph), -1),
                .parts = std::vector<std::vector<PlacedPart>>(resources.stages)} {}

  Places run() {
    check_array_sizes();
    make_units();
    sort_units();
    for (const auto u : order_) {
      if (units_[u].pin) put_pinned(u);
    }
    for (const auto u : order_) {
      if (!units_[u].pin) put(u);
    }
    for (const auto u : order_) check_order(u);
    for (auto& parts : places_.parts) {
      std::sort(parts.begin(), parts.end(), [](const PlacedPart& a, const PlacedPart& b) { return a.node < b.node; });
    }
    return std::move(places_);
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw DoesNotFit(
        fmt::format("program '{}' does not fit: {}", program_.name(), fmt::format(text, std::forward<Args>(args)...)));
  }

  void check_array_sizes() const {
    const auto check = [&](std::string_view kind, const std::string& name, std::uint64_t blocks) {
      if (blocks - 1 > resources_.array_data_blocks) {
        fail("{} '{}' needs {} SRAM blocks of data, {} are available to one array", kind, name, blocks - 1,
             resources_.array_data_blocks);
      }
    };
    for (const auto& array : program_.arrays()) check("register array", array.name, register_blocks(resources_, array));
    for (const auto& meter : program_.meters()) check("meter", meter.name, meter_blocks(resources_, meter));
    for (const auto& counter : program_.counters()) check("counter", counter.name, counter_blocks(resources_, counter));
  }

  void make_units() {
    // Nodes that share an array, a meter or a counter are one set, which its first node stands for.
    const auto nodes = boost::num_vertices(graph_);
    boost::disjoint_sets_with_storage<> sets(nodes);
    for (std::size_t a = 0; a < nodes; ++a) {
      for (std::size_t b = a + 1; b < nodes; ++b) {
        if (share_memory(graph_[a], graph_[b])) sets.union_set(a, b);
      }
    }
    const boost::counting_iterator<std::size_t> first(0);
    sets.normalize_sets(first, first + static_cast<std::ptrdiff_t>(nodes));
    for (std::size_t v = 0; v < nodes; ++v) {
      const auto representative = sets.find_set(v);
      unit_of_[v] = representative == v ? boost::add_vertex(units_) : unit_of_[representative];
      auto& unit = units_[unit_of_[v]];
      unit.nodes.push_back(v);
      if (graph_[v].control->table) pin(unit, graph_[v].control->table->pinned_stage, describe(graph_[v]));
      for (const auto* array : graph_[v].arrays) {
        pin(unit, array->pinned_stage, fmt::format("register array '{}'", array->name));
      }
    }
    for (const auto [edge, end] = boost::edges(graph_); auto e : boost::make_iterator_range(edge, end)) {
      const auto from = unit_of_[boost::source(e, graph_)], to = unit_of_[boost::target(e, graph_)];
      if (from != to) {
        boost::add_edge(from, to, static_cast<std::size_t>(graph_[e].needs_later_stage()), units_);
      } else if (graph_[e].needs_later_stage()) {
        fail("{} and {} use one {} and so share a stage, but the second needs '{}' of the first",
             describe(graph_[boost::source(e, graph_)]), describe(graph_[boost::target(e, graph_)]),
             graph_[boost::source(e, graph_)].arrays.empty() ? "table, meter or counter" : "register array",
             program_.info(graph_[e].field).name);
      }
    }
  }

  void pin(Unit& unit, std::optional<int> stage, const std::string& what) const {
    if (!stage) return;
    if (*stage < 0 || static_cast<std::uint64_t>(*stage) >= resources_.stages) {
      fail("{} is pinned to stage {}, stages are 0 to {}", what, *stage, resources_.stages - 1);
    }
    if (unit.pin && *unit.pin != *stage) {
      fail("{} is pinned to stage {}, but {}, which must be in the same stage, to stage {}", what, *stage,
           unit.pinned_by, *unit.pin);
    }
    unit.pin = stage;
    unit.pinned_by = what;
  }

  void sort_units() {
    std::vector<std::size_t> reverse;
    try {
      boost::topological_sort(units_, std::back_inserter(reverse));
    } catch (const boost::not_a_dag&) {
      fail("its register arrays make tables wait for each other: an array's tables must share a stage");
    }
    for (const auto u : reverse) {
      for (const auto e : boost::make_iterator_range(boost::out_edges(u, units_))) {
        const auto behind = units_[boost::target(e, units_)].chain + static_cast<int>(units_[e]);
        units_[u].chain = std::max(units_[u].chain, behind);
      }
    }
    // Repeatedly the ready unit with the longest chain; program order breaks ties.
    std::vector<std::size_t> missing(boost::num_vertices(units_));
    for (std::size_t u = 0; u < missing.size(); ++u) missing[u] = boost::in_degree(u, units_);
    std::vector<bool> done(missing.size());
    while (order_.size() < missing.size()) {
      std::size_t best = missing.size();
      for (std::size_t u = 0; u < missing.size(); ++u) {
        if (!done[u] && missing[u] == 0 && (best == missing.size() || units_[u].chain > units_[best].chain)) best = u;
      }
      done[best] = true;
      order_.push_back(best);
      for (const auto e : boost::make_iterator_range(boost::out_edges(best, units_))) {
        --missing[boost::target(e, units_)];
      }
    }
  }

  std::string describe_unit(std::size_t u) const {
    const auto& unit = units_[u];
    auto text = describe(graph_[unit.nodes.front()]);
    const auto& first = graph_[unit.nodes.front()];
    std::string memories;
    const auto add = [&](std::string_view kind, const std::string& name) {
      memories += fmt::format("{}{} '{}'", memories.empty() ? " with " : ", ", kind, name);
    };
    for (const auto* array : first.arrays) add("register array", array->name);
    for (const auto* meter : first.meters) add("meter", meter->name);
    for (const auto* counter : first.counters) add("counter", counter->name);
    return text + memories;
  }

  std::uint64_t entries_of(std::size_t node) const {
    const auto* table = graph_[node].control->table;
    return table ? table->max_entries : 0;
  }

  /// The first budget that stage `s` breaks with these parts in it.
  std::optional<std::string> shortage(const std::vector<PlacedPart>& parts, int s) const {
    const auto& there = places_.parts[static_cast<std::size_t>(s)];
    auto together = there;
    together.insert(together.end(), parts.begin(), parts.end());
    const auto usage = stage_usage(resources_, program_, graph_, together);
    for (std::size_t r = 0; r < kStageResources; ++r) {
      const auto available = budget(resources_, static_cast<StageResource>(r));
      if (usage[r] > available) {
        const auto before = stage_usage(resources_, program_, graph_, there);
        return fmt::format("stage {} runs out of {}: {} needed, {} of {} available", s,
                           name_of(static_cast<StageResource>(r)), usage[r] - before[r],
                           available - std::min(available, before[r]), available);
      }
    }
    return std::nullopt;
  }

  std::vector<PlacedPart> whole(std::size_t u) const {
    std::vector<PlacedPart> parts;
    for (const auto v : units_[u].nodes) parts.push_back({v, entries_of(v)});
    return parts;
  }

  void assign(const std::vector<PlacedPart>& parts, int s) {
    for (const auto& part : parts) {
      places_.stage[part.node] = s;
      if (places_.first[part.node] < 0) places_.first[part.node] = s;
      places_.parts[static_cast<std::size_t>(s)].push_back(part);
    }
  }

  /// A table with entries, and nothing beside them that lies in one stage.
  bool can_be_divided(std::size_t u) const {
    const auto& nodes = units_[u].nodes;
    return std::all_of(nodes.begin(), nodes.end(), [&](std::size_t v) {
      return graph_[v].control->table && graph_[v].control->table == graph_[nodes.front()].control->table &&
             !graph_[v].control->table->keys.empty() && !uses_state(graph_[v]);
    });
  }

  /// As many entries into each stage from `first` on as it has room for. Returns how many are left.
  std::uint64_t divide(std::size_t u, int first) {
    std::uint64_t left = entries_of(units_[u].nodes.front());
    for (int s = first; s < static_cast<int>(resources_.stages) && left > 0; ++s) {
      const auto some = [&](std::uint64_t entries) {
        std::vector<PlacedPart> parts;
        for (const auto v : units_[u].nodes) parts.push_back({v, entries});
        return parts;
      };
      std::uint64_t fits = 0;
      for (std::uint64_t too_many = left + 1; too_many - fits > 1;) {
        const auto entries = fits + (too_many - fits) / 2;
        (shortage(some(entries), s) ? too_many : fits) = entries;
      }
      if (fits == 0) continue;
      assign(some(fits), s);
      left -= fits;
    }
    return left;
  }

  void put_pinned(std::size_t u) {
    const auto stage = *units_[u].pin;
    if (const auto text = shortage(whole(u), stage)) {
      fail("{} is pinned to stage {}, and {}", describe_unit(u), stage, *text);
    }
    assign(whole(u), stage);
  }

  void put(std::size_t u) {
    int first = 0;
    std::string cause;
    for (const auto v : units_[u].nodes) {
      for (const auto e : boost::make_iterator_range(boost::in_edges(v, graph_))) {
        const auto from = boost::source(e, graph_);
        const bool later = graph_[e].needs_later_stage();
        const int stage = places_.stage[from] + (later ? 1 : 0);
        if (stage <= first) continue;
        first = stage;
        cause = fmt::format("{} of {} in stage {}",
                            later ? fmt::format("field '{}'", program_.info(graph_[e].field).name) : "the decision",
                            describe(graph_[from]), places_.stage[from]);
      }
    }
    const auto stages = static_cast<int>(resources_.stages);
    if (first >= stages) {
      fail("{} needs stage {} because of what it depends on, {}; there are {} stages (the last is stage {})",
           describe_unit(u), first, cause, stages, stages - 1);
    }
    std::optional<std::string> text;
    for (int s = first; s < stages; ++s) {
      text = shortage(whole(u), s);
      if (!text) return assign(whole(u), s);
    }
    if (can_be_divided(u)) {
      const auto left = divide(u, first);
      if (left == 0) return;
      fail(
          "the stages from {} on have room for {} of the {} entries of {}; {}; fewer entries or a narrower key would "
          "help",
          first, entries_of(units_[u].nodes.front()) - left, entries_of(units_[u].nodes.front()), describe_unit(u),
          *text);
    }
    fail("no stage from {} on has room for {}; {}; smaller tables and arrays, or other stages for them, would help",
         first, describe_unit(u), *text);
  }

  /// Pins can contradict dependencies.
  void check_order(std::size_t u) const {
    for (const auto v : units_[u].nodes) {
      for (const auto e : boost::make_iterator_range(boost::in_edges(v, graph_))) {
        const auto from = boost::source(e, graph_);
        const bool later = graph_[e].needs_later_stage();
        if (places_.first[v] >= places_.stage[from] + (later ? 1 : 0)) continue;
        const auto cause = graph_[e].kind == DependencyKind::control
                               ? std::string("it hangs on that decision")
                               : fmt::format("because of field '{}'", program_.info(graph_[e].field).name);
        fail("{} is in stage {}, but {} is in stage {} and it must be {}, {}", describe_unit(u), places_.first[v],
             describe_unit(unit_of_[from]), places_.stage[from], later ? "in a later stage" : "in that stage or later",
             cause);
      }
    }
  }

  const SwitchResources& resources_;
  const Program& program_;
  const DependencyGraph& graph_;
  UnitGraph units_;
  std::vector<std::size_t> unit_of_, order_;
  Places places_;
};

}  // namespace

Places place_nodes(const SwitchResources& resources, const Program& program, const DependencyGraph& graph) {
  return Placer(resources, program, graph).run();
}

}  // namespace racksim::p4
