#include "p4model/fit/dependency_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace racksim::p4 {

namespace {

void add(std::vector<FieldRef>& list, FieldRef field) {
  if (std::none_of(list.begin(), list.end(), [&](FieldRef f) { return f.id == field.id; })) list.push_back(field);
}

std::optional<FieldRef> shared(const std::vector<FieldRef>& a, const std::vector<FieldRef>& b) {
  for (const auto x : a) {
    for (const auto y : b) {
      if (x.id == y.id) return x;
    }
  }
  return std::nullopt;
}

template <class Memory>
void add_memory(std::vector<const Memory*>& list, const Memory* memory) {
  if (std::find(list.begin(), list.end(), memory) == list.end()) list.push_back(memory);
}

template <class Memory>
bool have_one_in_common(const std::vector<const Memory*>& a, const std::vector<const Memory*>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

void add_index(const Program& program, ProgramNode& node, const Operand& index) {
  if (index.source == Operand::Source::field) add(node.match_reads, index.field());
  if (index.source == Operand::Source::hash) {
    for (const auto field : program.hashes()[index.value].fields) add(node.match_reads, field);
  }
}

void add_action(const Program& program, ProgramNode& node, const Action& action) {
  for (const auto& primitive : action.primitives) {
    for (const auto& operand : {primitive.first, primitive.second}) {
      if (operand.source == Operand::Source::field) add(node.action_reads, operand.field());
      if (operand.source == Operand::Source::hash) add_index(program, node, operand);
    }
    add(node.writes, primitive.destination);
  }
  for (const auto& execution : action.executions) {
    add_index(program, node, execution.index);
    for (const auto& input : execution.action->inputs) add(node.match_reads, input.field);
    if (execution.output) add(node.writes, *execution.output);
    const RegisterArray* array = execution.action->array;
    add_memory(node.arrays, array);
  }
  for (const auto& execution : action.meters) {
    if (execution.index) add_index(program, node, *execution.index);
    if (execution.pre_colour) add(node.match_reads, *execution.pre_colour);
    add(node.writes, execution.colour);
    add_memory(node.meters, execution.meter);
  }
  for (const auto& execution : action.counts) {
    if (execution.index) add_index(program, node, *execution.index);
    add_memory(node.counters, execution.counter);
  }
}

/// "hit == 1 && type < 3".
std::string text_of(const Program& program, const Condition::Node& node) {
  using Operator = Condition::Node::Operator;
  static constexpr const char* kSigns[] = {"==", "!=", "<", "<=", ">", ">="};
  switch (node.op) {
    case Operator::compare:
      return fmt::format("{} {} {}", program.info(node.left).name, kSigns[static_cast<int>(node.comparison)],
                         node.right.source == Operand::Source::field ? program.info(node.right.field()).name
                                                                     : std::to_string(node.right.value));
    case Operator::conjunction:
      return fmt::format("({} && {})", text_of(program, *node.first), text_of(program, *node.second));
    case Operator::disjunction:
      return fmt::format("({} || {})", text_of(program, *node.first), text_of(program, *node.second));
    case Operator::negation:
      return fmt::format("!({})", text_of(program, *node.first));
  }
  return {};
}

class Flattener {
 public:
  Flattener(const Program& program, DependencyGraph& graph) : program_(program), graph_(graph) {}

  void block(const Block& block, Gress gress, const std::vector<std::pair<std::size_t, bool>>& path) {
    for (const auto& control : block.nodes()) {
      ProgramNode node;
      node.gress = gress;
      node.control = &control;
      node.path = path;
      if (control.table) {
        node.name = control.table->name;
        for (const auto& key : control.table->keys) add(node.match_reads, key.field);
        for (const auto* action : control.table->all_actions()) add_action(program_, node, *action);
      } else {
        node.name = fmt::format("if ({})", text_of(program_, control.condition->root()));
        node.match_reads = control.condition->fields();
      }
      const auto number = boost::add_vertex(node, graph_);
      auto inner = path;
      inner.emplace_back(number, true);
      this->block(control.yes, gress, inner);
      inner.back().second = false;
      this->block(control.no, gress, inner);
    }
  }

 private:
  const Program& program_;
  DependencyGraph& graph_;
};

/// The strictest dependency of `later` on `earlier`, if any.
std::optional<Dependency> dependency(const ProgramNode& earlier, const ProgramNode& later) {
  if (const auto field = shared(earlier.writes, later.match_reads)) return Dependency{DependencyKind::match, *field};
  if (const auto field = shared(earlier.writes, later.action_reads)) return Dependency{DependencyKind::action, *field};
  if (const auto field = shared(earlier.writes, later.writes)) return Dependency{DependencyKind::action, *field};
  if (const auto field = shared(earlier.match_reads, later.writes)) return Dependency{DependencyKind::anti, *field};
  if (const auto field = shared(earlier.action_reads, later.writes)) return Dependency{DependencyKind::anti, *field};
  return std::nullopt;
}

}  // namespace

bool share_memory(const ProgramNode& a, const ProgramNode& b) {
  const auto* table = a.control->table;
  return (table != nullptr && table == b.control->table) || have_one_in_common(a.arrays, b.arrays) ||
         have_one_in_common(a.meters, b.meters) || have_one_in_common(a.counters, b.counters);
}

bool mutually_exclusive(const ProgramNode& a, const ProgramNode& b) {
  for (std::size_t i = 0; i < std::min(a.path.size(), b.path.size()); ++i) {
    if (a.path[i].first != b.path[i].first) return false;
    if (a.path[i].second != b.path[i].second) return true;
  }
  return false;
}

DependencyGraph dependency_graph(const Program& program) {
  DependencyGraph graph;
  Flattener flattener(program, graph);
  flattener.block(program.ingress(), Gress::ingress, {});
  flattener.block(program.egress(), Gress::egress, {});
  for (std::size_t later = 0; later < boost::num_vertices(graph); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const auto& a = graph[earlier];
      const auto& b = graph[later];
      if (a.gress != b.gress || mutually_exclusive(a, b)) continue;
      if (const auto found = dependency(a, b)) {
        boost::add_edge(earlier, later, *found, graph);
      } else if (!b.path.empty() && b.path.back().first == earlier) {
        boost::add_edge(earlier, later, Dependency{}, graph);
      }
    }
  }
  return graph;
}

}  // namespace racksim::p4
