#include "p4model/execute/pipeline.hpp"

#include <algorithm>

#include "p4model/execute/pass_outputs.hpp"
#include "p4model/fit/dependency_graph.hpp"

namespace racksim::p4 {

namespace {

/// An instant as a time stamp of so many bits.
std::uint64_t stamp(sim::Time at, unsigned bits) {
  return static_cast<std::uint64_t>(at.ps() / 1000) & mask_of(bits);
}

}  // namespace

Pipeline::Pipeline(std::shared_ptr<const LoadedProgram> program)
    : loaded_(std::move(program)),
      program_(*loaded_->program),
      code_(loaded_->code),
      uses_(loaded_->uses),
      generated_(loaded_->generated),
      registers_(program_.name(), program_.arrays()),
      tables_(loaded_->tables),
      ternary_(loaded_->ternary),
      table_counters_(tables_.size()),
      value_sets_(program_.value_sets().size()) {
  const auto entries = [](const auto& memory) { return memory.direct ? memory.direct->max_entries : memory.size; };
  for (const auto& meter : program_.meters()) meter_memories_.emplace_back(meter.name, entries(meter));
  for (const auto& counter : program_.counters()) {
    counter_memories_.emplace_back(counter.name, counter.unit, entries(counter));
  }
  for (const auto& table : program_.tables()) {
    hit_.emplace_back(table.ages ? table.max_entries : 0);
    if (table.ages) std::fill_n(hit_.back().begin(), table.entries.size(), true);  // numbered as they were added
  }
}

bool Pipeline::egress_changes_headers() const {
  return code_.gress[1].changes_headers;
}

bool Pipeline::egress_uses_registers() const {
  const auto& graph = placement().graph();
  const auto nodes = boost::make_iterator_range(boost::vertices(graph));
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const auto node) { return graph[node].gress == Gress::egress && uses_state(graph[node]); });
}

inline void Pipeline::parse(Pass& pass, const GressCode& code) {
  if (code.parser.empty()) return;
  Packet& packet = *pass.packet_;
  auto* const phv = pass.phv_;
  const auto* const states = code.parser.data();
  const std::size_t headers = packet.header_count();
  std::size_t parsed = 0;
  std::int32_t state = 0;
  do {
    const ParseCode& parse = states[state];
    if (parsed == headers || &packet.layout(parsed) != parse.layout) {
      state = ParseCode::kRejectState;
      break;
    }
    const auto words = packet.words(parsed);
    for (const auto& e : parse.extracts) phv[e.slot] = words.get(e.member) & e.mask;
    phv[parse.validity_slot] = 1;
    pass.header_at_[parsed++] = static_cast<std::uint8_t>(parse.header);
    state = parse.next;
    if (parse.selector < 0) continue;
    const auto value = phv[parse.selector];
    if (parse.has_sets) [[unlikely]] {
      state = choose(parse, value);
      continue;
    }
    for (const auto& c : parse.cases) {
      if ((value & c.mask) == c.value) {
        state = c.next;
        break;
      }
    }
  } while (state >= 0);
  pass.parsed_ = static_cast<std::uint8_t>(parsed);
  if (state == ParseCode::kRejectState) {
    ++counters_.parser_rejects;
    pass.rejected_ = true;
  }
  for (const auto& lookup : code.lookups) registers_.prefetch(lookup.array, phv[lookup.index_slot]);
}

inline void Pipeline::start(Pass& pass, Packet& packet, Gress gress) {
  std::copy(code_.initial_phv.begin(), code_.initial_phv.end(), pass.phv_);
  pass.packet_ = &packet;
  pass.gress_ = gress;
  pass.rejected_ = false;
  pass.parsed_ = 0;
  const auto& code = code_.gress[static_cast<std::size_t>(gress)];
  parse(pass, code);
  if (!code.parser_checksums.empty()) [[unlikely]]
    run_checksums(code.parser_checksums, pass);
}

void Pipeline::begin_ingress(Pass& pass, Packet& packet, const IngressMetadata& metadata) {
  ++counters_.ingress_passes;
  start(pass, packet, Gress::ingress);
  const auto& fields = program_.intrinsics();
  pass.phv_[fields.ingress_port.id] = metadata.port;
  pass.phv_[fields.resubmit_flag.id] = metadata.resubmitted;
  pass.phv_[fields.resubmit_data.id] = metadata.resubmit_data;
  pass.resubmitted_ = metadata.resubmitted;
  pass.may_resubmit_ = metadata.may_resubmit;
  pass.begin_ = metadata.begin;
  pass.place_ = metadata.port;
  if (uses_.clock) [[unlikely]] {
    const auto& clock = *program_.clock_fields();
    pass.phv_[clock.arrived.id] = stamp(metadata.arrived, 48);
    pass.phv_[clock.ingress_began.id] = stamp(metadata.begin, 48);
  }
}

void Pipeline::begin_egress(Pass& pass, Packet& packet, const EgressMetadata& metadata) {
  ++counters_.egress_passes;
  start(pass, packet, Gress::egress);
  const auto& fields = program_.intrinsics();
  pass.phv_[fields.egress_port.id] = metadata.port;
  pass.phv_[fields.egress_rid.id] = metadata.rid;
  pass.phv_[fields.packet_length.id] = metadata.packet_length;
  pass.begin_ = metadata.begin;
  pass.place_ = std::uint32_t{metadata.rid} << 16 | metadata.port;
  if (const auto& mirror = program_.mirror_fields()) {
    pass.phv_[mirror->kind.id] = static_cast<std::uint64_t>(packet.mirror_kind);
    for (std::size_t i = 0; i < kMirrorWords; ++i) {
      pass.phv_[mirror->data[i].id] = packet.mirror_kind == MirrorKind::none ? 0 : packet.mirror_values[i];
    }
  }
  if (uses_.clock) [[unlikely]] {
    const auto& clock = *program_.clock_fields();
    pass.phv_[clock.enqueued.id] = stamp(packet.enqueued, 18);
    pass.phv_[clock.waited.id] = stamp(sim::Time{} + (metadata.begin - packet.enqueued), 18);
    pass.phv_[clock.queue_cells.id] = packet.queue_cells & mask_of(19);
    pass.phv_[clock.egress_began.id] = stamp(metadata.begin, 48);
  }
}

void Pipeline::run_stage(Pass& pass, int stage) {
  if (pass.rejected_) return;
  const auto& code = code_.gress[static_cast<std::size_t>(pass.gress_)];
  run<Witness::nobody>(code.stepped.data() + code.stage_begins.at(static_cast<std::size_t>(stage)), pass);
}

std::uint32_t Pipeline::hash(const HashCode& hash, const std::uint64_t* phv) const {
  auto crc = hash.tables.start();
  for (std::size_t i = 0; i < hash.bytes.size(); ++i) {
    crc ^= hash.tables.of(i, static_cast<std::uint8_t>(phv[hash.bytes[i].slot] >> hash.bytes[i].shift));
  }
  return crc & hash.mask;
}

inline const Instruction* Pipeline::note_miss(const TableCode& code, std::uint64_t* phv) {
  phv[code.hit_slot] = 0;
  phv[code.miss_slot] = 1;
  ++table_counters_[code.table].misses;
  return code_.action_code.data() + code.miss.begin;
}

inline void Pipeline::note_hit(const TableCode& code, std::uint64_t* phv) {
  phv[code.hit_slot] = 1;
  phv[code.miss_slot] = 0;
  ++table_counters_[code.table].hits;
}

void Pipeline::note_entry(const TableCode& code, std::int32_t entry, std::uint64_t* phv) {
  phv[code.entry_slot] = static_cast<std::uint64_t>(entry);
  if (code.ages) hit_[code.table][static_cast<std::size_t>(entry)] = true;
}

inline const Instruction* Pipeline::run_entry(const TableCode& code, std::uint32_t action_number,
                                              const std::uint64_t* data, std::uint64_t* phv) const {
  const auto& action = code.actions[action_number];
  for (std::uint32_t i = 0; i < action.data_words; ++i) phv[code_.data_slot + i] = data[i];
  return code_.action_code.data() + action.begin;
}

std::int32_t Pipeline::find_entry(const TableCode& code, const std::uint64_t* phv) const {
  if (code.key_slots.empty()) return ExactTable::kMiss;
  const auto& table = tables_[code.table];
  const auto* part = table.parts().data();
  if (table.words() == 1) {
    std::uint64_t key = 0;
    for (const auto slot : code.key_slots) key |= phv[slot] << part++->shift;
    return table.find(key);
  }
  ExactTable::Key key{};
  for (const auto slot : code.key_slots) {
    key[part->word] |= phv[slot] << part->shift;
    ++part;
  }
  return table.find(key);
}

inline const Instruction* Pipeline::look_up(const TableCode& code, std::uint64_t* phv) {
  if (code.in_tcam) [[unlikely]]
    return look_up_in_tcam(code, phv);
  const auto entry = find_entry(code, phv);
  if (entry == ExactTable::kMiss) return note_miss(code, phv);
  note_hit(code, phv);
  if (code.numbers_entries) [[unlikely]]
    note_entry(code, entry, phv);
  const auto& table = tables_[code.table];
  return run_entry(code, table.action(entry), table.data(entry), phv);
}

const Instruction* Pipeline::look_up_in_tcam(const TableCode& code, std::uint64_t* phv) {
  std::array<std::uint64_t, kMaxTernaryKeys> values{};
  for (std::size_t i = 0; i < code.key_slots.size(); ++i) values[i] = phv[code.key_slots[i]];
  const auto& table = *ternary_[code.table];
  const auto entry = table.find(values.data());
  if (entry == TernaryTable::kMiss) return note_miss(code, phv);
  note_hit(code, phv);
  if (code.numbers_entries) note_entry(code, entry, phv);
  return run_entry(code, table.action(entry), table.data(entry), phv);
}

template <Pipeline::Witness witness>
void Pipeline::run(const Instruction* at, Pass& pass, [[maybe_unused]] PassNotes* notes) {
  auto* const phv = pass.phv_;
  const Instruction* behind_table = nullptr;  // where to go on after an action
  for (;;) {
    const auto& i = *at++;
    switch (i.opcode) {
      case Opcode::done:
        if (!behind_table) return;
        at = behind_table;
        behind_table = nullptr;
        break;
      case Opcode::node:
        if constexpr (witness == Witness::watcher) watcher_->node_begins(placement().graph()[i.extra]);
        break;
      case Opcode::skip_unless:
        if (!phv[i.a]) at += i.extra;
        break;
      case Opcode::gateway: {
        const auto* const terms = code_.gateway_terms.data();
        auto next = static_cast<std::int32_t>(i.b);
        while (next >= 0) {
          const auto& term = terms[next];
          next = compares(term.outcomes, phv[term.left], phv[term.right]) ? term.if_true : term.if_false;
        }
        const bool holds = next == GatewayTerm::kThen;
        phv[i.destination] = holds;
        phv[i.a] = !holds;
        if constexpr (witness == Witness::watcher) watcher_->decided(holds);
        if (!holds) at += i.extra;
        break;
      }
      case Opcode::compare: {
        const bool holds = compares(i.outcomes, phv[i.a], phv[i.b]);
        phv[i.destination] = holds;
        phv[i.mask] = !holds;
        if constexpr (witness == Witness::watcher) watcher_->decided(holds);
        if (!holds) at += i.extra;
        break;
      }
      case Opcode::table:
        behind_table = at;
        if constexpr (witness == Witness::watcher) tell_lookup(code_.tables[i.extra], phv);
        if constexpr (witness == Witness::notes) {
          // The words for the outcome may be shared when nothing asks for it.
          const auto table = code_.tables[i.extra].table;
          const auto hits = table_counters_[table].hits;
          at = look_up(code_.tables[i.extra], phv);
          notes->add_lookup(table, table_counters_[table].hits != hits);
        } else {
          at = look_up(code_.tables[i.extra], phv);
        }
        break;
      case Opcode::probe:
        if constexpr (witness == Witness::notes) notes->add_register(i.extra, phv[i.a]);
        if constexpr (witness == Witness::watcher) tell_probe(i, phv);
        phv[i.destination] = registers_.is_pair(i.extra, phv[i.a], phv[i.b], phv[i.mask]);
        break;
      case Opcode::hash:
        phv[i.destination] = hash(code_.hashes[i.extra], phv);
        break;
      case Opcode::array: {
        const auto& code = code_.arrays[i.extra];
        if constexpr (witness == Witness::notes) notes->add_register(code.array, phv[code.index]);
        const auto index = phv[code.index];
        [[maybe_unused]] std::uint64_t before = 0;
        if constexpr (witness == Witness::watcher) before = registers_.read(code.array, index);
        const auto output =
            registers_.execute(code, index, phv[code.alu.input_slot[0]], phv[code.alu.input_slot[1]], *pass.packet_);
        phv[code.output] = output & code.output_mask;
        if constexpr (witness == Witness::watcher) tell_register(code, index, before, output & code.output_mask);
        break;
      }
      case Opcode::set:
        phv[i.destination] = computed<Opcode::set>(phv[i.a], phv[i.b]) & i.mask;
        break;
      case Opcode::add:
        phv[i.destination] = computed<Opcode::add>(phv[i.a], phv[i.b]) & i.mask;
        break;
      case Opcode::sub:
        phv[i.destination] = computed<Opcode::sub>(phv[i.a], phv[i.b]) & i.mask;
        break;
      case Opcode::bit_and:
        phv[i.destination] = computed<Opcode::bit_and>(phv[i.a], phv[i.b]) & i.mask;
        break;
      case Opcode::bit_or:
        phv[i.destination] = computed<Opcode::bit_or>(phv[i.a], phv[i.b]) & i.mask;
        break;
      case Opcode::bit_xor:
        phv[i.destination] = computed<Opcode::bit_xor>(phv[i.a], phv[i.b]) & i.mask;
        break;
      case Opcode::bit_not:
        phv[i.destination] = computed<Opcode::bit_not>(phv[i.a], phv[i.b]) & i.mask;
        break;
      case Opcode::shift_left:
        phv[i.destination] = computed<Opcode::shift_left>(phv[i.a], phv[i.b]) & i.mask;
        break;
      case Opcode::shift_right:
        phv[i.destination] = computed<Opcode::shift_right>(phv[i.a], phv[i.b]) & i.mask;
        break;
      case Opcode::min:
        phv[i.destination] = computed<Opcode::min>(phv[i.a], phv[i.b]) & i.mask;
        break;
      case Opcode::max:
        phv[i.destination] = computed<Opcode::max>(phv[i.a], phv[i.b]) & i.mask;
        break;
      case Opcode::random:
        phv[i.destination] = draw(pass, i.extra) & i.mask;
        break;
      case Opcode::meter:
        run_meter(code_.meters[i.extra], pass);
        break;
      case Opcode::count:
        run_counter(code_.counters[i.extra], pass);
        break;
    }
  }
}

inline void Pipeline::deparse(Pass& pass) {
  const auto& code = code_.gress[static_cast<std::size_t>(pass.gress_)];
  if (!code.deparser_checksums.empty()) [[unlikely]]
    run_checksums(code.deparser_checksums, pass);
  if (code.changes_validity) {
    rebuild_headers(pass);
    return;
  }
  if (!code.changes_headers) return;
  for (unsigned at = 0; at < pass.parsed_; ++at) {
    const auto words = pass.packet_->words(at);
    for (const auto& write : code.header_writes[pass.header_at_[at]]) words.set(write.member, pass.phv_[write.slot]);
  }
}

Verdict Pipeline::finish_ingress(Pass& pass) {
  if (pass.rejected_) {
    ++counters_.ingress_drops;
    return {};
  }
  if (uses_.requests) [[unlikely]]
    note_requests(pass);
  const auto word = [&](FieldRef field) { return pass.phv_[field.id]; };
  const auto& fields = program_.intrinsics();
  PassOutputs outputs{.drop = word(fields.drop),
                      .resubmit = word(fields.resubmit),
                      .resubmit_value = word(fields.resubmit_value),
                      .ucast_egress_port = word(fields.ucast_egress_port),
                      .mcast_grp_a = word(fields.mcast_grp_a),
                      .mcast_grp_b = word(fields.mcast_grp_b),
                      .rid = word(fields.rid),
                      .l2_exclusion_id = word(fields.l2_exclusion_id)};
  if (const auto& selection = program_.selection_fields()) {
    outputs.l1_exclusion_id = word(selection->l1_exclusion_id);
    outputs.level1_hash = word(selection->level1_hash);
    outputs.level2_hash = word(selection->level2_hash);
  }
  const auto verdict = verdict_of(outputs, pass.resubmitted_, pass.may_resubmit_);
  if (!verdict.resubmit && !verdict.dropped()) deparse(pass);
  return verdict;
}

bool Pipeline::finish_egress(Pass& pass) {
  const bool dropped = pass.phv_[program_.intrinsics().drop.id] == 1;
  if (pass.rejected_ || dropped) ++counters_.egress_drops;
  if (pass.rejected_) return false;
  if (uses_.requests) [[unlikely]] {
    deparse(pass);  // a mirror copy shows what would have left
    copy_for_mirror(pass, MirrorKind::egress);
    return !dropped;
  }
  if (dropped) return false;
  deparse(pass);
  return true;
}

Verdict Pipeline::run_ingress(Packet& packet, const IngressMetadata& metadata) {
  if (generated_.ingress && !watcher_) return generated_.ingress(*this, packet, metadata);
  Pass pass;
  begin_ingress(pass, packet, metadata);
  if (watcher_) [[unlikely]] {
    run_watched(pass);
  } else if (!pass.rejected_) {
    run<Witness::nobody>(code_.gress[0].fused.data(), pass);
  }
  return finish_ingress(pass);
}

Verdict Pipeline::run_ingress(Packet& packet, const IngressMetadata& metadata, PassNotes& notes) {
  Pass pass;
  begin_ingress(pass, packet, metadata);
  if (!pass.rejected_) run<Witness::notes>(code_.gress[0].fused.data(), pass, &notes);
  return finish_ingress(pass);
}

bool Pipeline::run_busy_egress(Packet& packet, const EgressMetadata& metadata) {
  if (generated_.egress && !watcher_) return generated_.egress(*this, packet, metadata);
  Pass pass;
  begin_egress(pass, packet, metadata);
  if (watcher_) [[unlikely]] {
    run_watched(pass);
  } else if (!pass.rejected_) {
    run<Witness::nobody>(code_.gress[1].fused.data(), pass);
  }
  return finish_egress(pass);
}

void Pipeline::rebuild_headers(Pass& pass) {
  HeaderRebuild rebuild(*pass.packet_, pass.parsed_);
  for (const auto& header : program_.headers()) {
    if (pass.phv_[header.validity.id]) rebuild.push(*header.layout, pass.phv_ + header.members.front().id);
  }
  rebuild.finish();
}

template void Pipeline::run<Pipeline::Witness::watcher>(const Instruction* at, Pass& pass, PassNotes* notes);

}  // namespace racksim::p4
