// Loading a program: placing, compiling, filling its tables, finding its generated passes. See loaded_program.hpp.
#include "p4model/execute/loaded_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>

#include "p4model/fit/dependency_graph.hpp"
#include "sim/options/registry.hpp"

namespace racksim::p4 {

namespace {

/// The most words of action data that an action of the table takes.
std::size_t data_words(const Table& table) {
  std::size_t words = 0;
  for (const auto* action : table.all_actions()) words = std::max(words, action->parameters.size());
  return words;
}

/// A table in TCAM leaves an empty one here.
std::vector<ExactTable> make_tables(const Program& program) {
  std::vector<ExactTable> tables;
  for (const auto& table : program.tables()) {
    std::vector<unsigned> bits;
    if (!table.in_tcam()) {
      for (const auto& key : table.keys) bits.push_back(program.info(key.field).bits);
    }
    tables.emplace_back(table.name, bits, table.in_tcam() ? 0 : table.max_entries, data_words(table));
  }
  return tables;
}

std::vector<std::optional<TernaryTable>> make_ternary_tables(const Program& program) {
  std::vector<std::optional<TernaryTable>> tables;
  for (const auto& table : program.tables()) {
    auto& made = tables.emplace_back();
    if (!table.in_tcam()) continue;
    std::vector<TernaryTable::Field> fields;
    for (const auto& key : table.keys) fields.push_back({program.info(key.field).bits, key.kind});
    made.emplace(table.name, std::move(fields), table.max_entries, data_words(table));
  }
  return tables;
}

/// Whether no packet has the parser extract two headers of one kind.
bool extracts_each_header_once(const GressCode& gress) {
  // From each state on, the headers extracted before it on the way.
  const std::function<bool(std::int32_t, std::set<std::uint16_t>)> visit = [&](std::int32_t at,
                                                                               std::set<std::uint16_t> before) {
    if (at < 0) return true;
    const auto& state = gress.parser[static_cast<std::size_t>(at)];
    if (!before.insert(state.header).second) return false;
    return visit(state.next, before) &&
           std::all_of(state.cases.begin(), state.cases.end(), [&](const auto& c) { return visit(c.next, before); });
  };
  return gress.parser.empty() || visit(0, {});
}

}  // namespace

LoadedProgram::LoadedProgram(std::shared_ptr<const Program> loaded, const SwitchResources& resources)
    : program(std::move(loaded)),
      placement(*program, resources),
      code(compile(placement)),
      tables(make_tables(*program)),
      ternary(make_ternary_tables(*program)) {
  if (code.initial_phv.size() > kMaxWords) {
    throw ProgramError(fmt::format("program '{}' has {} fields, constants and decisions, at most {} are possible",
                                   program->name(), code.initial_phv.size(), kMaxWords));
  }
  uses.clock = program->clock_fields().has_value();
  uses.requests = program->mirror_fields() || program->digest_type_field();
  uses.measures = !program->meters().empty() || !program->counters().empty();
  for (const auto& action : program->actions()) {
    for (const auto& primitive : action.primitives)
      uses.draws = uses.draws || primitive.operation == VliwOperation::random;
  }
  for (const auto& table : program->tables()) {
    actions.push_back(table.all_actions());
    uses.ages = uses.ages || table.ages;
    std::uint32_t priority = 0;
    for (const auto& entry : table.entries) {
      const auto number = action_number(table, *entry.action, entry.values);
      if (table.in_tcam()) {
        ternary[table.id]->add(entry.key, priority, number, entry.values);
        if (!table.by_prefix()) ++priority;
      } else {
        tables[table.id].add(exact_key(table, entry.key, priority), number, entry.values);
      }
    }
  }
  const auto name = fingerprint_name(fingerprint(form()));
  if (const auto* passes = sim::Registry<GeneratedPasses>::find(name)) generated = passes->functions;
}

std::uint32_t LoadedProgram::action_number(const Table& table, const Action& action,
                                           std::span<const std::uint64_t> data) const {
  const auto& all = actions.at(table.id);
  const auto found = std::find(all.begin(), all.end(), &action);
  if (found == all.end()) {
    throw std::runtime_error(fmt::format("table '{}' has no action '{}'", table.name, action.name));
  }
  if (data.size() != action.parameters.size()) {
    throw std::runtime_error(fmt::format("table '{}': action '{}' takes {} values, not {}", table.name, action.name,
                                         action.parameters.size(), data.size()));
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto& [name, bits] = action.parameters[i];
    if (data[i] <= mask_of(bits)) continue;
    // Cut, a port would be another one.
    throw std::runtime_error(fmt::format("table '{}': value {} of '{}' of action '{}' exceeds its {} bits", table.name,
                                         data[i], name, action.name, bits));
  }
  return static_cast<std::uint32_t>(found - all.begin());
}

ExactTable::Key LoadedProgram::exact_key(const Table& table, std::span<const KeyMatch> key,
                                         std::uint32_t priority) const {
  std::vector<std::uint64_t> values;
  for (const KeyMatch& match : key) {
    if (match.form() != KeyMatch::Form::value || priority != 0) {
      throw std::runtime_error(
          fmt::format("table '{}' matches exactly: its entries have values and no priority", table.name));
    }
    values.push_back(match.value());
  }
  return tables.at(table.id).pack(values);
}

PassForm LoadedProgram::form() const {
  PassForm form;
  form.code = code;
  for (const auto& array : program->arrays()) form.arrays.push_back({array.width.bits, array.width.pair});
  for (const auto& table : tables) form.tables.push_back({table.words(), table.parts()});
  for (const auto& header : program->headers()) {
    auto& made = form.headers.emplace_back(PassForm::Header{header.validity.id, {}});
    for (const auto member : header.members) made.members.push_back(member.id);
  }
  const auto& fields = program->intrinsics();
  const auto set = [&form](PassForm::Word word, FieldRef field) { form.words[word] = field.id; };
  set(PassForm::ingress_port, fields.ingress_port);
  set(PassForm::resubmit_flag, fields.resubmit_flag);
  set(PassForm::resubmit_data, fields.resubmit_data);
  set(PassForm::egress_port, fields.egress_port);
  set(PassForm::egress_rid, fields.egress_rid);
  set(PassForm::packet_length, fields.packet_length);
  set(PassForm::drop, fields.drop);
  set(PassForm::resubmit, fields.resubmit);
  set(PassForm::resubmit_value, fields.resubmit_value);
  set(PassForm::ucast_egress_port, fields.ucast_egress_port);
  set(PassForm::mcast_grp_a, fields.mcast_grp_a);
  set(PassForm::mcast_grp_b, fields.mcast_grp_b);
  set(PassForm::rid, fields.rid);
  set(PassForm::l2_exclusion_id, fields.l2_exclusion_id);
  if (const auto& selection = program->selection_fields()) {
    form.selects = true;
    set(PassForm::l1_exclusion_id, selection->l1_exclusion_id);
    set(PassForm::level1_hash, selection->level1_hash);
    set(PassForm::level2_hash, selection->level2_hash);
  }
  const bool computes_checksums = std::any_of(code.gress.begin(), code.gress.end(), [](const GressCode& gress) {
    return !gress.parser_checksums.empty() || !gress.deparser_checksums.empty();
  });
  const bool once = std::all_of(code.gress.begin(), code.gress.end(), extracts_each_header_once);
  form.can_be_generated = passes_repeat() && !computes_checksums && once;
  return form;
}

}  // namespace racksim::p4
