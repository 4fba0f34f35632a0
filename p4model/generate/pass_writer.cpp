// See pass_writer.hpp.
#include "p4model/generate/pass_writer.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <vector>

#include "p4model/language/register_array.hpp"

namespace racksim::p4 {

namespace {

std::string number(std::uint64_t value) {
  return value < 10 ? fmt::format("{}u", value) : fmt::format("{:#x}u", value);
}

std::string_view name_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::set:
      return "set";
    case Opcode::add:
      return "add";
    case Opcode::sub:
      return "sub";
    case Opcode::bit_and:
      return "bit_and";
    case Opcode::bit_or:
      return "bit_or";
    case Opcode::bit_xor:
      return "bit_xor";
    case Opcode::bit_not:
      return "bit_not";
    case Opcode::shift_left:
      return "shift_left";
    case Opcode::shift_right:
      return "shift_right";
    case Opcode::min:
      return "min";
    case Opcode::max:
      return "max";
    default:
      throw std::logic_error(fmt::format("opcode {} is not generated", static_cast<int>(opcode)));
  }
}

/// The pass of one gress.
class PassWriter {
 public:
  PassWriter(const PassForm& form, Gress gress)
      : form_(form), code_(form.code), gress_(gress), gress_code_(code_.gress[static_cast<std::size_t>(gress)]) {
    find_written();
  }

  std::string function() {
    const bool ingress = gress_ == Gress::ingress;
    line("{} {}(Pipeline& pipeline, Packet& packet, [[maybe_unused]] const {}& metadata) {{",
         ingress ? "Verdict" : "bool", ingress ? "ingress" : "egress", ingress ? "IngressMetadata" : "EgressMetadata");
    line("[[maybe_unused]] PassState state(pipeline, packet);");
    line("state.begin_{}();", ingress ? "ingress" : "egress");
    line("[[maybe_unused]] const Word* const constants = state.constants();");
    for (const auto slot : written_) line("[[maybe_unused]] Word p{} = {};", slot, number(code_.initial_phv[slot]));
    line("[[maybe_unused]] std::size_t parsed = 0;");
    for (const auto& state : gress_code_.parser) line("[[maybe_unused]] std::size_t at{} = 0;", state.header);
    parser();
    for (const auto& lookup : gress_code_.lookups)
      line("state.prefetch({}, {});", lookup.array, word(lookup.index_slot));
    take(ingress ? std::vector{PassForm::ingress_port, PassForm::resubmit_flag, PassForm::resubmit_data}
                 : std::vector{PassForm::egress_port, PassForm::egress_rid, PassForm::packet_length},
         ingress ? std::vector{"port", "resubmitted", "resubmit_data"} : std::vector{"port", "rid", "packet_length"});
    stages();
    if (ingress) {
      verdict();
    } else {
      line("if ({} == 1) return state.dropped_egress();", output(PassForm::drop));
    }
    deparser();
    line("return {};", ingress ? "verdict" : "true");
    line("}}\n");
    return std::move(text_);
  }

  /// The register actions as constants, before the functions that use them.
  static std::string constants(const ProgramCode& code) {
    std::string text;
    for (std::size_t i = 0; i < code.arrays.size(); ++i) text += constant(i, code.arrays[i].alu);
    return text;
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...) + '\n';
  }

  // ---- a register action: members that are left out are what they are by default

  static std::string constant(std::size_t number_of_execution, const AluCode& alu) {
    const auto word = [](const AluCode::Word& w) {
      return w.constant == 0 ? fmt::format("{{{}}}", w.index) : fmt::format("{{{}, {}}}", w.index, number(w.constant));
    };
    const auto comparator = [&](const AluCode::Comparator& c) {
      if (!c.used) return std::string("{}");
      return fmt::format("{{true, {}, {}, {}, {}, {}}}", c.signed_difference, c.outcomes, word(c.left), word(c.right),
                         c.offset);
    };
    std::string updates;
    for (unsigned i = 0; i < alu.updates; ++i) {
      const auto& u = alu.update[i];
      updates += fmt::format("{{{}, AluOperation{{{}}}, {}, {}, {}}}, ", u.hi, static_cast<int>(u.operation), u.truth,
                             word(u.first), word(u.second));
    }
    return fmt::format(
        "constexpr AluCode kAlu{} = {{{}, {}, {}, {}, AluOutput{{{}}}, {}, {}, {{}}, {{{}, {}}}, {{{}, {}}}, "
        "{{{}}}}};\n",
        number_of_execution, alu.probe, alu.tag_probe, alu.bits, alu.updates, static_cast<int>(alu.output),
        alu.output_truth, number(alu.mask), alu.input_shift[0], alu.input_shift[1], comparator(alu.comparators[0]),
        comparator(alu.comparators[1]), updates);
  }

  // ---- which words change: all others are constants

  void find_written() {
    for (const auto& i : gress_code_.fused) note(i);
    for (const auto& state : gress_code_.parser) {
      written_.insert(state.validity_slot);
      for (const auto& extract : state.extracts) written_.insert(extract.slot);
    }
    for (auto w = gress_ == Gress::ingress ? PassForm::ingress_port : PassForm::egress_port;
         w <= (gress_ == Gress::ingress ? PassForm::resubmit_data : PassForm::packet_length);
         w = static_cast<PassForm::Word>(w + 1)) {
      written_.insert(form_.words[w]);
    }
  }
  void note(const Instruction& i) {
    switch (i.opcode) {
      case Opcode::done:
      case Opcode::node:
      case Opcode::skip_unless:
        return;
      case Opcode::gateway:
        written_.insert(i.a);
        break;
      case Opcode::compare:
        written_.insert(static_cast<std::uint16_t>(i.mask));
        break;
      case Opcode::array:
        written_.insert(code_.arrays[i.extra].output);
        return;
      case Opcode::table: {
        const auto& table = code_.tables[i.extra];
        written_.insert({table.hit_slot, table.miss_slot});
        for (const auto& action : table.actions) {
          for (std::uint32_t w = 0; w < action.data_words; ++w) written_.insert(data_slot(w));
          note_action(action);
        }
        note_action(table.miss);
        return;
      }
      default:
        break;
    }
    written_.insert(i.destination);
  }
  void note_action(const ActionCode& action) {
    for (auto at = action.begin; code_.action_code[at].opcode != Opcode::done; ++at) note(code_.action_code[at]);
  }

  std::uint16_t data_slot(std::uint32_t word) const { return static_cast<std::uint16_t>(code_.data_slot + word); }
  std::string word(std::uint16_t slot) const {
    if (written_.contains(slot)) return fmt::format("p{}", slot);
    const auto value = code_.initial_phv[slot];
    return is_folded_constant(value) ? number(value) : fmt::format("constants[{}]", slot);
  }
  std::string output(PassForm::Word which) const { return word(form_.words[which]); }
  std::string comparison(std::uint8_t outcomes, std::uint16_t left, std::uint16_t right) const {
    return fmt::format("compares({}, {}, {})", outcomes, word(left), word(right));
  }
  static std::string masked(std::string expression, std::uint64_t mask) {
    return mask == kUnset ? expression : fmt::format("{} & {}", std::move(expression), number(mask));
  }

  // ---- the parser: its states are labels

  std::string gress_name() const { return gress_ == Gress::ingress ? "Gress::ingress" : "Gress::egress"; }
  static std::string go_to(std::int32_t state) {
    if (state == ParseCode::kAcceptState) return "goto accept;";
    return state == ParseCode::kRejectState ? "goto reject;" : fmt::format("goto state_{};", state);
  }
  void parser() {
    line("{}", gress_code_.parser.empty() ? "goto accept;" : "goto state_0;");
    for (std::size_t n = 0; n < gress_code_.parser.size(); ++n) parser_state(n, gress_code_.parser[n]);
    line("[[maybe_unused]] reject:");
    line("return state.rejected{}();", gress_ == Gress::ingress ? "" : "_egress");
    line("accept:");
  }
  void parser_state(std::size_t n, const ParseCode& state) {
    line("[[maybe_unused]] state_{}:", n);
    line("if (!state.is_at(parsed, {}, {})) goto reject;", gress_name(), n);
    if (!state.extracts.empty()) {
      line("{{\nconst auto words = packet.words(parsed);");
      for (const auto& extract : state.extracts) {
        line("p{} = words.get({}) & {};", extract.slot, extract.member, number(extract.mask));
      }
      line("}}");
    }
    line("p{} = 1;\nat{} = parsed++;", state.validity_slot, state.header);
    if (state.selector >= 0) select(n, state, word(static_cast<std::uint16_t>(state.selector)));
    line("{}", go_to(state.next));
  }
  void select(std::size_t n, const ParseCode& state, const std::string& selector) {
    if (!state.has_sets) {
      for (const auto& c : state.cases)
        line("if (({} & {}) == {}) {}", selector, number(c.mask), number(c.value), go_to(c.next));
      return;
    }
    std::set<std::int32_t> nexts;
    for (const auto& c : state.cases) nexts.insert(c.next);
    line("switch (state.choose({}, {}, {})) {{", gress_name(), n, selector);
    for (const auto next : nexts) line("case {}: {}", next, go_to(next));
    line("default: break;\n}}");
  }
  void take(const std::vector<PassForm::Word>& words, const std::vector<const char*>& members) {
    for (std::size_t i = 0; i < words.size(); ++i) line("p{} = metadata.{};", form_.words[words[i]], members[i]);
  }

  // ---- the stages: what hangs on a guard is a block

  void stages() {
    std::vector<std::size_t> ends;  // of open blocks, innermost last
    const auto& fused = gress_code_.fused;
    for (std::size_t at = 0;; ++at) {
      while (!ends.empty() && ends.back() == at) {
        line("}}");
        ends.pop_back();
      }
      const auto& i = fused[at];
      if (i.opcode == Opcode::done) break;
      if (i.opcode != Opcode::skip_unless && i.opcode != Opcode::gateway && i.opcode != Opcode::compare) {
        instruction(i);
        continue;
      }
      line("if ({}) {{", i.opcode == Opcode::skip_unless ? word(i.a) : decision(i));
      ends.push_back(at + 1 + i.extra);
      if (ends.size() > 1 && ends.back() > *(ends.end() - 2))
        throw std::logic_error("a guard outlasts the one around it");
    }
    if (!ends.empty()) throw std::logic_error("a guard outlasts its gress");
  }
  /// Writes what a gateway decides and names the word that says whether it holds.
  std::string decision(const Instruction& i) {
    const bool compare = i.opcode == Opcode::compare;
    line("p{} = {};", i.destination,
         compare ? comparison(i.outcomes, i.a, i.b) : terms_from(static_cast<std::int32_t>(i.b)));
    line("p{} = !p{};", compare ? static_cast<std::uint16_t>(i.mask) : i.a, i.destination);
    return fmt::format("p{}", i.destination);
  }
  std::string terms_from(std::int32_t at) const {
    if (at < 0) return at == GatewayTerm::kThen ? "true" : "false";
    const auto& term = code_.gateway_terms[static_cast<std::size_t>(at)];
    return fmt::format("({} ? {} : {})", comparison(term.outcomes, term.left, term.right), terms_from(term.if_true),
                       terms_from(term.if_false));
  }

  void instruction(const Instruction& i) {
    switch (i.opcode) {
      case Opcode::table:
        lookup(code_.tables[i.extra]);
        return;
      case Opcode::hash:
        hash(i);
        return;
      case Opcode::array:
        execution(i.extra);
        return;
      case Opcode::probe:
        line("p{} = state.probe({}, {}, {}, {});", i.destination, i.extra, word(i.a), word(i.b),
             word(static_cast<std::uint16_t>(i.mask)));
        return;
      default:
        line("p{} = {};", i.destination,
             masked(fmt::format("computed<Opcode::{}>({}, {})", name_of(i.opcode), word(i.a), word(i.b)), i.mask));
    }
  }
  void hash(const Instruction& i) {
    const auto& code = code_.hashes[i.extra];
    line("{{\nconst auto& crc = state.hash({});\np{} = (crc.start()", i.extra, i.destination);
    for (std::size_t k = 0; k < code.bytes.size(); ++k) {
      line("^ crc.of({}, static_cast<std::uint8_t>({} >> {}))", k, word(code.bytes[k].slot), code.bytes[k].shift);
    }
    line(") & {};\n}}", number(code.mask));
  }
  void execution(std::uint32_t n) {
    const auto& code = code_.arrays[n];
    const auto& array = form_.arrays[code.array];
    const auto bytes = array.bits <= 8 ? 8 : array.bits <= 16 ? 16 : 32;
    line("p{} = {};", code.output,
         masked(fmt::format("state.execute<std::uint{}_t, {}>(kAlu{}, {}, {}, {}, {}, {})", bytes, array.pair, n, n,
                            code.array, word(code.index), word(code.alu.input_slot[0]), word(code.alu.input_slot[1])),
                code.output_mask));
  }

  void lookup(const TableCode& table) {
    if (!table.in_tcam && table.key_slots.empty()) {
      miss(table);
      return;
    }
    line("{{");
    if (table.in_tcam) {
      line("const auto& table = state.ternary({});\nconst Word key[] = {{", table.table);
      for (const auto slot : table.key_slots) line("{},", word(slot));
      line("}};");
    } else {
      const auto& parts = form_.tables[table.table].parts;
      const bool one_word = form_.tables[table.table].key_words == 1;
      line("const auto& table = state.exact({});", table.table);
      line("{}", one_word ? "Word key = 0;" : "ExactTable::Key key{};");
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const auto place = one_word ? std::string("key") : fmt::format("key[{}]", parts[k].word);
        line("{} |= {} << {};", place, word(table.key_slots[k]), parts[k].shift);
      }
    }
    line("const auto entry = table.find(key);\nif (entry < 0) {{");
    miss(table);
    line("}} else {{\np{} = 1;\np{} = 0;\nstate.hit({});", table.hit_slot, table.miss_slot, table.table);
    line("[[maybe_unused]] const auto* data = table.data(entry);\nswitch (table.action(entry)) {{");
    for (std::size_t a = 0; a < table.actions.size(); ++a) {
      line("case {}:", a);
      for (std::uint32_t w = 0; w < table.actions[a].data_words; ++w) line("p{} = data[{}];", data_slot(w), w);
      action(table.actions[a]);
      line("break;");
    }
    line("default: break;\n}}\n}}\n}}");
  }
  void miss(const TableCode& table) {
    line("p{} = 0;\np{} = 1;\nstate.miss({});", table.hit_slot, table.miss_slot, table.table);
    action(table.miss);
  }
  void action(const ActionCode& action) {
    for (auto at = action.begin; code_.action_code[at].opcode != Opcode::done; ++at) instruction(code_.action_code[at]);
  }

  // ---- the end

  void verdict() {
    line("PassOutputs outputs;");
    const std::vector<std::pair<const char*, PassForm::Word>> members{
        {"drop", PassForm::drop},
        {"resubmit", PassForm::resubmit},
        {"resubmit_value", PassForm::resubmit_value},
        {"ucast_egress_port", PassForm::ucast_egress_port},
        {"mcast_grp_a", PassForm::mcast_grp_a},
        {"mcast_grp_b", PassForm::mcast_grp_b},
        {"rid", PassForm::rid},
        {"l2_exclusion_id", PassForm::l2_exclusion_id},
        {"l1_exclusion_id", PassForm::l1_exclusion_id},
        {"level1_hash", PassForm::level1_hash},
        {"level2_hash", PassForm::level2_hash}};
    for (const auto& [member, which] : members) {
      if (which >= PassForm::l1_exclusion_id && !form_.selects) break;
      line("outputs.{} = {};", member, output(which));
    }
    line("const Verdict verdict = state.verdict(outputs, metadata);");
    line("if (verdict.resubmit || verdict.dropped()) return verdict;");
  }

  void deparser() {
    if (gress_code_.changes_validity) {
      line("HeaderRebuild rebuild(packet, parsed);");
      for (std::size_t h = 0; h < form_.headers.size(); ++h) {
        line("if ({}) {{\nconst Word words[] = {{", word(form_.headers[h].validity));
        for (const auto member : form_.headers[h].members) line("{},", word(member));
        line("}};\nrebuild.push(state.layout({}), words);\n}}", h);
      }
      line("rebuild.finish();");
      return;
    }
    if (!gress_code_.changes_headers) return;
    for (const auto& state : gress_code_.parser) {
      const auto& writes = gress_code_.header_writes[state.header];
      if (writes.empty() || !deparsed_.insert(state.header).second) continue;
      line("if (p{}) {{\nconst auto words = packet.words(at{});", state.validity_slot, state.header);
      for (const auto& write : writes) line("words.set({}, {});", write.member, word(write.slot));
      line("}}");
    }
  }

  const PassForm& form_;
  const ProgramCode& code_;
  Gress gress_;
  const GressCode& gress_code_;
  std::set<std::uint16_t> written_;
  std::set<std::uint16_t> deparsed_;
  std::string text_;
};

}  // namespace

std::string passes_as_source(const PassForm& form, const std::string& program) {
  if (!form.can_be_generated) throw std::logic_error(fmt::format("the passes of {} cannot be generated", program));
  const bool has_egress = !form.code.gress[1].idle();
  std::string text = fmt::format(
      "// Passes of {}, written by p4model/generate when racksim was built.\n"
      "#include \"p4model/execute/generated_pass.hpp\"\n\nnamespace racksim::p4 {{\nnamespace {{\n\n"
      "using Word = std::uint64_t;\n\n",
      program);
  text += PassWriter::constants(form.code) + '\n' + PassWriter(form, Gress::ingress).function();
  if (has_egress) text += PassWriter(form, Gress::egress).function();
  text += fmt::format(
      "const sim::Registration<GeneratedPasses> registration({{\"{}\", {{ingress, {}}}}});\n\n}}  // namespace\n}}  // "
      "namespace racksim::p4\n",
      fingerprint_name(fingerprint(form)), has_egress ? "egress" : "nullptr");
  return text;
}

}  // namespace racksim::p4
