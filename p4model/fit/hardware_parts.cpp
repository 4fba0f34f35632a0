// What a program uses of the hardware beside its stages, for `racksim fit`: what stages pay for it is in the table
// already, and fields in the PHV (docs/hardware.md 6.5, 6.6).
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "p4model/fit/dependency_graph.hpp"
#include "p4model/fit/placement.hpp"
#include "p4model/language/generated_packet.hpp"

namespace racksim::p4 {

namespace {

/// The gresses whose nodes write or read one of the fields: "ingress", "egress", "ingress and egress" or nothing.
std::string gresses_of(const DependencyGraph& graph, std::initializer_list<FieldRef> fields) {
  std::string text;
  for (const auto gress : {Gress::ingress, Gress::egress}) {
    bool uses = false;
    for (std::size_t v = 0; v < boost::num_vertices(graph); ++v) {
      if (graph[v].gress != gress) continue;
      for (const auto* list : {&graph[v].match_reads, &graph[v].action_reads, &graph[v].writes}) {
        uses = uses || std::any_of(list->begin(), list->end(), [&](FieldRef used) {
                 return std::any_of(fields.begin(), fields.end(), [&](FieldRef f) { return f.id == used.id; });
               });
      }
    }
    if (uses) text += fmt::format("{}{}", text.empty() ? "" : " and ", name_of(gress));
  }
  return text;
}

/// The size of a meter or counter that the program uses, its stage and its blocks; nothing for another.
template <class Memory>
std::string memory_text(const Placement& placement, const Memory& memory, std::uint64_t blocks) {
  const int stage = placement.stage_of(memory);
  if (stage < 0) return {};
  const auto entries = memory.direct
                           ? fmt::format("{} entries of table '{}'", memory.direct->max_entries, memory.direct->name)
                           : fmt::format("{} entries", memory.size);
  return fmt::format("{}, {}, stage {}, {} SRAM and map RAM blocks", name_of(memory.unit), entries, stage, blocks);
}

}  // namespace

std::string hardware_parts(const Placement& placement) {
  const Program& program = placement.program();
  const DependencyGraph& graph = placement.graph();
  std::string out;
  const auto line = [&](std::string_view part, const std::string& text) {
    if (!text.empty()) out += fmt::format("{}: {}\n", part, text);
  };
  // Of each condition that is split: how many gateways it takes, and how often it stands in the program.
  std::map<std::string, std::pair<std::uint64_t, std::size_t>> split;
  for (std::size_t v = 0; v < boost::num_vertices(graph); ++v) {
    if (graph[v].gateways < 2) continue;
    auto& [gateways, times] = split[graph[v].name];
    gateways = graph[v].gateways;
    ++times;
  }
  for (const auto& [condition, taken] : split) {
    line("split over gateways", fmt::format("{} x {}, {}", taken.second, taken.first, condition));
  }
  if (const auto& mirror = program.mirror_fields()) {
    const auto words = std::count_if(mirror->values.begin(), mirror->values.end(),
                                     [&](FieldRef value) { return !gresses_of(graph, {value}).empty(); });
    const auto gresses = gresses_of(graph, {mirror->session});
    if (!gresses.empty()) line("mirror copies", fmt::format("{}, {} of 32 bytes with a copy", gresses, 8 * words));
  }
  if (const auto& selection = program.selection_fields()) {
    line("multicast selection",
         gresses_of(graph, {selection->level1_hash, selection->level2_hash, selection->l1_exclusion_id}));
  }
  for (const auto& digest : program.digests()) {
    const auto bytes = std::accumulate(digest.field_bytes.begin(), digest.field_bytes.end(), 0U);
    line("digest", fmt::format("type {}, '{}', {} of 47 bytes", digest.type, digest.name, bytes));
  }
  for (const auto& set : program.value_sets()) {
    for (const auto gress : {Gress::ingress, Gress::egress}) {
      std::uint64_t rows = 0;
      for (const auto& state : program.parser(gress).states) {
        for (const auto& c : state.cases) rows += c.set == &set ? set.size : 0;
      }
      if (rows == 0) continue;
      line(fmt::format("value set '{}'", set.name),
           fmt::format("{} of the {} rows that the {} parser takes of {}", rows, parser_rows(program, gress),
                       name_of(gress), placement.resources().parser_rows));
    }
  }
  for (const auto gress : {Gress::ingress, Gress::egress}) {
    std::string parsed, deparsed;
    for (const auto& unit : program.checksums()) {
      if (unit.gress != gress) continue;
      auto& names = unit.operation == ChecksumUnit::Operation::update ? deparsed : parsed;
      names += fmt::format(", {}", program.info(unit.result).name);
    }
    const auto& resources = placement.resources();
    const auto units = [&](std::string_view part, const std::string& names, std::uint64_t taken, std::uint64_t all) {
      if (!names.empty())
        line(fmt::format("{} {} checksums", name_of(gress), part), fmt::format("{} of {} units{}", taken, all, names));
    };
    units("parser", parsed, parser_checksum_units(program, gress), resources.parser_checksum_units);
    units("deparser", deparsed, deparser_checksum_units(program, gress), resources.deparser_checksum_units);
  }
  if (const auto& clock = program.clock_fields()) {
    line("time stamps", gresses_of(graph, {clock->arrived, clock->ingress_began, clock->enqueued, clock->waited,
                                           clock->queue_cells, clock->egress_began}));
  }
  for (const auto& header : program.headers()) {
    if (header.layout != &GeneratedPacket::kLayout) continue;
    const auto& states = program.parser(Gress::ingress).states;
    const auto parses = [&](const ParserState& state) {
      return program.headers()[static_cast<std::size_t>(state.header)].layout == header.layout;
    };
    if (std::any_of(states.begin(), states.end(), parses))
      line("packet generator", "its header of 6 bytes, in ingress");
  }
  std::size_t predicates = 0;
  for (const auto& array : program.arrays()) {
    if (placement.stage_of(array) < 0) continue;
    predicates += static_cast<std::size_t>(
        std::count_if(array.actions.begin(), array.actions.end(),
                      [](const RegisterAction& action) { return action.output_source == AluOutput::predicates; }));
  }
  if (predicates > 0) {
    line("four-bit predicates", fmt::format("{} register action{}", predicates, predicates == 1 ? "" : "s"));
  }
  std::size_t draws = 0;
  for (const auto& action : program.actions()) {
    draws += static_cast<std::size_t>(
        std::count_if(action.primitives.begin(), action.primitives.end(),
                      [](const Primitive& primitive) { return primitive.operation == VliwOperation::random; }));
  }
  for (const auto& meter : program.meters()) {
    line(fmt::format("meter '{}'", meter.name),
         memory_text(placement, meter, meter_blocks(placement.resources(), meter)));
  }
  for (const auto& counter : program.counters()) {
    line(fmt::format("counter '{}'", counter.name),
         memory_text(placement, counter, counter_blocks(placement.resources(), counter)));
  }
  if (draws > 0) line("random numbers", fmt::format("{} draw{}", draws, draws == 1 ? "" : "s"));
  return out;
}

std::string limits_text() {
  return "\nchecked:     stages and what depends on what; SRAM, map RAM and TCAM blocks, tables, gateways with their "
         "width and\n"
         "             rows, hash bits, instruction words and crossbar bytes of a stage; stateful and statistics ALUs "
         "with\n"
         "             what they compute; PHV containers by size and lifetime; parser rows, depth and checksum units\n"
         "not checked: action profiles and selectors, ALPM, groups of PHV containers and which of them an instruction "
         "may\n"
         "             read together, the action data bus, ways and bank conflicts of a table's SRAM, the deparser's\n"
         "             budget, power; so a program that fits here may still be refused by the vendor's compiler\n";
}

}  // namespace racksim::p4
