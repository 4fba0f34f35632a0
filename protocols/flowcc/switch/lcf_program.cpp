// The stages of the LCF pipeline. See lcf_program.hpp.
#include "protocols/flowcc/switch/lcf_program.hpp"

#include <fmt/core.h>

#include <string>

#include "p4model/execute/forwarding.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/flowcc/switch/lcf_builder.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::flowcc {

using p4::Action;
using p4::AluOperation;
using p4::AluOutput;
using p4::Block;
using p4::Comparison;
using p4::Condition;
using p4::FieldRef;
using p4::kA;
using p4::kB;
using p4::kHi;
using p4::kLo;
using p4::Width;

namespace {
constexpr std::uint64_t kWriteLock = 0x8000;    // LOCK: the most significant bit marks the writer,
constexpr std::uint64_t kMostReaders = 0x7fff;  // the other 15 count readers
}  // namespace

LcfProgram LcfBuilder::build() {
  p_.resubmit_bits(16);  // a lock score
  parsers();
  const Condition for_lcf = is_for_lcf();
  p_.ingress()
      .if_(for_lcf)
      .then([&](Block& lcf) {
        prepare(lcf);
        duplicate_filter(lcf);
        last_unlock(lcf);
        for (unsigned way = 1; way <= options_.ways; ++way) {
          // Where blocks come and go an ADD asks at each tag whether the ways before it have taken it: that of the next
          // way stands before the lock of this one.
          if (way == 1 || !shape_.migrates) find_in_way(lcf, way);
          if (way < options_.ways && shape_.migrates) find_in_way(lcf, way + 1);
          access_way(lcf, way);
        }
        scoreboard(lcf);
        if (shape_.migrates) stamp(lcf);
        copyset_arithmetic(lcf);
        outcome(lcf);
      })
      .else_([&](Block& other) { p4::append_forwarding(p_, other); });
  egress();
  out_.program = program_;
  return std::move(out_);
}

void LcfBuilder::parsers() {
  for (const p4::Gress gress : {p4::Gress::ingress, p4::Gress::egress}) {
    p_.parser_state<p4::Ethernet>(gress, "ethernet")
        .select(p_.header_field(&p4::Ethernet::ether_type), {{p4::kEtherTypeIpv4, "ipv4"}});
    p_.parser_state<p4::Ipv4>(gress, "ipv4").select(p_.header_field(&p4::Ipv4::protocol), {{p4::kProtocolUdp, "udp"}});
    p4::ParserState& udp = p_.parser_state<p4::Udp>(gress, "udp");
    if (shape_.migrates) {
      // Where all can stop and begin anew, the port says which incarnation a packet is of.
      const char* name = gress == p4::Gress::ingress ? "INGRESS_PORT" : "EGRESS_PORT";
      out_.ports.push_back(&p_.value_set(name, 16, 1));
      udp.select(p_.header_field(&p4::Udp::src_port), {}).or_in(*out_.ports.back(), "flowcc");
    } else {
      udp.select(p_.header_field(&p4::Udp::src_port), {{kFlowCcPort, "flowcc"}});
    }
    p_.parser_state<FlowCcHeader>(gress, "flowcc");
  }
}

// What later stages need of the packet: the requester's bit, its slot in SCOREBOARD, its hash, its home's port.
void LcfBuilder::prepare(Block& lcf) {
  auto& bits = p_.action("set_node_bit");
  bits.set(node_bit_, bits.data("bit", 32))
      .set(not_node_bit_, bits.data("inverse", 32))
      .set(node_rid_, bits.data("rid", 16));
  auto& nodes = p_.table("node_bit").key(node_id_).action(bits).size(16);
  for (unsigned node = 0; node < shape_.nodes; ++node) {
    const Copyset bit = node_bit(static_cast<NodeId>(node));
    nodes.entry({node}, bits, {bit, static_cast<Copyset>(~bit), node + 1});
  }
  lcf.apply(nodes);
  auto& home = p_.action("set_home_port");
  home.set(home_port_, home.data("port", 9));
  if (shape_.migrates) home.set(home_, home.data("home", 16));
  auto& homes = p_.table("home_port").key(p_.header_field(&p4::Ethernet::dst)).action(home).size(64);
  lcf.apply(homes);
  out_.home_port = &homes;
  out_.set_home_port = &home;
  lcf.apply(p_.action("score_index_1")
                .shift_left(score_index_, requester_, 1)
                .bit_and(parity_, seq_, 1)
                .set(provider_hash_, p_.hash("provider", {requester_, seq_}, orders_.kHashBits, orders_.kHash)));
  lcf.apply(p_.action("score_index_2").bit_or(score_index_, score_index_, parity_));
}

// Rule (i): a packet whose serial number does not exceed the largest seen from its requester is an old copy.
void LcfBuilder::duplicate_filter(Block& lcf) {
  if (!safe()) {
    lcf.if_(resubmitted_ == 0).then(run(p_.action("fresh_always").set(fresh_, 1)));
    return;
  }
  auto& serials = p_.register_array("SERIAL", Width::single(32), requesters());
  auto& newest = serials.action("newest");
  const auto serial = newest.input(p_.header_field(&FlowCcHeader::serial));
  newest.compare_a(serial, Comparison::greater, kLo).set(kLo, serial, kA).output(AluOutput::predicate, kA);
  lcf.if_(resubmitted_ == 0).then([&](Block& first) {
    auto& check = p_.action("check_serial").execute(newest, requester_, fresh_);
    if (!shape_.migrates || rules_.home_serials) return static_cast<void>(first.apply(check));
    first.if_(type_ < number(MessageType::add_to_switch))
        .then(run(check))
        .else_(run(p_.action("fresh_always").set(fresh_, 1)));
  });
}

// An unlock is executed in its second pass, when it carries the score, and only once (Figure 8d).
void LcfBuilder::last_unlock(Block& lcf) {
  Condition second_pass = resubmitted_ == 1 && type_ >= number(MessageType::unlock_read);
  // An ADD is known by its number before it comes again: of two transmissions only one inserts.
  if (shape_.migrates) {
    second_pass = second_pass || (resubmitted_ == 0 && type_ == number(MessageType::add_to_switch));
  }
  if (!options_.last_unlock) {
    lcf.if_(second_pass).then(run(p_.action("newer_always").set(newer_, 1)));
    return;
  }
  auto& array = p_.register_array("LAST_UNLOCK", Width::single(32), requesters());
  auto& record = array.action("record");
  const auto seq = record.input(seq_);
  record.compare_a(seq, Comparison::greater, kLo).set(kLo, seq, kA).output(AluOutput::predicate, kA);
  lcf.if_(second_pass).then(run(p_.action("record_unlock").execute(record, requester_, newer_)));
}

// A way's tag, in stage way - 1.
void LcfBuilder::find_in_way(Block& lcf, unsigned n) {
  const auto w = std::to_string(n);
  auto& tags = p_.register_array("TAG" + w, Width::pair_of(32), options_.entries_per_way);
  tags.stage(static_cast<int>(n) - 1);
  hits_.push_back(p_.field("hit" + w, 1));
  find_or_change(lcf, n, tags);
  out_.tag.push_back(&tags);
}

// Its lock and metadata, in stage way.
void LcfBuilder::access_way(Block& lcf, unsigned n) {
  const auto w = std::to_string(n);
  const FieldRef hit = hits_[n - 1];
  auto& locks = p_.register_array("LOCK" + w, Width::single(16), options_.entries_per_way);
  locks.stage(static_cast<int>(n));
  auto& read_lock = locks.action("read_lock");
  read_lock.compare_a(kLo, Comparison::less, kMostReaders)
      .update(kLo, AluOperation::add, kLo, 1, kA)
      .output(AluOutput::predicate, kA);
  auto& write_lock = locks.action("write_lock");
  write_lock.compare_a(kLo, Comparison::equal, 0).set(kLo, kWriteLock, kA).output(AluOutput::predicate, kA);
  auto& release_read = locks.action("release_read");
  release_read.update(kLo, AluOperation::sub, kLo, release_read.input(p_.intrinsics().resubmit_data));
  auto& release_write = locks.action("release_write");
  release_write.compare_a(release_write.input(p_.intrinsics().resubmit_data), Comparison::not_equal, 0).set(kLo, 0, kA);

  auto& statuses = p_.register_array("G_STATUS" + w, Width::single(8), options_.entries_per_way);
  auto& get_status = statuses.action("get").output(AluOutput::old_lo);
  auto& put_status = statuses.action("put");
  put_status.set(kLo, put_status.input(global_status_));
  auto& copysets = p_.register_array("COPYSET" + w, Width::single(32), options_.entries_per_way);
  auto& get_copyset = copysets.action("get").output(AluOutput::old_lo);
  auto& put_copyset = copysets.action("put");
  put_copyset.set(kLo, put_copyset.input(copyset_));
  auto& join_copyset = copysets.action("union");
  join_copyset.update(kLo, AluOperation::bit_or, kLo, join_copyset.input(copyset_));

  const auto lock_and_read = [&](const char* name, p4::RegisterAction& taking) -> Action& {
    return p_.action(name + w)
        .set(hit_, 1)
        .execute(taking, set_index_, acquired_)
        .execute(get_status, set_index_, status_)
        .execute(get_copyset, set_index_, sharers_);
  };
  auto& shared = lock_and_read("lock_shared", read_lock);
  auto& exclusive = lock_and_read("lock_exclusive", write_lock);
  auto& found = p_.action("found" + w).set(hit_, 1);
  auto& undo_read = p_.action("undo_read" + w).set(hit_, 1).execute(release_read, set_index_);
  auto& undo_write = p_.action("undo_write" + w).set(hit_, 1).execute(release_write, set_index_);
  auto& unlock_read = p_.action("unlock_read" + w)
                          .set(hit_, 1)
                          .execute(release_read, set_index_)
                          .execute(put_status, set_index_)
                          .execute(join_copyset, set_index_);
  auto& unlock_write = p_.action("unlock_write" + w)
                           .set(hit_, 1)
                           .execute(release_write, set_index_)
                           .execute(put_status, set_index_)
                           .execute(put_copyset, set_index_);
  auto& access = p_.table("way" + w).key(type_).key(resubmitted_).size(32);
  for (const MessageType request : kRequests) {
    access.entry({number(request), 0}, takes_read_lock(request) ? shared : exclusive);
    access.entry({number(request), 1}, takes_read_lock(request) ? undo_read : undo_write);
  }
  access.entry({number(MessageType::unlock_read), 0}, found).entry({number(MessageType::unlock_write), 0}, found);
  access.entry({number(MessageType::unlock_read), 1}, unlock_read);
  access.entry({number(MessageType::unlock_write), 1}, unlock_write);
  if (!shape_.migrates) {
    // First passes that are fresh; second passes that undo, or that unlock for the first time.
    const Condition go = fresh_ == 1 || newer_ == 1 || (resubmitted_ == 1 && type_ < number(MessageType::unlock_read));
    lcf.if_(hit == 1 && go).then(run(access));
  } else {
    auto& insert = p_.action("insert" + w)
                       .set(hit_, 1)
                       .execute(put_status, set_index_)
                       .execute(put_copyset, set_index_);  // LOCK of a free entry is 0
    const bool one_pass = !rules_.two_pass_add;
    access.entry({number(MessageType::add_to_switch), 0}, one_pass ? insert : found);
    if (!one_pass) access.entry({number(MessageType::add_to_switch), 1}, insert);
    access.entry({number(MessageType::remove_from_switch), 0}, exclusive);
    if (!rules_.two_phase_remove) {
      access.entry({number(MessageType::remove_from_switch), 1}, p_.action("remove" + w)
                                                                     .set(hit_, 1)
                                                                     .execute(release_write, set_index_)
                                                                     .execute(get_status, set_index_, status_)
                                                                     .execute(get_copyset, set_index_, sharers_));
    }
    access.entry({number(MessageType::clear), 0}, found).entry({number(MessageType::clear), 1}, undo_write);
    lcf.if_(hit == 1).then([&](Block& block) {
      block.if_(changes_block()).split().then(run(access)).else_(run(found));  // five rows, of which a gateway has four
    });
  }
  out_.lock.push_back(&locks);
  out_.status.push_back(&statuses);
  out_.copyset.push_back(&copysets);
}

// The lock score of (requester, parity): how often this event's transmissions acquired the lock (§5.3.2).
void LcfBuilder::scoreboard(Block& lcf) {
  if (!options_.scoreboard) return;
  auto& scores = p_.register_array("SCOREBOARD", Width::single(16), 2 * requesters());
  auto& count = scores.action("count");
  count.update(kLo, AluOperation::add, kLo, count.input(acquired_)).output(AluOutput::new_lo);
  auto& look = scores.action("look").output(AluOutput::old_lo);
  auto& reset = scores.action("reset").set(kLo, 0);
  auto& take_back = scores.action("take_back").update(kLo, AluOperation::sub, kLo, 1);
  auto& act = p_.table("score").key(type_).key(resubmitted_).size(32);
  auto& count_it = p_.action("score_count").execute(count, score_index_, score_);
  auto& look_up = p_.action("score_look").execute(look, score_index_, score_);
  auto& reset_it = p_.action("score_reset").execute(reset, score_index_);
  auto& take_it_back = p_.action("score_take_back").execute(take_back, score_index_);
  for (const MessageType request : kRequests) {
    act.entry({number(request), 0}, count_it).entry({number(request), 1}, take_it_back);
  }
  for (const MessageType unlock : {MessageType::unlock_read, MessageType::unlock_write}) {
    act.entry({number(unlock), 0}, look_up).entry({number(unlock), 1}, reset_it);
  }
  if (shape_.migrates) {
    act.entry({number(MessageType::remove_from_switch), 0}, count_it);
    if (!rules_.two_phase_remove) act.entry({number(MessageType::remove_from_switch), 1}, reset_it);
    act.entry({number(MessageType::clear), 0}, look_up).entry({number(MessageType::clear), 1}, reset_it);
  }
  // A second pass that undoes nothing (resubmitted with 0) has no score to take back. Nor has that of an unlock that
  // has been executed, or, where blocks migrate, that found no score, for the event's lock was at home: by then the
  // next event of its parity may have a score.
  const Condition holds = p_.intrinsics().resubmit_data != 0;
  const Condition undoes = holds && type_ < number(MessageType::unlock_read);
  const Condition gives_back = shape_.migrates && rules_.unlock_by_holder ? newer_ == 1 && holds : newer_ == 1;
  const Condition counts = resubmitted_ == 0 || undoes || gives_back;
  lcf.if_(hit_ == 1 && counts).then(run(act));
}

// Splits the copyset into what the check and forward tables ask, and picks the data provider (provider.hpp).
void LcfBuilder::copyset_arithmetic(Block& lcf) {
  auto& arithmetic = p_.action("copyset_arithmetic")
                         .bit_and(member_, sharers_, node_bit_)
                         .bit_and(others_, sharers_, not_node_bit_)
                         .bit_and(low_group_, sharers_, 0xff)
                         .shift_right(high_group_, sharers_, 8);
  auto& set = p_.action("set_provider");
  set.set(provider_port_, set.data("port", 9)).set(provider_rid_, set.data("rid", 8));
  auto& providers = p_.table("provider")
                        .key(provider_hash_)
                        .key(sharers_, p4::MatchKind::ternary)
                        .action(set)
                        .size(orders_.kOrders * shape_.nodes);
  for (unsigned hash = 0; hash < orders_.kOrders; ++hash) {
    for (const NodeId node : orders_.order(hash)) {
      const Copyset bit = node_bit(node);
      providers.entry({hash, p4::KeyMatch::masked(bit, bit)}, set, {node, node + 1u});
    }
  }
  lcf.if_(hit_ == 1 && resubmitted_ == 0).then([&](Block& b) {
    b.apply(arithmetic);
    b.apply(providers);
  });
}

LcfProgram make_lcf_program(const FlowCcOptions& options, const LcfShape& shape) {
  if (shape.nodes > 16) {
    throw sim::OptionError(
        "/rack/nodes", fmt::format("{} nodes", shape.nodes),
        "at most 16: a packet names two multicast groups of 16 bits, which hold the copysets of so many");
  }
  return LcfBuilder(options, shape).build();
}

}  // namespace racksim::flowcc
