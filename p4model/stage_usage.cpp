// What tables and register arrays cost in a stage.
#include <algorithm>
#include <set>

#include "p4model/placement.hpp"

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

}  // namespace

std::string_view name_of(StageResource resource) {
  static constexpr std::string_view kNames[kStageResources] = {
      "SRAM blocks", "map RAM blocks", "stateful ALUs",     "logical tables", "gateways",
      "hash groups", "hash slices",    "VLIW instructions", "crossbar bytes",
  };
  return kNames[static_cast<std::size_t>(resource)];
}

std::uint64_t budget(const SwitchResources& r, StageResource resource) {
  const std::array<std::uint64_t, kStageResources> budgets = {r.sram_blocks,    r.map_ram_blocks,    r.stateful_alus,
                                                              r.logical_tables, r.gateways,          r.hash_groups,
                                                              r.hash_slices,    r.vliw_instructions, r.crossbar_bytes};
  return budgets[static_cast<std::size_t>(resource)];
}

std::uint64_t register_blocks(const SwitchResources& resources, const RegisterArray& array) {
  return ceil_div(array.size * array.width.total(), resources.block_bits) + 1;
}

std::uint64_t table_blocks(const SwitchResources& resources, const Program& program, const Table& table) {
  if (table.keys.empty()) return 0;
  std::uint64_t key_bits = 0, data_bits = 0;
  for (const auto key : table.keys) key_bits += program.info(key).bits;
  const auto actions = table.all_actions();
  for (const auto* action : actions) {
    std::uint64_t bits = 0;
    for (const auto& parameter : action->parameters) bits += parameter.bits;
    data_bits = std::max(data_bits, bits);
  }
  const auto entry_bits = key_bits + data_bits + bits_for(actions.size()) + kEntryOverheadBits;
  const auto depth = resources.block_bits / kWordBits;
  if (entry_bits > kWordBits) return ceil_div(entry_bits, kWordBits) * ceil_div(table.max_entries, depth);
  return ceil_div(table.max_entries, depth * (kWordBits / entry_bits));
}

StageUsage stage_usage(const SwitchResources& resources, const Program& program, const DependencyGraph& graph,
                       const std::vector<std::size_t>& nodes) {
  std::set<const RegisterArray*> arrays;
  std::set<std::pair<int, std::uint64_t>> indices;  // distinct sources of register indices
  std::set<std::pair<Gress, std::uint16_t>> crossbar;
  std::set<const Action*> actions;
  StageUsage usage{};
  const auto at = [&](StageResource resource) -> std::uint64_t& { return usage[static_cast<std::size_t>(resource)]; };
  for (const auto v : nodes) {
    const auto& node = graph[v];
    for (const auto field : node.match_reads) crossbar.emplace(node.gress, field.id);
    const auto* table = node.control->table;
    if (!table) {
      ++at(StageResource::gateways);
      continue;
    }
    ++at(StageResource::logical_tables);
    at(StageResource::sram_blocks) += table_blocks(resources, program, *table);
    at(StageResource::hash_groups) += !table->keys.empty();
    for (const auto* action : table->all_actions()) {
      if (!action->primitives.empty() || !action->executions.empty()) actions.insert(action);
      for (const auto& execution : action->executions) {
        arrays.insert(execution.action->array);
        if (execution.index.kind == Operand::Kind::constant) continue;
        const auto index_bits = bits_for(execution.action->array->size);
        if (indices.emplace(static_cast<int>(execution.index.kind), execution.index.value).second) {
          at(StageResource::hash_slices) += ceil_div(index_bits, resources.hash_slice_bits);
        }
      }
      for (const auto& primitive : action->primitives) {
        if (primitive.first.kind != Operand::Kind::hash) continue;
        const auto& hash = program.hashes()[primitive.first.value];
        if (indices.emplace(static_cast<int>(Operand::Kind::hash), primitive.first.value).second) {
          at(StageResource::hash_slices) += ceil_div(hash.bits, resources.hash_slice_bits);
        }
      }
    }
  }
  for (const auto* array : arrays) {
    at(StageResource::sram_blocks) += register_blocks(resources, *array);
    at(StageResource::map_ram_blocks) += register_blocks(resources, *array);
  }
  at(StageResource::stateful_alus) = arrays.size();
  at(StageResource::vliw_instructions) = actions.size();
  at(StageResource::hash_groups) +=
      ceil_div(at(StageResource::hash_slices) * resources.hash_slice_bits, resources.hash_group_bits);
  for (const auto& [gress, field] : crossbar) {
    at(StageResource::crossbar_bytes) += ceil_div(program.fields()[field].bits, 8);
  }
  return usage;
}

}  // namespace racksim::p4
