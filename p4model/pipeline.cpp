#include "p4model/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace racksim::p4 {

namespace {

std::vector<ExactTable> make_tables(const Program& program) {
  std::vector<ExactTable> tables;
  for (const auto& table : program.tables()) {
    std::vector<unsigned> bits;
    for (const auto key : table.keys) bits.push_back(program.info(key).bits);
    std::size_t words = 0;
    for (const auto* action : table.all_actions()) words = std::max(words, action->parameters.size());
    tables.emplace_back(table.name, bits, table.max_entries, words);
  }
  return tables;
}

}  // namespace

Pipeline::Pipeline(std::shared_ptr<const Program> program, const SwitchResources& resources)
    : program_(std::move(program)),
      placement_(*program_, resources),
      code_(compile(placement_)),
      registers_(program_->name(), program_->arrays()),
      tables_(make_tables(*program_)),
      table_counters_(tables_.size()) {
  for (const auto& table : program_->tables()) actions_.push_back(table.all_actions());
  if (code_.initial_phv.size() > Pass::kMaxWords) {
    throw ProgramError(fmt::format("program '{}' has {} fields and decisions, at most {} are possible",
                                   program_->name(), code_.initial_phv.size(), Pass::kMaxWords));
  }
  for (const auto& table : program_->tables()) {
    for (const auto& entry : table.entries) add_entry(table, entry.key, *entry.action, entry.values);
  }
}

bool Pipeline::egress_changes_headers() const {
  const auto& egress = code_.gress[1];
  return egress.changes_validity || !egress.header_writes.empty();
}

void Pipeline::start(Pass& pass, Packet& packet, Gress gress) {
  std::copy(code_.initial_phv.begin(), code_.initial_phv.end(), pass.phv_);
  pass.packet_ = &packet;
  pass.gress_ = gress;
  pass.rejected_ = false;
  pass.parsed_ = 0;
  parse(pass, code_.gress[static_cast<std::size_t>(gress)]);
}

void Pipeline::begin_ingress(Pass& pass, Packet& packet, const IngressMetadata& metadata) {
  ++counters_.ingress_passes;
  start(pass, packet, Gress::ingress);
  const auto& fields = program_->intrinsics();
  pass.phv_[fields.ingress_port.id] = metadata.port;
  pass.phv_[fields.resubmit_flag.id] = metadata.resubmitted;
  pass.phv_[fields.resubmit_data.id] = metadata.resubmit_data;
  pass.resubmitted_ = metadata.resubmitted;
  pass.may_resubmit_ = metadata.may_resubmit;
}

void Pipeline::begin_egress(Pass& pass, Packet& packet, const EgressMetadata& metadata) {
  ++counters_.egress_passes;
  start(pass, packet, Gress::egress);
  const auto& fields = program_->intrinsics();
  pass.phv_[fields.egress_port.id] = metadata.port;
  pass.phv_[fields.egress_rid.id] = metadata.rid;
  pass.phv_[fields.packet_length.id] = metadata.packet_length;
}

void Pipeline::parse(Pass& pass, const GressCode& code) {
  if (code.parser.empty()) return;
  auto state = std::int32_t{0};
  while (state >= 0) {
    const auto& parse = code.parser[static_cast<std::size_t>(state)];
    if (pass.parsed_ >= pass.packet_->header_count() || &pass.packet_->layout(pass.parsed_) != parse.layout) {
      state = ParseCode::kRejectState;
      break;
    }
    for (const auto& e : parse.extracts) pass.phv_[e.slot] = pass.packet_->word(pass.parsed_, e.member) & e.mask;
    pass.phv_[parse.validity_slot] = 1;
    pass.header_at_[pass.parsed_++] = static_cast<std::uint8_t>(parse.header);
    state = parse.next;
    if (parse.selector < 0) continue;
    const auto value = pass.phv_[parse.selector];
    for (const auto& [expected, next] : parse.cases) {
      if (expected == value) {
        state = next;
        break;
      }
    }
  }
  if (state == ParseCode::kRejectState) {
    ++counters_.parser_rejects;
    pass.rejected_ = true;
  }
  for (const auto& lookup : code.lookups) registers_.prefetch(lookup.array, pass.phv_[lookup.index_slot]);
}

void Pipeline::run_stage(Pass& pass, int stage) {
  if (pass.rejected_) return;
  const auto& code = code_.gress[static_cast<std::size_t>(pass.gress_)];
  const auto range = code.stages.at(static_cast<std::size_t>(stage));
  run(code.code.data() + range.begin, code.code.data() + range.end, pass, nullptr);
}

std::uint32_t Pipeline::hash(const HashCode& hash, const std::uint64_t* phv) const {
  auto crc = hash.tables.start();
  for (std::size_t i = 0; i < hash.bytes.size(); ++i) {
    crc ^= hash.tables.of(i, static_cast<std::uint8_t>(phv[hash.bytes[i].slot] >> hash.bytes[i].shift));
  }
  return crc & hash.mask;
}

void Pipeline::run_table(const TableCode& code, Pass& pass) {
  auto& counters = table_counters_[code.table];
  CodeRange range = code.miss;
  const std::uint64_t* data = nullptr;
  auto entry = ExactTable::kMiss;
  if (!code.key_slots.empty()) {
    const auto& table = tables_[code.table];
    ExactTable::Key key;
    for (std::size_t i = 0; i < table.words(); ++i) key[i] = 0;
    for (std::size_t i = 0; i < code.key_slots.size(); ++i) {
      const auto& part = table.parts()[i];
      key[part.word] |= pass.phv_[code.key_slots[i]] << part.shift;
    }
    entry = table.find(key);
    if (entry != ExactTable::kMiss) {
      range = code.actions[table.action(entry)];
      data = table.data(entry);
    }
  }
  const bool hit = entry != ExactTable::kMiss;
  ++(hit ? counters.hits : counters.misses);
  pass.phv_[code.hit_slot] = hit;
  pass.phv_[code.miss_slot] = !hit;
  run(code_.action_code.data() + range.begin, code_.action_code.data() + range.end, pass, data);
}

void Pipeline::run(const Instruction* at, const Instruction* end, Pass& pass, const std::uint64_t* data) {
  auto* const phv = pass.phv_;
  const std::uint64_t* const bases[] = {phv, code_.constants.data(), data};
  const auto value = [&](Base base, std::uint16_t place) { return bases[static_cast<std::size_t>(base)][place]; };
  for (; at != end; ++at) {
    const auto& i = *at;
    const auto a = [&] { return value(i.a_base, i.a); };
    const auto b = [&] { return value(i.b_base, i.b); };
    switch (i.opcode) {
      case Opcode::skip_unless:
        if (!phv[i.a]) at += i.extra;
        break;
      case Opcode::gateway: {
        const auto* const terms = code_.gateway_terms.data();
        auto next = static_cast<std::int32_t>(i.extra);
        while (next >= 0) {
          const auto& term = terms[next];
          const auto left = phv[term.left], right = value(term.right_base, term.right);
          const auto outcome = static_cast<unsigned>(left > right) * 2 + static_cast<unsigned>(left == right);
          next = term.outcomes >> outcome & 1u ? term.if_true : term.if_false;
        }
        phv[i.destination] = next == GatewayTerm::kThen;
        phv[i.a] = next == GatewayTerm::kElse;
        break;
      }
      case Opcode::compare: {
        const auto left = phv[i.a], right = b();
        const auto outcome = static_cast<unsigned>(left > right) * 2 + static_cast<unsigned>(left == right);
        phv[i.destination] = i.extra >> outcome & 1u;
        phv[i.mask] = ~(i.extra >> outcome) & 1u;
        break;
      }
      case Opcode::table:
        run_table(code_.tables[i.extra], pass);
        break;
      case Opcode::hash:
        phv[i.destination] = hash(code_.hashes[i.extra], phv);
        break;
      case Opcode::array: {
        const auto& code = code_.arrays[i.extra];
        const auto output = registers_.execute(code, value(code.index_base, code.index), phv, *pass.packet_);
        phv[code.output] = output & code.output_mask;
        break;
      }
      case Opcode::set:
        phv[i.destination] = a() & i.mask;
        break;
      case Opcode::add:
        phv[i.destination] = (a() + b()) & i.mask;
        break;
      case Opcode::sub:
        phv[i.destination] = (a() - b()) & i.mask;
        break;
      case Opcode::bit_and:
        phv[i.destination] = a() & b() & i.mask;
        break;
      case Opcode::bit_or:
        phv[i.destination] = (a() | b()) & i.mask;
        break;
      case Opcode::bit_xor:
        phv[i.destination] = (a() ^ b()) & i.mask;
        break;
      case Opcode::bit_not:
        phv[i.destination] = ~a() & i.mask;
        break;
      case Opcode::shift_left:
        phv[i.destination] = b() < 64 ? a() << b() & i.mask : 0;
        break;
      case Opcode::shift_right:
        phv[i.destination] = b() < 64 ? a() >> b() & i.mask : 0;
        break;
      case Opcode::min:
        phv[i.destination] = std::min(a(), b()) & i.mask;
        break;
      case Opcode::max:
        phv[i.destination] = std::max(a(), b()) & i.mask;
        break;
    }
  }
}

Verdict Pipeline::finish_ingress(Pass& pass) {
  Verdict verdict;
  const auto* phv = pass.phv_;
  const auto& fields = program_->intrinsics();
  if (pass.rejected_) {
    ++counters_.ingress_drops;
    return verdict;
  }
  if (phv[fields.resubmit.id] == 1) {
    if (pass.resubmitted_ || !pass.may_resubmit_) {
      ++counters_.refused_resubmits;
      ++counters_.ingress_drops;
      return verdict;
    }
    ++counters_.resubmits;
    verdict.resubmit = true;
    verdict.resubmit_data = phv[fields.resubmit_value.id];
    return verdict;
  }
  const auto output = [&](FieldRef field) {
    return phv[field.id] == kUnset ? Verdict::kNone : static_cast<std::int32_t>(phv[field.id]);
  };
  if (phv[fields.drop.id] != 1) {
    verdict.ucast_port = output(fields.ucast_egress_port);
    verdict.mcast_a = output(fields.mcast_grp_a);
    verdict.mcast_b = output(fields.mcast_grp_b);
    verdict.rid = static_cast<std::uint16_t>(std::max(0, output(fields.rid)));
    verdict.l2_exclusion = output(fields.l2_exclusion_id);
  }
  if (verdict.dropped()) {
    ++counters_.ingress_drops;
    return {};
  }
  deparse(pass);
  return verdict;
}

bool Pipeline::finish_egress(Pass& pass) {
  if (pass.rejected_ || pass.phv_[program_->intrinsics().drop.id] == 1) {
    ++counters_.egress_drops;
    return false;
  }
  deparse(pass);
  return true;
}

void Pipeline::deparse(Pass& pass) {
  const auto& code = code_.gress[static_cast<std::size_t>(pass.gress_)];
  if (code.changes_validity) {
    rebuild_headers(pass);
    return;
  }
  for (const auto& write : code.header_writes) {
    for (unsigned at = 0; at < pass.parsed_; ++at) {
      if (pass.header_at_[at] == write.header) pass.packet_->set_word(at, write.member, pass.phv_[write.slot]);
    }
  }
}

void Pipeline::rebuild_headers(Pass& pass) {
  // What the parser did not look at stays behind the headers that the program knows.
  auto& packet = *pass.packet_;
  std::array<const HeaderLayout*, Packet::kMaxHeaders> layouts{};
  std::array<std::array<std::uint64_t, HeaderLayout::kMaxFields>, Packet::kMaxHeaders> words;
  std::size_t behind = 0;
  for (std::size_t i = pass.parsed_; i < packet.header_count(); ++i, ++behind) {
    layouts[behind] = &packet.layout(i);
    packet.read_words(i, words[behind].data());
  }
  packet.truncate_headers(0);
  for (const auto& header : program_->headers()) {
    if (pass.phv_[header.validity.id]) packet.push_words(*header.layout, pass.phv_ + header.members.front().id);
  }
  for (std::size_t i = 0; i < behind; ++i) packet.push_words(*layouts[i], words[i].data());
}

std::uint32_t Pipeline::action_number(const Table& table, const Action& action, std::size_t values) const {
  const auto& all = actions_.at(table.id);
  const auto found = std::find(all.begin(), all.end(), &action);
  if (found == all.end()) {
    throw std::runtime_error(fmt::format("table '{}' has no action '{}'", table.name, action.name));
  }
  if (values != action.parameters.size()) {
    throw std::runtime_error(fmt::format("table '{}': action '{}' takes {} values, not {}", table.name, action.name,
                                         action.parameters.size(), values));
  }
  return static_cast<std::uint32_t>(found - all.begin());
}

void Pipeline::add_entry(const Table& table, std::span<const std::uint64_t> key, const Action& action,
                         std::span<const std::uint64_t> data) {
  auto& entries = tables_.at(table.id);
  entries.add(entries.pack(key), action_number(table, action, data.size()), data);
}

bool Pipeline::modify_entry(const Table& table, std::span<const std::uint64_t> key, const Action& action,
                            std::span<const std::uint64_t> data) {
  auto& entries = tables_.at(table.id);
  return entries.modify(entries.pack(key), action_number(table, action, data.size()), data);
}

bool Pipeline::remove_entry(const Table& table, std::span<const std::uint64_t> key) {
  auto& entries = tables_.at(table.id);
  return entries.remove(entries.pack(key));
}

}  // namespace racksim::p4
