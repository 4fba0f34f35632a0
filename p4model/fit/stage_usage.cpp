// What tables and register arrays cost in a stage.
#include <algorithm>
#include <set>

#include "p4model/fit/dependency_graph.hpp"
#include "p4model/fit/placement.hpp"

namespace racksim::p4 {

namespace {

constexpr std::uint64_t kWordBits = 128;         // of an SRAM block
constexpr std::uint64_t kEntryOverheadBits = 4;  // version and valid bits

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

/// Bits needed to tell `n` things apart.
std::uint64_t bits_for(std::uint64_t n) {
  std::uint64_t bits = 0;
  while (bits < 63 && (std::uint64_t{1} << bits) < n) ++bits;
  return bits;
}

std::uint64_t key_bits_of(const Program& program, const Table& table) {
  std::uint64_t bits = 0;
  for (const auto& key : table.keys) bits += program.info(key.field).bits;
  return bits;
}

}  // namespace

std::string_view name_of(StageResource resource) {
  static constexpr std::string_view kNames[kStageResources] = {
      "SRAM blocks",     "map RAM blocks", "stateful ALUs",  "logical tables",
      "gateways",        "hash groups",    "hash slices",    "VLIW instructions",
      "crossbar bytes",  "TCAM blocks",    "ternary tables", "ternary crossbar bytes",
      "statistics ALUs",
  };
  return kNames[static_cast<std::size_t>(resource)];
}

std::uint64_t budget(const SwitchResources& r, StageResource resource) {
  const std::array<std::uint64_t, kStageResources> budgets = {
      r.sram_blocks,    r.map_ram_blocks, r.stateful_alus,  r.logical_tables,
      r.gateways,       r.hash_groups,    r.hash_slices,    r.vliw_instructions,
      r.crossbar_bytes, r.tcam_blocks,    r.ternary_tables, r.ternary_crossbar_bytes,
      r.statistics_alus};
  return budgets[static_cast<std::size_t>(resource)];
}

std::uint64_t register_blocks(const SwitchResources& resources, const RegisterArray& array) {
  return ceil_div(array.size * array.width.total(), resources.block_bits) + 1;
}

std::uint64_t meter_blocks(const SwitchResources& resources, const Meter& meter) {
  const auto entries = meter.direct ? meter.direct->max_entries : meter.size;
  return ceil_div(entries * kWordBits, resources.block_bits) + 1;
}

std::uint64_t counter_blocks(const SwitchResources& resources, const Counter& counter) {
  const auto entries = counter.direct ? counter.direct->max_entries : counter.size;
  const auto bits = counter.unit == CounterUnit::packets_and_bytes ? kWordBits : kWordBits / 2;
  return ceil_div(entries * bits, resources.block_bits) + 1;
}

std::uint64_t table_blocks(const SwitchResources& resources, const Program& program, const Table& table,
                           std::uint64_t entries) {
  if (table.keys.empty()) return 0;
  // TCAM holds the key; an entry in SRAM holds it beside the action data.
  std::uint64_t key_bits = table.in_tcam() ? 0 : key_bits_of(program, table), data_bits = 0;
  const auto actions = table.all_actions();
  for (const auto* action : actions) {
    std::uint64_t bits = 0;
    for (const auto& parameter : action->parameters) bits += parameter.bits;
    data_bits = std::max(data_bits, bits);
  }
  const auto entry_bits = key_bits + data_bits + bits_for(actions.size()) + (table.in_tcam() ? 0 : kEntryOverheadBits);
  if (entry_bits == 0) return 0;
  const auto depth = resources.block_bits / kWordBits;
  if (entry_bits > kWordBits) return ceil_div(entry_bits, kWordBits) * ceil_div(entries, depth);
  return ceil_div(entries, depth * (kWordBits / entry_bits));
}

std::uint64_t tcam_blocks(const SwitchResources& resources, const Program& program, const Table& table,
                          std::uint64_t entries) {
  if (!table.in_tcam()) return 0;
  return ceil_div(key_bits_of(program, table), resources.tcam_bits) * ceil_div(entries, resources.tcam_rows);
}

StageUsage stage_usage(const SwitchResources& resources, const Program& program, const DependencyGraph& graph,
                       const std::vector<PlacedPart>& parts) {
  std::set<const Table*> tables;
  std::set<const RegisterArray*> arrays;
  std::set<const Meter*> meters;
  std::set<const Counter*> counters;
  std::set<std::pair<int, std::uint64_t>> indices;  // distinct sources of register indices
  std::set<std::pair<Gress, std::uint16_t>> crossbar, ternary_crossbar;
  std::set<const Action*> actions;
  StageUsage usage{};
  const auto at = [&](StageResource resource) -> std::uint64_t& { return usage[static_cast<std::size_t>(resource)]; };
  const auto slices = [&](const Operand& operand, std::uint64_t bits) {
    if (indices.emplace(static_cast<int>(operand.source), operand.value).second) {
      at(StageResource::hash_slices) += ceil_div(bits, resources.hash_slice_bits);
    }
  };
  // An index that stands in the entry needs no hash.
  const auto indexed = [&](const std::optional<Operand>& index, std::uint64_t size) {
    using Source = Operand::Source;
    if (index && (index->source == Source::field || index->source == Source::hash)) slices(*index, bits_for(size));
  };
  for (const auto& part : parts) {
    const auto& node = graph[part.node];
    const auto* table = node.control->table;
    for (const auto field : node.match_reads) {
      const bool is_key = table && std::any_of(table->keys.begin(), table->keys.end(),
                                               [&](const Table::Key& key) { return key.field.id == field.id; });
      // Indices and ALU inputs of a table in TCAM still come by the exact crossbar.
      (is_key && table->in_tcam() ? ternary_crossbar : crossbar).emplace(node.gress, field.id);
    }
    if (!table) {
      at(StageResource::gateways) += node.gateways;
      continue;
    }
    if (!tables.insert(table).second) continue;  // applied in another branch too
    ++at(StageResource::logical_tables);
    at(StageResource::sram_blocks) += table_blocks(resources, program, *table, part.entries);
    at(StageResource::hash_groups) += !table->keys.empty() && !table->in_tcam();
    at(StageResource::tcam_blocks) += tcam_blocks(resources, program, *table, part.entries);
    at(StageResource::ternary_tables) += table->in_tcam();
    for (const auto* action : table->all_actions()) {
      const bool runs = !action->primitives.empty() || !action->executions.empty() || !action->meters.empty() ||
                        !action->counts.empty();
      if (runs) actions.insert(action);
      for (const auto& execution : action->executions) {
        arrays.insert(execution.action->array);
        indexed(execution.index, execution.action->array->size);
      }
      for (const auto& execution : action->meters) {
        meters.insert(execution.meter);
        indexed(execution.index, execution.meter->size);
        if (execution.pre_colour) slices(*execution.pre_colour, 2);  // comes by hash distribution too
      }
      for (const auto& execution : action->counts) {
        counters.insert(execution.counter);
        indexed(execution.index, execution.counter->size);
      }
      for (const auto& primitive : action->primitives) {
        if (primitive.first.source != Operand::Source::hash) continue;
        slices(primitive.first, program.hashes()[primitive.first.value].bits);
      }
    }
  }
  const auto memory = [&](std::uint64_t blocks) {
    at(StageResource::sram_blocks) += blocks;
    at(StageResource::map_ram_blocks) += blocks;
  };
  for (const auto* array : arrays) memory(register_blocks(resources, *array));
  for (const auto* meter : meters) memory(meter_blocks(resources, *meter));
  for (const auto* counter : counters) memory(counter_blocks(resources, *counter));
  at(StageResource::stateful_alus) = arrays.size() + meters.size();
  at(StageResource::statistics_alus) = counters.size();
  at(StageResource::vliw_instructions) = actions.size();
  at(StageResource::hash_groups) +=
      ceil_div(at(StageResource::hash_slices) * resources.hash_slice_bits, resources.hash_group_bits);
  for (const auto& [gress, field] : crossbar) {
    at(StageResource::crossbar_bytes) += ceil_div(program.fields()[field].bits, 8);
  }
  for (const auto& [gress, field] : ternary_crossbar) {
    at(StageResource::ternary_crossbar_bytes) += ceil_div(program.fields()[field].bits, 8);
  }
  return usage;
}

}  // namespace racksim::p4
