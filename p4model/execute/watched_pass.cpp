// A pass with a watcher. See stage_watcher.hpp.
#include <algorithm>
#include <array>
#include <vector>

#include "p4model/execute/pipeline.hpp"
#include "p4model/fit/dependency_graph.hpp"

namespace racksim::p4 {

void Pipeline::run_watched(Pass& pass) {
  watcher_->parsed(pass.gress_, pass.parsed_, pass.rejected_);
  if (pass.rejected_) return;
  const auto& code = code_.gress[static_cast<std::size_t>(pass.gress_)];
  const auto fields = static_cast<std::uint16_t>(program_.fields().size());
  for (int stage = 0; stage < stages(); ++stage) {
    const std::vector<std::uint64_t> before(pass.phv_, pass.phv_ + fields);
    watcher_->stage_begins(stage);
    run<Witness::watcher>(code.stepped.data() + code.stage_begins.at(static_cast<std::size_t>(stage)), pass);
    for (std::uint16_t id = 0; id < fields; ++id) {
      if (pass.phv_[id] == before[id]) continue;
      const auto value = [&](std::uint64_t word) -> std::optional<std::uint64_t> {
        if (program_.fields()[id].kind == FieldKind::output && word == kUnset) return std::nullopt;
        return word;
      };
      watcher_->field_changed({id}, value(before[id]), value(pass.phv_[id]));
    }
  }
}

void Pipeline::tell_lookup(const TableCode& code, const std::uint64_t* phv) const {
  const Table& table = program_.tables()[code.table];
  std::array<std::uint64_t, kMaxTernaryKeys> key{};
  const std::size_t keys = std::min(code.key_slots.size(), key.size());
  for (std::size_t i = 0; i < keys; ++i) key[i] = phv[code.key_slots[i]];
  TableLookup lookup{
      .table = &table, .key = {key.data(), keys}, .action = table.miss_action, .data = table.miss_values};
  const auto found = [&](const auto& entries, std::int32_t entry) {
    if (entry < 0) return;
    lookup.hit = true;
    lookup.action = loaded_->actions[code.table][entries.action(entry)];
    lookup.data = {entries.data(entry), lookup.action->parameters.size()};
  };
  if (code.in_tcam) {
    found(*ternary_[code.table], ternary_[code.table]->find(key.data()));
  } else {
    found(tables_[code.table], find_entry(code, phv));
  }
  watcher_->looked_up(lookup);
}

void Pipeline::tell_register(const ArrayCode& code, std::uint64_t index, std::uint64_t before,
                             std::uint64_t output) const {
  RegisterUse use{.array = &program_.arrays()[code.array], .action = code.action, .index = index, .before = before};
  use.after = registers_.read(code.array, index);
  if (is_field(code.output)) use.output = output;
  watcher_->register_used(use);
}

void Pipeline::tell_probe(const Instruction& probe, const std::uint64_t* phv) const {
  const RegisterArray& array = program_.arrays()[probe.extra];
  const auto index = phv[probe.a];
  RegisterUse use{.array = &array, .index = index, .before = registers_.read(probe.extra, index)};
  use.after = use.before;
  for (const auto& action : array.actions) {
    const bool is_it = compile(action).tag_probe && action.inputs[0].field.id == probe.b &&
                       action.inputs[1].field.id == static_cast<std::uint16_t>(probe.mask);
    if (is_it) use.action = &action;
  }
  if (is_field(probe.destination)) use.output = registers_.is_pair(probe.extra, index, phv[probe.b], phv[probe.mask]);
  watcher_->register_used(use);
}

}  // namespace racksim::p4
