#include <algorithm>
#include <map>
#include <set>

#include "p4model/execute/code.hpp"
#include "p4model/fit/dependency_graph.hpp"

namespace racksim::p4 {

namespace {

class Compiler {
 public:
  explicit Compiler(const Placement& placement) : placement_(placement), program_(placement.program()) {
    for (const auto& field : program_.fields()) {
      out_.initial_phv.push_back(field.kind == FieldKind::output ? kUnset : 0);
    }
    out_.initial_phv[program_.intrinsics().resubmit_value.id] = 0;  // any value is data
    if (const auto& mirror = program_.mirror_fields()) {
      for (const auto value : mirror->values) out_.initial_phv[value.id] = 0;
    }
    std::size_t data_words = 0;
    for (const auto& table : program_.tables()) {
      for (const auto* action : table.all_actions()) data_words = std::max(data_words, action->parameters.size());
    }
    out_.data_slot = static_cast<std::uint16_t>(out_.initial_phv.size());
    for (std::size_t i = 0; i < data_words; ++i) hidden();
    out_.action_code.push_back({Opcode::done});  // the action of a table that has none for a miss
  }

  ProgramCode run() {
    for (const auto& hash : program_.hashes()) out_.hashes.push_back(compile(hash, program_));
    const auto& graph = placement_.graph();
    for (std::size_t v = 0; v < boost::num_vertices(graph); ++v) {
      const auto& control = *graph[v].control;
      yes_slot_.push_back(control.yes.nodes().empty() ? scratch() : hidden());
      no_slot_.push_back(control.no.nodes().empty() ? scratch() : hidden());
    }
    for (const auto gress : {Gress::ingress, Gress::egress}) compile_gress(gress);
    return std::move(out_);
  }

 private:
  /// What a gress runs for one node of the graph, and the guards it hangs on, outermost first.
  struct NodeCode {
    std::size_t node = 0;
    int stage = 0;
    std::vector<std::uint16_t> guards;
    std::vector<Instruction> body;
  };

  std::uint16_t hidden(std::uint64_t initial = 0) {
    out_.initial_phv.push_back(initial);
    return static_cast<std::uint16_t>(out_.initial_phv.size() - 1);
  }
  std::uint16_t constant(std::uint64_t value) {
    const auto [found, is_new] = constants_.try_emplace(value);
    if (is_new) found->second = hidden(value);
    return found->second;
  }

  void compile_gress(Gress gress) {
    auto& code = out_.gress[static_cast<std::size_t>(gress)];
    const auto& graph = placement_.graph();
    std::set<std::uint16_t> written, live;
    std::vector<NodeCode> nodes;
    for (int s = 0; s < placement_.stages(); ++s) {
      for (std::size_t v = 0; v < boost::num_vertices(graph); ++v) {
        if (graph[v].gress != gress || placement_.stage_of(v) != s) continue;
        nodes.push_back(compile_node(v, s));
        for (const auto field : graph[v].writes) written.insert(field.id);
        for (const auto field : graph[v].match_reads) live.insert(field.id);
        for (const auto field : graph[v].action_reads) live.insert(field.id);
      }
    }
    lay_out(nodes, code);
    for (const auto& unit : program_.checksums()) {
      if (unit.gress != gress) continue;
      const bool updates = unit.operation == ChecksumUnit::Operation::update;
      (updates ? code.deparser_checksums : code.parser_checksums).push_back(compile(unit, program_, constant(1)));
      if (updates) written.insert(unit.result.id);
      for (const auto field : unit.fields) live.insert(field.id);
    }
    code.header_writes.resize(program_.headers().size());
    for (const auto id : written) {
      const auto& info = program_.fields()[id];
      if (info.kind == FieldKind::validity) code.changes_validity = true;
      if (info.kind == FieldKind::header) {
        code.header_writes[static_cast<std::size_t>(info.header)].push_back(
            {static_cast<std::uint16_t>(info.member), id});
      }
      code.changes_headers = code.changes_headers || info.kind == FieldKind::validity || info.kind == FieldKind::header;
    }
    live.insert(written.begin(), written.end());
    if (gress == Gress::ingress) {
      for (const auto& digest : program_.digests()) {
        for (const auto field : digest.fields) live.insert(field.id);
      }
    }
    compile_parser(gress, code, live);
    for (const auto& i : code.fused) {
      if (i.opcode == Opcode::probe) add_lookup(i.extra, i.a, written, code);
      if (i.opcode == Opcode::array) add_lookup(out_.arrays[i.extra].array, out_.arrays[i.extra].index, written, code);
    }
  }

  void add_lookup(std::uint32_t array, std::uint16_t index, const std::set<std::uint16_t>& written, GressCode& code) {
    const bool from_packet = index < program_.fields().size() && program_.fields()[index].kind == FieldKind::header;
    if (!from_packet || written.contains(index)) return;
    // Of an array that several actions may access, one does in a pass.
    const bool known = std::any_of(code.lookups.begin(), code.lookups.end(), [&](const auto& lookup) {
      return lookup.array == array && lookup.index_slot == index;
    });
    if (!known) code.lookups.push_back({array, index});
  }

  /// `live`: the fields that the gress reads or writes.
  void compile_parser(Gress gress, GressCode& code, std::set<std::uint16_t> live) {
    const auto& states = program_.parser(gress).states;
    const auto number_of = [&](const std::string& name) {
      if (name == kAccept) return ParseCode::kAcceptState;
      for (std::size_t i = 0; i < states.size(); ++i) {
        if (states[i].name == name) return static_cast<std::int32_t>(i);
      }
      return ParseCode::kRejectState;
    };
    for (const auto& state : states) {
      if (state.selector) live.insert(state.selector->id);
    }
    for (const auto& state : states) {
      const auto& header = program_.headers()[static_cast<std::size_t>(state.header)];
      ParseCode parse;
      parse.layout = header.layout;
      parse.header = static_cast<std::uint16_t>(state.header);
      parse.validity_slot = header.validity.id;
      for (std::size_t i = 0; i < header.layout->count; ++i) {
        const auto slot = header.members[i].id;
        // A program that changes which headers are valid writes all of them anew.
        if (!code.changes_validity && !live.contains(slot)) continue;
        parse.extracts.push_back(
            {.member = static_cast<std::uint16_t>(i), .slot = slot, .mask = mask_of(header.layout->fields[i].bits)});
      }
      if (state.selector) parse.selector = state.selector->id;
      for (const auto& c : state.cases) {
        const std::int32_t set = c.set ? static_cast<std::int32_t>(c.set->id) : -1;
        parse.cases.push_back({.value = c.value, .mask = c.mask, .next = number_of(c.state), .set = set});
        parse.has_sets = parse.has_sets || c.set;
      }
      parse.next = number_of(state.next);
      code.parser.push_back(std::move(parse));
    }
  }

  NodeCode compile_node(std::size_t v, int stage) {
    const auto& node = placement_.graph()[v];
    NodeCode out;
    out.node = v;
    out.stage = stage;
    for (const auto& [decision, branch] : node.path) {
      out.guards.push_back(branch ? yes_slot_[decision] : no_slot_[decision]);
    }
    if (node.control->table) {
      compile_table(v, *node.control->table, stage, out.body);
    } else {
      out.body.push_back(compile_gateway(v, *node.control->condition));
    }
    return out;
  }

  void lay_out(const std::vector<NodeCode>& nodes, GressCode& code) {
    std::vector<Guard> open;
    for (const auto& node : nodes) append(node, open, code.fused);
    code.fused.push_back({Opcode::done});
    auto node = nodes.begin();
    for (int s = 0; s < placement_.stages(); ++s) {
      code.stage_begins.push_back(static_cast<std::uint32_t>(code.stepped.size()));
      open.clear();
      for (; node != nodes.end() && node->stage == s; ++node) append(announced(*node), open, code.stepped);
      code.stepped.push_back({Opcode::done});
    }
  }

  /// The node's code behind an instruction that says which it is.
  static NodeCode announced(NodeCode node) {
    Instruction begins{Opcode::node};
    begins.extra = static_cast<std::uint32_t>(node.node);
    node.body.insert(node.body.begin(), begins);
    return node;
  }

  /// A guard that all code since `at` hangs on; the instruction there jumps over it.
  struct Guard {
    std::uint16_t slot;
    std::size_t at;
  };

  /// Appends a node behind a test of its innermost guard. Neighbours share the test of a guard that they both hang on:
  /// where an outer one does not hold, no inner one does, so that one jump passes over all of them.
  static void append(const NodeCode& node, std::vector<Guard>& open, std::vector<Instruction>& code) {
    const auto shared = [&](const Guard& guard) {
      return std::find(node.guards.begin(), node.guards.end(), guard.slot) != node.guards.end();
    };
    open.erase(std::find_if_not(open.begin(), open.end(), shared), open.end());
    const auto before = code.size();
    if (!node.guards.empty() && (open.empty() || open.back().slot != node.guards.back())) {
      const auto guard = node.guards.back();
      // A gateway whose own branch comes next jumps itself.
      const bool decided_here = !code.empty() && code.back().destination == guard &&
                                (code.back().opcode == Opcode::gateway || code.back().opcode == Opcode::compare);
      if (!decided_here) {
        Instruction skip{Opcode::skip_unless};
        skip.a = guard;
        code.push_back(skip);
      }
      code.insert(code.end(), node.body.begin(), node.body.end());
      for (const auto& outer : open) code[outer.at].extra += static_cast<std::uint32_t>(code.size() - before);
      open.push_back({guard, decided_here ? before - 1 : before});
      code[open.back().at].extra = static_cast<std::uint32_t>(node.body.size());
      return;
    }
    code.insert(code.end(), node.body.begin(), node.body.end());
    for (const auto& outer : open) code[outer.at].extra += static_cast<std::uint32_t>(code.size() - before);
  }

  Instruction compile_gateway(std::size_t v, const Condition& condition) {
    const auto terms = gateway_terms(condition, [this](std::uint64_t value) { return constant(value); });
    Instruction out{Opcode::gateway};
    out.destination = yes_slot_[v];
    const auto& term = terms.front();
    if (terms.size() == 1 && term.if_true == GatewayTerm::kThen) {
      out.opcode = Opcode::compare;
      out.a = term.left;
      out.b = term.right;
      out.outcomes = term.outcomes;
      out.mask = no_slot_[v];
      return out;
    }
    out.a = no_slot_[v];
    // The terms stand last to first; in the program's one array a gateway begins with its first.
    const auto base = static_cast<std::int32_t>(out_.gateway_terms.size());
    const auto last = static_cast<std::int32_t>(terms.size()) - 1;
    const auto place = [&](std::int32_t at) { return at < 0 ? at : base + last - at; };
    for (auto t = terms.rbegin(); t != terms.rend(); ++t) {
      out_.gateway_terms.push_back({.left = t->left,
                                    .right = t->right,
                                    .outcomes = t->outcomes,
                                    .if_true = place(t->if_true),
                                    .if_false = place(t->if_false)});
    }
    out.b = static_cast<std::uint16_t>(base);
    return out;
  }
  void compile_table(std::size_t v, const Table& table, int stage, std::vector<Instruction>& body) {
    const bool decides =
        !placement_.graph()[v].control->yes.nodes().empty() || !placement_.graph()[v].control->no.nodes().empty();
    if (table.keys.empty() && !decides) {
      if (table.miss_action) compile_action(*table.miss_action, &table.miss_values, stage, body);
      return;
    }
    TableCode code;
    code.table = table.id;
    code.hit_slot = yes_slot_[v];
    code.miss_slot = no_slot_[v];
    code.in_tcam = table.in_tcam();
    code.ages = table.ages;
    code.numbers_entries = table.ages || has_direct_memory(table);
    if (code.numbers_entries) code.entry_slot = hidden();
    entry_slot_ = code.entry_slot;
    for (const auto& key : table.keys) code.key_slots.push_back(key.field.id);
    for (const auto* action : table.all_actions()) code.actions.push_back(stored_action(*action, nullptr, stage));
    if (table.miss_action) code.miss = stored_action(*table.miss_action, &table.miss_values, stage);
    Instruction apply{Opcode::table};
    apply.extra = static_cast<std::uint32_t>(out_.tables.size());
    out_.tables.push_back(std::move(code));
    body.push_back(apply);
  }

  bool has_direct_memory(const Table& table) const {
    const auto is_of_table = [&](const auto& memory) { return memory.direct == &table; };
    return std::any_of(program_.meters().begin(), program_.meters().end(), is_of_table) ||
           std::any_of(program_.counters().begin(), program_.counters().end(), is_of_table);
  }

  ActionCode stored_action(const Action& action, const std::vector<std::uint64_t>* values, int stage) {
    std::vector<Instruction> body;
    compile_action(action, values, stage, body);
    const auto begin = static_cast<std::uint32_t>(out_.action_code.size());
    out_.action_code.insert(out_.action_code.end(), body.begin(), body.end());
    out_.action_code.push_back({Opcode::done});
    return {begin, values ? 0 : static_cast<std::uint32_t>(action.parameters.size())};
  }

  /// `values` are the action data where they are known already.
  void compile_action(const Action& action, const std::vector<std::uint64_t>* values, int stage,
                      std::vector<Instruction>& body) {
    // Values that an instruction overwrites while another one still has to read them are saved first.
    std::map<std::uint16_t, std::uint16_t> saved;
    const auto save = [&](const Operand& operand, std::size_t reader) {
      if (operand.source != Operand::Source::field) return;
      const auto id = operand.field().id;
      for (std::size_t i = 0; i < reader; ++i) {
        if (action.primitives[i].destination.id != id || saved.contains(id)) continue;
        saved[id] = hidden();
        Instruction copy{Opcode::set};
        copy.destination = saved[id];
        copy.a = id;
        copy.mask = kUnset;
        body.push_back(copy);
      }
    };
    for (std::size_t i = 0; i < action.primitives.size(); ++i) {
      save(action.primitives[i].first, i);
      save(action.primitives[i].second, i);
    }
    for (const auto& execution : action.executions) compile_execution(execution, values, stage, body);
    compile_memories(action, values, stage, body);
    std::vector<Instruction> primitives;
    for (std::size_t i = 0; i < action.primitives.size(); ++i) {
      const auto& primitive = action.primitives[i];
      const auto overwritten = [&](const Operand& operand) {
        return operand.source == Operand::Source::field &&
               std::any_of(action.primitives.begin(), action.primitives.begin() + static_cast<std::ptrdiff_t>(i),
                           [&](const Primitive& p) { return p.destination.id == operand.field().id; });
      };
      Instruction out{opcode_of(primitive.operation)};
      out.destination = primitive.destination.id;
      out.mask = mask_of(program_.info(primitive.destination).bits);
      const auto place = [&](const Operand& operand) {
        return overwritten(operand) ? saved.at(operand.field().id) : resolve(operand, values, body);
      };
      out.a = place(primitive.first);
      out.b = place(primitive.second);
      if (primitive.operation == VliwOperation::random) out.extra = ++draws_;
      if (primitive.operation == VliwOperation::invalidate) {
        out.a = constant(kUnset);
        out.mask = kUnset;
      }
      primitives.push_back(out);
    }
    body.insert(body.end(), primitives.begin(), primitives.end());
  }

  void compile_execution(const RegisterExecution& execution, const std::vector<std::uint64_t>* values, int stage,
                         std::vector<Instruction>& body) {
    ArrayCode code;
    code.alu = compile(*execution.action);
    code.action = execution.action;
    code.array = execution.action->array->id;
    code.stage = stage;
    code.index = resolve(execution.index, values, body);
    if (execution.output) {
      code.output = execution.output->id;
      code.output_mask = mask_of(program_.info(*execution.output).bits);
    } else {
      code.output = scratch();
    }
    if (code.alu.tag_probe) {
      Instruction probe{Opcode::probe};
      probe.destination = code.output;
      probe.a = code.index;
      probe.b = code.alu.input_slot[0];
      probe.mask = code.alu.input_slot[1];
      probe.extra = code.array;
      body.push_back(probe);
      return;
    }
    Instruction out{Opcode::array};
    out.extra = static_cast<std::uint32_t>(out_.arrays.size());
    out_.arrays.push_back(code);
    body.push_back(out);
  }

  /// The executions of meters and counters, at an index or at the entry that the table has hit.
  void compile_memories(const Action& action, const std::vector<std::uint64_t>* values, int stage,
                        std::vector<Instruction>& body) {
    const auto index_of = [&](const std::optional<Operand>& index) {
      return index ? resolve(*index, values, body) : entry_slot_;
    };
    for (const auto& execution : action.meters) {
      const auto before = execution.pre_colour ? execution.pre_colour->id : constant(0);
      Instruction out{Opcode::meter};
      const auto index = index_of(execution.index);
      out.extra = static_cast<std::uint32_t>(out_.meters.size());
      out_.meters.push_back({.meter = execution.meter->id,
                             .stage = stage,
                             .index = index,
                             .pre_colour = before,
                             .colour = execution.colour.id});
      body.push_back(out);
    }
    for (const auto& execution : action.counts) {
      Instruction out{Opcode::count};
      const auto index = index_of(execution.index);
      out.extra = static_cast<std::uint32_t>(out_.counters.size());
      out_.counters.push_back({.counter = execution.counter->id, .stage = stage, .index = index});
      body.push_back(out);
    }
  }

  /// A word that nobody reads, for outputs that nobody wants.
  std::uint16_t scratch() {
    if (scratch_ == 0) scratch_ = hidden();
    return scratch_;
  }

  /// The PHV word that holds an operand.
  std::uint16_t resolve(const Operand& operand, const std::vector<std::uint64_t>* values,
                        std::vector<Instruction>& body) {
    switch (operand.source) {
      case Operand::Source::field:
        return operand.field().id;
      case Operand::Source::constant:
        return constant(operand.value);
      case Operand::Source::action_data:
        return values ? constant((*values)[operand.value]) : static_cast<std::uint16_t>(out_.data_slot + operand.value);
      case Operand::Source::hash:
        break;
    }
    Instruction hash{Opcode::hash};
    hash.destination = hidden();
    hash.extra = static_cast<std::uint32_t>(operand.value);
    body.push_back(hash);
    return hash.destination;
  }

  const Placement& placement_;
  const Program& program_;
  ProgramCode out_;
  std::vector<std::uint16_t> yes_slot_, no_slot_;
  std::map<std::uint64_t, std::uint16_t> constants_;
  std::uint16_t scratch_ = 0;
  std::uint16_t entry_slot_ = 0;  // of the table whose actions are compiled
  std::uint32_t draws_ = 0;
};

}  // namespace

ProgramCode compile(const Placement& placement) {
  return Compiler(placement).run();
}

}  // namespace racksim::p4
