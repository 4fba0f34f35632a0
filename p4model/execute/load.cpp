// A pipeline comes to be: its program is placed and compiled, and its tables, registers, meters and counters are made.
// See pipeline.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "p4model/execute/generated_pass.hpp"
#include "p4model/execute/pipeline.hpp"
#include "p4model/fit/dependency_graph.hpp"

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

std::vector<std::unique_ptr<TernaryTable>> make_ternary_tables(const Program& program) {
  std::vector<std::unique_ptr<TernaryTable>> tables;
  for (const auto& table : program.tables()) {
    auto& made = tables.emplace_back();
    if (!table.in_tcam()) continue;
    std::vector<TernaryTable::Field> fields;
    for (const auto& key : table.keys) fields.push_back({program.info(key.field).bits, key.kind});
    made = std::make_unique<TernaryTable>(table.name, std::move(fields), table.max_entries, data_words(table));
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

Pipeline::Pipeline(std::shared_ptr<const Program> program, const SwitchResources& resources)
    : program_(std::move(program)),
      placement_(*program_, resources),
      code_(compile(placement_)),
      registers_(program_->name(), program_->arrays()),
      tables_(make_tables(*program_)),
      ternary_(make_ternary_tables(*program_)),
      table_counters_(tables_.size()) {
  const auto entries = [](const auto& memory) { return memory.direct ? memory.direct->max_entries : memory.size; };
  for (const auto& meter : program_->meters()) meter_memories_.emplace_back(meter.name, entries(meter));
  for (const auto& counter : program_->counters()) {
    counter_memories_.emplace_back(counter.name, counter.unit, entries(counter));
  }
  value_sets_.resize(program_->value_sets().size());
  measures_ = !meter_memories_.empty() || !counter_memories_.empty();
  for (const auto& table : program_->tables()) {
    actions_.push_back(table.all_actions());
    hit_.emplace_back(table.ages ? table.max_entries : 0);
    ages_ = ages_ || table.ages;
  }
  clock_ = program_->clock_fields().has_value();
  requests_ = program_->mirror_fields() || program_->digest_type_field();
  for (const auto& action : program_->actions()) {
    for (const auto& primitive : action.primitives) draws_ = draws_ || primitive.operation == VliwOperation::random;
  }
  if (code_.initial_phv.size() > Pass::kMaxWords) {
    throw ProgramError(fmt::format("program '{}' has {} fields, constants and decisions, at most {} are possible",
                                   program_->name(), code_.initial_phv.size(), Pass::kMaxWords));
  }
  for (const auto& table : program_->tables()) {
    std::uint32_t priority = 0;
    for (const auto& entry : table.entries) {
      add_entry(table, entry.key, *entry.action, entry.values, priority);
      if (table.in_tcam() && !table.by_prefix()) ++priority;
    }
  }
  const auto name = fingerprint_name(fingerprint(form()));
  if (const auto* generated = sim::Registry<GeneratedPasses>::find(name)) generated_ = generated->functions;
}

PassForm Pipeline::form() const {
  PassForm form;
  form.code = code_;
  for (const auto& array : program_->arrays()) form.arrays.push_back({array.width.bits, array.width.pair});
  for (const auto& table : tables_) form.tables.push_back({table.words(), table.parts()});
  for (const auto& header : program_->headers()) {
    auto& made = form.headers.emplace_back(PassForm::Header{header.validity.id, {}});
    for (const auto member : header.members) made.members.push_back(member.id);
  }
  const auto& fields = program_->intrinsics();
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
  if (const auto& selection = program_->selection_fields()) {
    form.selects = true;
    set(PassForm::l1_exclusion_id, selection->l1_exclusion_id);
    set(PassForm::level1_hash, selection->level1_hash);
    set(PassForm::level2_hash, selection->level2_hash);
  }
  const bool computes_checksums = std::any_of(code_.gress.begin(), code_.gress.end(), [](const GressCode& gress) {
    return !gress.parser_checksums.empty() || !gress.deparser_checksums.empty();
  });
  const bool once = std::all_of(code_.gress.begin(), code_.gress.end(), extracts_each_header_once);
  form.can_be_generated = passes_repeat() && !computes_checksums && once;
  return form;
}

bool Pipeline::egress_changes_headers() const {
  return code_.gress[1].changes_headers;
}

bool Pipeline::egress_uses_registers() const {
  const auto& graph = placement_.graph();
  const auto nodes = boost::make_iterator_range(boost::vertices(graph));
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const auto node) { return graph[node].gress == Gress::egress && uses_state(graph[node]); });
}

}  // namespace racksim::p4
