#include "p4model/fit/checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "p4model/fit/dependency_graph.hpp"

namespace racksim::p4 {

namespace {

class Checker {
 public:
  Checker(const Program& program, const DependencyGraph& graph) : program_(program), graph_(graph) {}

  void run() {
    check_registers(program_);
    check_hashes();
    check_digests();
    check_checksums(program_);
    for (const auto gress : {Gress::ingress, Gress::egress}) check_parser(gress);
    check_nodes();
    check_memories();
    check_accesses("register array", &ProgramNode::arrays);
    check_accesses("meter", &ProgramNode::meters);
    check_accesses("counter", &ProgramNode::counters);
  }

 private:
  /// Fields that register arrays and meters write, and who does.
  using Outputs = std::map<std::uint16_t, std::string>;

  template <class... Args>
  [[noreturn]] void fail(const std::string& where, fmt::format_string<Args...> text, Args&&... args) const {
    throw ProgramError(
        fmt::format("program '{}', {}: {}", program_.name(), where, fmt::format(text, std::forward<Args>(args)...)));
  }

  void check_hashes() const {
    for (const auto& hash : program_.hashes()) {
      if (hash.bits == 0 || hash.bits > 32 || hash.fields.empty()) {
        fail(fmt::format("hash '{}'", hash.name),
             "{} bits of {} fields; 1 to 32 bits of at least one field are possible", hash.bits, hash.fields.size());
      }
    }
  }

  void check_digests() const {
    constexpr unsigned kMostBytes = 47, kMostType = 7;
    std::map<unsigned, std::string> types;
    for (const auto& digest : program_.digests()) {
      const auto where = fmt::format("digest '{}'", digest.name);
      unsigned bytes = 0;
      for (const auto field : digest.fields) {
        const auto& info = program_.info(field);
        if (!info.in_ingress || info.kind == FieldKind::output) fail(where, "'{}' has no value in ingress", info.name);
      }
      for (const auto of_field : digest.field_bytes) bytes += of_field;
      if (bytes == 0 || bytes > kMostBytes) fail(where, "it has {} bytes, 1 to {} are possible", bytes, kMostBytes);
      if (digest.type > kMostType) fail(where, "its type is {}, 0 to {} are possible", digest.type, kMostType);
      const auto [other, fresh] = types.emplace(digest.type, digest.name);
      if (!fresh) fail(where, "digest '{}' has the same type", other->second);
    }
  }

  void check_parser(Gress gress) const {
    std::map<int, std::string> extracted;
    const auto& states = program_.parser(gress).states;
    for (const auto& state : states) {
      const auto where = fmt::format("{} parser state '{}'", name_of(gress), state.name);
      const auto known = [&](const std::string& next) {
        if (next != kAccept && next != kReject &&
            std::none_of(states.begin(), states.end(), [&](const ParserState& s) { return s.name == next; })) {
          fail(where, "there is no state '{}'", next);
        }
      };
      known(state.next);
      for (const auto& c : state.cases) known(c.state);
      const auto [other, fresh] = extracted.emplace(state.header, state.name);
      if (!fresh) fail(where, "state '{}' extracts the same header", other->second);
      if (state.selector && program_.info(*state.selector).kind != FieldKind::header) {
        fail(where, "it selects by '{}', which is no header field", program_.info(*state.selector).name);
      }
      if (!state.selector && !state.cases.empty()) fail(where, "it has cases, but selects by no field");
      for (const auto& c : state.cases) {
        if (c.set) check_value_set(where, gress, *c.set, program_.info(*state.selector));
        const auto& field = program_.info(*state.selector);
        if (c.value & ~(c.mask & mask_of(field.bits))) {
          fail(where, "the case {:#x} asks for bits of '{}' that its mask {:#x} or the field's {} bits leave out",
               c.value, field.name, c.mask & mask_of(field.bits), field.bits);
        }
      }
    }
  }

  void check_value_set(const std::string& where, Gress gress, const ValueSet& set, const FieldInfo& field) const {
    const auto at = fmt::format("{}, value set '{}'", where, set.name);
    if (set.bits != field.bits) fail(at, "its values have {} bits, '{}' has {}", set.bits, field.name, field.bits);
    if (set.size == 0) fail(at, "it has room for no value");
    const auto other = gress == Gress::ingress ? Gress::egress : Gress::ingress;
    for (const auto& state : program_.parser(other).states) {
      for (const auto& c : state.cases) {
        if (c.set == &set) fail(at, "the {} parser uses it too; a set belongs to one of them", name_of(other));
      }
    }
  }

  void check_nodes() {
    std::map<const Table*, std::vector<std::size_t>> applied;
    for (std::size_t v = 0; v < boost::num_vertices(graph_); ++v) {
      const auto& node = graph_[v];
      const auto where =
          node.control->table ? fmt::format("table '{}'", node.name) : fmt::format("gateway '{}'", node.name);
      for (const auto field : node.match_reads) check_read(where, node.gress, field);
      for (const auto field : node.action_reads) check_read(where, node.gress, field);
      for (const auto field : node.writes) check_write(where, node.gress, field);
      if (!node.control->table) continue;
      for (const auto other : applied[node.control->table]) check_both(where, graph_[other], node);
      applied[node.control->table].push_back(v);
      check_table(where, *node.control->table);
    }
  }

  /// One table in two branches: it has one place in the stages, and one set of what comes behind it.
  void check_both(const std::string& where, const ProgramNode& a, const ProgramNode& b) const {
    if (a.gress != b.gress) fail(where, "it is applied in both gresses; a table belongs to one of them");
    if (!mutually_exclusive(a, b)) fail(where, "it is applied twice on one way through the program");
    const auto decides = [](const ProgramNode& node) {
      return !node.control->yes.nodes().empty() || !node.control->no.nodes().empty();
    };
    if (decides(a) || decides(b)) {
      fail(where,
           "it is applied in two branches, and something hangs on its hit or miss in one of them: what follows a "
           "table is the same wherever it is applied");
    }
  }

  void check_use(const std::string& where, Gress gress, FieldRef field) {
    const auto& info = program_.info(field);
    if (gress == Gress::ingress ? !info.in_ingress : !info.in_egress) {
      fail(where, "field '{}' does not exist in {}", info.name, name_of(gress));
    }
    if (info.kind != FieldKind::metadata) return;
    const auto [user, fresh] = metadata_gress_.emplace(field.id, gress);
    if (!fresh && user->second != gress) {
      fail(where, "metadata field '{}' is used in both gresses; only headers pass from ingress to egress", info.name);
    }
  }
  void check_read(const std::string& where, Gress gress, FieldRef field) {
    check_use(where, gress, field);
    if (program_.info(field).kind == FieldKind::output) {
      fail(where, "field '{}' is an output and cannot be read", program_.info(field).name);
    }
  }
  void check_write(const std::string& where, Gress gress, FieldRef field) {
    check_use(where, gress, field);
    if (program_.info(field).kind == FieldKind::input) {
      fail(where, "field '{}' is an input and cannot be written", program_.info(field).name);
    }
  }

  void check_table(const std::string& where, const Table& table) const {
    for (const auto* action : table.all_actions()) {
      check_action(where, *action);
      check_attached(where, table, *action);
    }
    const auto check_values = [&](const Action& action, const std::vector<std::uint64_t>& values) {
      if (values.size() != action.parameters.size()) {
        fail(where, "action '{}' takes {} values, not {}", action.name, action.parameters.size(), values.size());
      }
    };
    if (table.miss_action) check_values(*table.miss_action, table.miss_values);
    if (table.keys.empty()) {
      if (!table.entries.empty()) fail(where, "it has entries but no key");
      return;
    }
    if (table.max_entries == 0) fail(where, "its size is not given");
    const auto prefixes = std::count_if(table.keys.begin(), table.keys.end(),
                                        [](const Table::Key& key) { return key.kind == MatchKind::lpm; });
    if (prefixes > 1) fail(where, "{} of its keys are lpm, at most one can be", prefixes);
    if (table.in_tcam() && table.keys.size() > kMaxTernaryKeys) {
      fail(where, "it has {} keys, {} are possible", table.keys.size(), kMaxTernaryKeys);
    }
    if (!table.in_tcam() && table.entries.size() > table.max_entries) {
      fail(where, "it has {} entries, its size is {}", table.entries.size(), table.max_entries);
    }
    for (const auto& entry : table.entries) check_values(*entry.action, entry.values);
  }

  void check_action(const std::string& where, const Action& action) const {
    std::map<std::uint16_t, int> written;
    Outputs outputs;
    std::map<const RegisterArray*, int> executed;
    for (const auto& execution : action.executions) {
      const auto* array = execution.action->array;
      const auto at = fmt::format("{}, action '{}', register array '{}'", where, action.name, array->name);
      if (executed[array]++) fail(at, "it is accessed twice in one pass");
      check_parameter(at, action, execution.index);
      if (!execution.output) continue;
      const auto& info = program_.info(*execution.output);
      if (info.bits > 32) {
        fail(at, "its output word goes to '{}' of {} bits; a stateful ALU returns at most 32", info.name, info.bits);
      }
      if (execution.action->output_source == AluOutput::none) fail(at, "'{}' has no output", execution.action->name);
      if (written[execution.output->id]++) fail(at, "field '{}' is written twice", info.name);
      outputs[execution.output->id] = fmt::format("register array '{}'", array->name);
    }
    for (const auto& execution : action.meters) {
      const auto& colour = program_.info(execution.colour);
      const auto at = fmt::format("{}, action '{}', meter '{}'", where, action.name, execution.meter->name);
      if (written[execution.colour.id]++) fail(at, "field '{}' is written twice", colour.name);
      outputs[execution.colour.id] = fmt::format("meter '{}'", execution.meter->name);
    }
    for (const auto& primitive : action.primitives) {
      const auto at = fmt::format("{}, action '{}'", where, action.name);
      const auto& to = program_.info(primitive.destination);
      if (written[primitive.destination.id]++) fail(at, "field '{}' is written twice", to.name);
      for (const auto& operand : {primitive.first, primitive.second}) {
        refuse_outputs(at, outputs, operand);
        check_parameter(at, action, operand);
      }
      check_primitive(at, primitive);
    }
    for (const auto& execution : action.executions) {
      const auto at =
          fmt::format("{}, action '{}', register array '{}'", where, action.name, execution.action->array->name);
      // An execution reads its index and inputs when the packet enters the stage, and writes its output when it leaves:
      // its own output field may be among them.
      auto others = outputs;
      if (execution.output) others.erase(execution.output->id);
      refuse_outputs(at, others, execution.index);
      for (const auto& input : execution.action->inputs) refuse_output(at, others, input.field);
    }
    const auto at = fmt::format("{}, action '{}'", where, action.name);
    for (const auto& execution : action.meters) {
      auto others = outputs;
      others.erase(execution.colour.id);
      if (execution.index) refuse_outputs(at, others, *execution.index);
      if (execution.pre_colour) refuse_output(at, others, *execution.pre_colour);
    }
    for (const auto& execution : action.counts) {
      if (execution.index) refuse_outputs(at, outputs, *execution.index);
    }
  }

  void check_parameter(const std::string& at, const Action& action, const Operand& operand) const {
    if (operand.source == Operand::Source::action_data && operand.value >= action.parameters.size()) {
      fail(at, "the action has no parameter {}", operand.value);
    }
  }

  void refuse_output(const std::string& at, const Outputs& outputs, FieldRef field) const {
    const auto found = outputs.find(field.id);
    if (found != outputs.end()) {
      fail(at, "it uses '{}', the output of {}, in the stage that produces it", program_.info(field).name,
           found->second);
    }
  }

  void refuse_outputs(const std::string& at, const Outputs& outputs, const Operand& operand) const {
    if (operand.source == Operand::Source::field) refuse_output(at, outputs, operand.field());
    if (operand.source != Operand::Source::hash) return;
    for (const auto field : program_.hashes()[operand.value].fields) refuse_output(at, outputs, field);
  }

  void check_primitive(const std::string& at, const Primitive& p) const {
    const auto& to = program_.info(p.destination);
    using O = VliwOperation;
    if (p.operation == O::random && to.bits > 32)
      fail(at, "'{}' of {} bits takes a random number of 32", to.name, to.bits);
    if (p.operation == O::invalidate && to.kind != FieldKind::output) fail(at, "'{}' is no output", to.name);
    const bool arithmetic = p.operation == O::add || p.operation == O::sub || p.operation == O::shift_left ||
                            p.operation == O::shift_right || p.operation == O::min || p.operation == O::max;
    if (arithmetic && to.bits > 32) fail(at, "arithmetic on '{}' of {} bits; containers have 32", to.name, to.bits);
  }

  template <class Memory>
  void check_accesses(std::string_view kind, std::vector<const Memory*> ProgramNode::*memories) const {
    for (std::size_t b = 0; b < boost::num_vertices(graph_); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        for (const auto* memory : graph_[a].*memories) {
          const auto& others = graph_[b].*memories;
          if (std::find(others.begin(), others.end(), memory) == others.end()) continue;
          const auto where = fmt::format("{} '{}'", kind, memory->name);
          if (graph_[a].gress != graph_[b].gress) {
            fail(where, "table '{}' uses it in {}, table '{}' in {}; {} belongs to one of them", graph_[a].name,
                 name_of(graph_[a].gress), graph_[b].name, name_of(graph_[b].gress),
                 kind == "register array" ? "an array" : "it");
          }
          if (!mutually_exclusive(graph_[a], graph_[b])) {
            fail(where, "it is accessed twice in one pass, by tables '{}' and '{}', which do not exclude each other",
                 graph_[a].name, graph_[b].name);
          }
        }
      }
    }
  }

  void check_memories() const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
    const auto check = [&](std::string_view kind, const auto& memory) {
      const auto where = fmt::format("{} '{}'", kind, memory.name);
      if (!memory.direct && (memory.size == 0 || memory.size > kMost)) fail(where, "it has {} entries", memory.size);
      if (memory.direct && memory.direct->keys.empty()) {
        fail(where, "it belongs to the entries of table '{}', which has none", memory.direct->name);
      }
    };
    for (const auto& meter : program_.meters()) check("meter", meter);
    for (const auto& counter : program_.counters()) check("counter", counter);
  }

  /// What actions of a table do with meters and counters: each once, and direct ones where an entry was hit.
  void check_attached(const std::string& where, const Table& table, const Action& action) const {
    std::map<const void*, int> used;
    const auto check = [&](std::string_view kind, const auto& memory, const std::optional<Operand>& index) {
      const auto at = fmt::format("{}, action '{}', {} '{}'", where, action.name, kind, memory.name);
      if (used[&memory]++) fail(at, "it is accessed twice in one pass");
      if (!memory.direct) {
        if (!index) fail(at, "no index says which of its entries");
        return;
      }
      if (index) fail(at, "it takes the entry that was hit, and no index");
      if (memory.direct != &table) fail(at, "it belongs to the entries of table '{}'", memory.direct->name);
      if (table.miss_action == &action) fail(at, "a miss, which runs the action, has no entry");
    };
    for (const auto& execution : action.meters) check("meter", *execution.meter, execution.index);
    for (const auto& execution : action.counts) check("counter", *execution.counter, execution.index);
    for (const auto& execution : action.meters) {
      const auto& colour = program_.info(execution.colour);
      if (colour.bits < 2) {
        fail(fmt::format("{}, action '{}', meter '{}'", where, action.name, execution.meter->name),
             "a colour has 2 bits, '{}' has {}", colour.name, colour.bits);
      }
    }
  }

  const Program& program_;
  const DependencyGraph& graph_;
  std::map<std::uint16_t, Gress> metadata_gress_;
};

}  // namespace

void check_program(const Program& program, const DependencyGraph& graph) {
  Checker(program, graph).run();
}

}  // namespace racksim::p4
