#include "p4model/fit/placement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "p4model/fit/checks.hpp"
#include "p4model/fit/dependency_graph.hpp"
#include "p4model/fit/gateway.hpp"

namespace racksim::p4 {

namespace {

std::shared_ptr<const DependencyGraph> checked_graph(const Program& program, const SwitchResources& resources) {
  auto graph = std::make_shared<DependencyGraph>(dependency_graph(program));
  check_program(program, *graph);
  check_gateways(resources, program, *graph);
  return graph;
}

}  // namespace

Placement::Placement(const Program& program, const SwitchResources& resources)
    : program_(&program), resources_(resources), graph_(checked_graph(program, resources)) {
  check_parser_limits(resources_, program);
  check_checksum_limits(resources_, program);
  places_ = place_nodes(resources_, program, graph());
  phv_ = allocate_phv(resources_, program, graph(), places_);
  for (const auto& parts : places_.parts) usage_.push_back(stage_usage(resources_, program, graph(), parts));
  for (const auto gress : {Gress::ingress, Gress::egress}) {
    dependence_[static_cast<std::size_t>(gress)] = stage_dependences(resources_, graph(), places_, gress);
  }
}

int Placement::stage_of(const Table& table) const {
  for (std::size_t v = 0; v < places_.stage.size(); ++v) {
    if (graph()[v].control->table == &table) return stage_of(v);
  }
  return -1;
}

template <class Memory>
int Placement::stage_of_user(const Memory& memory, std::vector<const Memory*> ProgramNode::*memories) const {
  for (std::size_t v = 0; v < places_.stage.size(); ++v) {
    const auto& used = graph()[v].*memories;
    if (std::find(used.begin(), used.end(), &memory) != used.end()) return stage_of(v);
  }
  return -1;
}

int Placement::stage_of(const RegisterArray& array) const {
  return stage_of_user(array, &ProgramNode::arrays);
}

int Placement::stage_of(const Meter& meter) const {
  return stage_of_user(meter, &ProgramNode::meters);
}

int Placement::stage_of(const Counter& counter) const {
  return stage_of_user(counter, &ProgramNode::counters);
}

int Placement::stages_used() const {
  const auto last = std::max_element(places_.stage.begin(), places_.stage.end());
  return last == places_.stage.end() ? 0 : *last + 1;
}

std::uint64_t Placement::register_bytes() const {
  std::uint64_t bits = 0;
  for (const auto& array : program_->arrays()) {
    if (stage_of(array) >= 0) bits += array.size * array.width.total();
  }
  return (bits + 7) / 8;
}

std::string Placement::report() const {
  static constexpr const char* kHeads[kStageResources] = {"SRAM",    "map RAM", "sALU", "tables", "gateways",
                                                          "hash",    "slices",  "VLIW", "xbar B", "TCAM",
                                                          "ternary", "txbar B", "stats"};
  std::uint64_t blocks = 0;
  for (int s = 0; s < stages(); ++s) blocks += usage(s)[static_cast<std::size_t>(StageResource::sram_blocks)];
  const std::uint64_t all = budget(resources_, StageResource::sram_blocks) * static_cast<std::uint64_t>(stages());
  std::string out =
      fmt::format("program {}: {} of {} stages, {} of {} SRAM blocks ({:.2f} %), {} bytes of register entries\n\n{:>6}",
                  program_->name(), stages_used(), stages(), blocks, all,
                  100.0 * static_cast<double>(blocks) / static_cast<double>(all), register_bytes(), "stage");
  for (const auto* head : kHeads) out += fmt::format("{:>9}", head);
  out += "  contents\n";
  for (int s = 0; s < stages(); ++s) {
    out += fmt::format("{:>6}", s);
    for (std::size_t r = 0; r < kStageResources; ++r) {
      out += fmt::format("{:>9}", fmt::format("{}/{}", usage(s)[r], budget(resources_, static_cast<StageResource>(r))));
    }
    std::string contents;
    std::set<const Table*> listed;
    for (const auto& part : places_.parts[static_cast<std::size_t>(s)]) {
      const auto v = part.node;
      const Table* table = graph()[v].control->table;
      if (!table || !listed.insert(table).second) continue;
      contents += fmt::format("  {}{}", graph()[v].gress == Gress::egress ? "egress:" : "", graph()[v].name);
      if (part.entries < table->max_entries) contents += fmt::format("({} of {})", part.entries, table->max_entries);
      std::string memories;
      const auto add = [&](const std::string& name) { memories += (memories.empty() ? "" : " ") + name; };
      for (const auto* array : graph()[v].arrays) add(array->name);
      for (const auto* meter : graph()[v].meters) add(meter->name);
      for (const auto* counter : graph()[v].counters) add(counter->name);
      if (!memories.empty()) contents += fmt::format("[{}]", memories);
    }
    out += contents + "\n";
  }
  const auto containers = [](const std::array<std::uint64_t, 3>& used, std::uint64_t a, std::uint64_t b,
                             std::uint64_t c) {
    return fmt::format("{}/{} x 8, {}/{} x 16, {}/{} x 32", used[0], a, used[1], b, used[2], c);
  };
  out += fmt::format("\nPHV containers: {}; tagalong: {}\n",
                     containers(phv_.normal, resources_.phv_8, resources_.phv_16, resources_.phv_32),
                     containers(phv_.tagalong, resources_.tagalong_8, resources_.tagalong_16, resources_.tagalong_32));
  out += fmt::format("latency: ingress {} cycles, egress {} cycles\n", latency_cycles(Gress::ingress),
                     latency_cycles(Gress::egress));
  return out + hardware_parts(*this) + limits_text();
}

std::string Placement::dot() const {
  static constexpr const char* kStyles[] = {"style=dashed", "style=dotted", "color=blue", "color=black"};
  std::string out = fmt::format("digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=box];\n", program_->name());
  for (int s = 0; s < stages(); ++s) {
    const auto& parts = places_.parts[static_cast<std::size_t>(s)];
    if (parts.empty()) continue;
    out += fmt::format("  subgraph cluster_{0} {{\n    label=\"stage {0}\";\n", s);
    for (const auto& part : parts) {
      const auto v = part.node;
      if (stage_of(v) != s) continue;  // a further part comes
      auto label = graph()[v].name;
      for (const auto* array : graph()[v].arrays) label += "\\n" + array->name;
      for (const auto* meter : graph()[v].meters) label += "\\n" + meter->name;
      for (const auto* counter : graph()[v].counters) label += "\\n" + counter->name;
      out += fmt::format("    n{} [label=\"{}\"{}];\n", v, label, graph()[v].control->table ? "" : ", shape=diamond");
    }
    out += "  }\n";
  }
  for (const auto e : boost::make_iterator_range(boost::edges(graph()))) {
    const auto kind = graph()[e].kind;
    out += fmt::format("  n{} -> n{} [{}", boost::source(e, graph()), boost::target(e, graph()),
                       kStyles[static_cast<std::size_t>(kind)]);
    if (kind != DependencyKind::control) out += fmt::format(", label=\"{}\"", program_->info(graph()[e].field).name);
    out += "];\n";
  }
  return out + "}\n";
}

}  // namespace racksim::p4
