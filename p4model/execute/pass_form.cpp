// The fingerprint of a form. Each type is taken apart whole, so that a member that is added to one does not compile until
// it is thought of here. See pass_form.hpp.
#include "p4model/execute/pass_form.hpp"

#include <fmt/core.h>

#include <type_traits>

namespace racksim::p4 {

namespace {

class Fingerprint {
 public:
  std::uint64_t value() const { return value_; }

  template <class... Values>
  void add(const Values&... values) {
    (one(values), ...);
  }

 private:
  template <class Value>
  requires std::is_integral_v<Value> || std::is_enum_v<Value>
  void one(Value value) {
    value_ = (value_ ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
    value_ ^= value_ >> 29;
  }
  template <class Element>
  void one(const std::vector<Element>& elements) {
    one(elements.size());
    for (const auto& element : elements) one(element);
  }
  template <class Element, std::size_t size>
  void one(const std::array<Element, size>& elements) {
    for (const auto& element : elements) one(element);
  }
  void one(const Instruction& instruction) {
    const auto& [opcode, outcomes, destination, a, b, extra, mask] = instruction;
    add(opcode, outcomes, destination, a, b, extra, mask);
  }
  void one(const GatewayTerm& term) {
    const auto& [left, right, outcomes, if_true, if_false] = term;
    add(left, right, outcomes, if_true, if_false);
  }
  void one(const HashCode::Byte& byte) { add(byte.slot, byte.shift); }
  void one(const HashCode& hash) {
    const auto& [bytes, tables, mask] = hash;
    static_cast<void>(tables);  // what is computed is asked of them at run time
    add(bytes, mask);
  }
  void one(const AluCode::Word& word) { add(word.index, word.constant); }
  void one(const AluCode::Comparator& comparator) {
    const auto& [used, signed_difference, outcomes, left, right, offset] = comparator;
    add(used, signed_difference, outcomes, left, right, offset);
  }
  void one(const AluCode::Update& update) {
    const auto& [hi, operation, truth, first, second] = update;
    add(hi, operation, truth, first, second);
  }
  void one(const AluCode& alu) {
    const auto& [probe, tag_probe, bits, updates, output, output_truth, mask, slot, shift, comparators, update] = alu;
    add(probe, tag_probe, bits, updates, output, output_truth, mask, slot[0], slot[1], shift[0], shift[1]);
    add(comparators[0], comparators[1], update[0], update[1], update[2], update[3]);
  }
  void one(const ArrayCode& execution) {
    const auto& [alu, action, array, stage, index, output, output_mask] = execution;
    static_cast<void>(action), static_cast<void>(stage);  // for who watches
    add(alu, array, index, output, output_mask);
  }
  void one(const ActionCode& action) { add(action.begin, action.data_words); }
  void one(const TableCode& table) {
    const auto& [number, in_tcam, numbers, ages, keys, actions, miss, hit_slot, miss_slot, entry_slot] = table;
    add(number, in_tcam, numbers, ages, keys, actions, miss, hit_slot, miss_slot, entry_slot);
  }
  void one(const ParseCode::Extract& extract) { add(extract.member, extract.slot, extract.mask); }
  void one(const ParseCode::Case& c) { add(c.value, c.mask, c.next, c.set); }
  void one(const ParseCode& state) {
    const auto& [layout, header, validity_slot, extracts, selector, cases, has_sets, next] = state;
    static_cast<void>(layout);  // compared with the packet's at run time
    add(header, validity_slot, extracts, selector, cases, has_sets, next);
  }
  void one(const GressCode::HeaderWrite& write) { add(write.member, write.slot); }
  void one(const GressCode::Lookup& lookup) { add(lookup.array, lookup.index_slot); }
  void one(const GressCode& gress) {
    const auto& [fused, stepped, stage_begins, parser, writes, changes_headers, changes_validity, in, out, lookups] =
        gress;
    static_cast<void>(stepped), static_cast<void>(stage_begins);  // the same once more
    add(fused, parser, writes, changes_headers, changes_validity, in.size(), out.size(), lookups);
  }
  void one(const PassForm::Array& array) { add(array.bits, array.pair); }
  void one(const ExactTable::KeyPart& part) { add(part.word, part.shift, part.mask); }
  void one(const PassForm::Table& table) { add(table.key_words, table.parts); }
  void one(const PassForm::Header& header) { add(header.validity, header.members); }
  void one(const ProgramCode& code) {
    const auto& [gress, actions, terms, hashes, arrays, meters, counters, tables, data_slot, initial_phv] = code;
    add(gress, actions, terms, hashes, arrays, meters.size(), counters.size(), tables, data_slot, initial_phv.size());
    for (const auto value : initial_phv) add(is_folded_constant(value) ? value : std::uint64_t{2});
  }

  std::uint64_t value_ = 0x243F6A8885A308D3u;
};

}  // namespace

std::uint64_t fingerprint(const PassForm& form) {
  const auto& [code, arrays, tables, headers, words, selects, can_be_generated] = form;
  Fingerprint whole;
  whole.add(code, arrays, tables, headers, words, selects, can_be_generated);
  return whole.value();
}

std::string fingerprint_name(std::uint64_t fingerprint) {
  return fmt::format("{:016x}", fingerprint);
}

}  // namespace racksim::p4
