// The LCF pipeline, written from its stages. See lcf_program.hpp.
#include "protocols/flowcc/lcf_program.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "p4model/language/headers.hpp"
#include "protocols/flowcc/messages.hpp"
#include "protocols/flowcc/provider.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::flowcc {

namespace {

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

constexpr std::uint64_t kWriteLock = 0x8000;    // LOCK: the most significant bit marks the writer,
constexpr std::uint64_t kMostReaders = 0x7fff;  // the other 15 count readers
constexpr std::uint64_t number(MessageType type) {
  return static_cast<std::uint64_t>(type);
}
constexpr std::uint64_t number(Receiver receiver) {
  return static_cast<std::uint64_t>(receiver);
}
constexpr std::uint64_t number(GlobalStatus status) {
  return static_cast<std::uint64_t>(status);
}

class Builder {
 public:
  Builder(const FlowCcOptions& options, const LcfShape& shape)
      : options_(options), shape_(shape), program_(std::make_shared<p4::Program>("flowcc-lcf", kDoc)), p_(*program_) {}

  LcfProgram build() {
    parsers();
    Condition for_lcf = p_.valid<FlowCcHeader>() == 1 && type_ <= number(MessageType::unlock_write) &&
                        receiver_ == number(Receiver::home_agent);
    p_.ingress()
        .if_(for_lcf)
        .then([&](Block& lcf) {
          prepare(lcf);
          duplicate_filter(lcf);
          last_unlock(lcf);
          for (unsigned way = 1; way <= options_.ways; ++way) this->way(lcf, way);
          scoreboard(lcf);
          copyset_arithmetic(lcf);
          outcome(lcf);
        })
        .else_([&](Block& other) { p4::append_forwarding(p_, other); });
    egress();
    out_.program = program_;
    return std::move(out_);
  }

 private:
  static constexpr const char* kDoc = "Concordia's lock-check-forward pipeline with idempotent locks";

  bool safe() const { return options_.idempotence == FlowCcOptions::Idempotence::safe; }

  void parsers() {
    for (const p4::Gress gress : {p4::Gress::ingress, p4::Gress::egress}) {
      p_.parser_state<p4::Ethernet>(gress, "ethernet")
          .select(p_.header_field(&p4::Ethernet::ether_type), {{p4::kEtherTypeIpv4, "ipv4"}});
      p_.parser_state<p4::Ipv4>(gress, "ipv4")
          .select(p_.header_field(&p4::Ipv4::protocol), {{p4::kProtocolUdp, "udp"}});
      p_.parser_state<p4::Udp>(gress, "udp").select(p_.header_field(&p4::Udp::src_port), {{kFlowCcPort, "flowcc"}});
      p_.parser_state<FlowCcHeader>(gress, "flowcc");
    }
  }

  // What later stages need of the packet: the requester's bit, its slot in SCOREBOARD, its hash, its home's port.
  void prepare(Block& lcf) {
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
  void duplicate_filter(Block& lcf) {
    if (!safe()) {
      lcf.if_(resubmitted_ == 0).then([&](Block& b) { b.apply(p_.action("fresh_always").set(fresh_, 1)); });
      return;
    }
    auto& serials = p_.register_array("SERIAL", Width::single(32), shape_.requesters);
    auto& newest = serials.action("newest");
    const auto serial = newest.input(p_.header_field(&FlowCcHeader::serial));
    newest.compare_a(serial, Comparison::greater, kLo).set(kLo, serial, kA).output(AluOutput::predicate, kA);
    lcf.if_(resubmitted_ == 0).then([&](Block& b) {
      b.apply(p_.action("check_serial").execute(newest, requester_, fresh_));
    });
  }

  // An unlock is executed in its second pass, when it carries the score, and only once (Figure 8d).
  void last_unlock(Block& lcf) {
    const Condition second_pass = resubmitted_ == 1 && type_ >= number(MessageType::unlock_read);
    if (!options_.last_unlock) {
      lcf.if_(second_pass).then([&](Block& b) { b.apply(p_.action("newer_always").set(newer_, 1)); });
      return;
    }
    auto& array = p_.register_array("LAST_UNLOCK", Width::single(32), shape_.requesters);
    auto& record = array.action("record");
    const auto seq = record.input(seq_);
    record.compare_a(seq, Comparison::greater, kLo).set(kLo, seq, kA).output(AluOutput::predicate, kA);
    lcf.if_(second_pass).then([&](Block& b) {
      b.apply(p_.action("record_unlock").execute(record, requester_, newer_));
    });
  }

  // One way: its tag in stage way - 1, its lock and metadata in stage way.
  void way(Block& lcf, unsigned n) {
    const auto w = std::to_string(n);
    auto& tags = p_.register_array("TAG" + w, Width::pair_of(32), options_.entries_per_way);
    auto& lookup = tags.action("compare");
    lookup.compare_a(kLo, Comparison::equal, lookup.input(p_.header_field(&FlowCcHeader::tag_low)));
    lookup.compare_b(kHi, Comparison::equal, lookup.input(p_.header_field(&FlowCcHeader::tag_high)));
    lookup.output(AluOutput::predicate, kA & kB);
    const FieldRef hit = p_.field("hit" + w, 1);
    tags.stage(static_cast<int>(n) - 1);
    lcf.apply(p_.action("find" + w).execute(lookup, set_index_, hit));

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
    release_write.compare_a(release_write.input(p_.intrinsics().resubmit_data), Comparison::not_equal, 0)
        .set(kLo, 0, kA);

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
    auto& access = p_.table("way" + w).key(type_).key(resubmitted_).size(16);
    for (const MessageType request : kRequests) {
      access.entry({number(request), 0}, takes_read_lock(request) ? shared : exclusive);
      access.entry({number(request), 1}, takes_read_lock(request) ? undo_read : undo_write);
    }
    access.entry({number(MessageType::unlock_read), 0}, found).entry({number(MessageType::unlock_write), 0}, found);
    access.entry({number(MessageType::unlock_read), 1}, unlock_read);
    access.entry({number(MessageType::unlock_write), 1}, unlock_write);
    // First passes that are fresh; second passes that undo, or that unlock for the first time.
    const Condition go = fresh_ == 1 || newer_ == 1 || (resubmitted_ == 1 && type_ < number(MessageType::unlock_read));
    lcf.if_(hit == 1 && go).then([&](Block& b) { b.apply(access); });
    out_.tag.push_back(&tags);
    out_.lock.push_back(&locks);
    out_.status.push_back(&statuses);
    out_.copyset.push_back(&copysets);
  }

  // The lock score of (requester, parity): how often this event's transmissions acquired the lock (§5.3.2).
  void scoreboard(Block& lcf) {
    if (!options_.scoreboard) return;
    auto& scores = p_.register_array("SCOREBOARD", Width::single(16), 2 * shape_.requesters);
    auto& count = scores.action("count");
    count.update(kLo, AluOperation::add, kLo, count.input(acquired_)).output(AluOutput::new_lo);
    auto& look = scores.action("look").output(AluOutput::old_lo);
    auto& reset = scores.action("reset").set(kLo, 0);
    auto& take_back = scores.action("take_back").update(kLo, AluOperation::sub, kLo, 1);
    auto& act = p_.table("score").key(type_).key(resubmitted_).size(16);
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
    // A second pass that undoes nothing (resubmitted with 0) has no score to take back.
    const Condition counts = resubmitted_ == 0 || newer_ == 1 || p_.intrinsics().resubmit_data != 0;
    lcf.if_(hit_ == 1 && counts).then([&](Block& b) { b.apply(act); });
  }

  // Splits the copyset into what the check and forward tables ask, and picks the data provider (provider.hpp).
  void copyset_arithmetic(Block& lcf) {
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

  Action& reply(const char* name, MessageType type) {
    return p_.action(name)
        .set(type_, number(type))
        .set(receiver_, number(Receiver::requester))
        .set(is_in_switch_, 1)
        .set(p_.intrinsics().ucast_egress_port, p_.intrinsics().ingress_port);
  }
  Action& with_metadata(Action& action) { return action.set(global_status_, status_).set(copyset_, sharers_); }
  Action& to_holders(const char* name) {
    return with_metadata(p_.action(name)
                             .set(receiver_, number(Receiver::cache_agent))
                             .set(is_in_switch_, 1)
                             .set(p_.intrinsics().mcast_grp_a, low_group_)
                             .add(p_.intrinsics().mcast_grp_b, high_group_, kHighGroups));
  }

  // What becomes of a packet, once it is known what the arrays of the stages before have said of it.
  void outcome(Block& lcf) {
    auto& old_copy = p_.action("drop_old_copy").set(p_.intrinsics().drop, 1);
    auto& to_owner_home = p_.action("to_home_agent_as_owner").set(p_.intrinsics().ucast_egress_port, home_port_);
    lcf.if_(resubmitted_ == 1).then([&](Block& second) { second_pass(second); }).else_([&](Block& first) {
      first.if_(fresh_ == 0).then([&](Block& b) { b.apply(old_copy); }).else_([&](Block& fresh) {
        fresh.if_(hit_ == 0).then([&](Block& b) { b.apply(to_owner_home); }).else_([&](Block& mine) {
          mine.if_(type_ >= number(MessageType::unlock_read))
              .then([&](Block& b) { b.apply(unlock_with_score()); })
              .else_([&](Block& request) { locked_or_not(request); });
        });
      });
    });
  }

  // The pass that a resubmission asked for has done its work in the stages before: its requester is answered.
  void second_pass(Block& second) {
    auto& unlocked = reply("unlock_ack", MessageType::unlock_ack);
    auto& invalid = reply("invalid_ack", MessageType::failed_ack);
    second.if_(type_ >= number(MessageType::unlock_read))
        .then([&](Block& b) { b.apply(unlocked); })
        .else_([&](Block& b) { b.apply(invalid); });
  }

  // An unlock comes again with its score (Figure 8d). A writer's score is 0 or 1.
  Action& unlock_with_score() {
    auto& unlock = p_.action("resubmit_unlock").set(p_.intrinsics().resubmit, 1);
    if (options_.scoreboard) {
      unlock.set(p_.intrinsics().resubmit_value, score_);
    } else {
      unlock.set(p_.intrinsics().resubmit_value, 1);
    }
    return unlock;
  }

  // Steps (ii) and (iii) of a request's way (§5.1.1) are for who has acquired the lock, by this transmission or by an
  // earlier one of the event (§5.3.2). The two tables are one here, chosen by whether the requester holds a copy.
  void locked_or_not(Block& request) {
    auto& failed = reply("failed_ack", MessageType::failed_ack);
    auto& undo = undo_acquisition();
    const Forwarding forwarding = forward();
    auto& for_holder = check_forward("check_forward_holder", true, forwarding, undo);
    auto& for_other = check_forward("check_forward_other", false, forwarding, undo);
    auto& for_sole = check_forward_sole(forwarding, undo);
    const Condition holds_lock = options_.scoreboard ? score_ != 0 : acquired_ == 1;
    request.if_(holds_lock)
        .then([&](Block& locked) {
          locked.if_(member_ == 0).then([&](Block& o) { o.apply(for_other); }).else_([&](Block& h) {
            h.if_(type_ == number(MessageType::write_shared) && others_ == 0)
                .then([&](Block& s) { s.apply(for_sole); })
                .else_([&](Block& s) { s.apply(for_holder); });
          });
        })
        .else_([&](Block& refused) { refused.apply(failed); });
  }

  // A failed check is undone in a second pass, which gets what to take off the lock: what this pass acquired (rule
  // (iv)), or in the printed scheme one acquisition whatever happened.
  Action& undo_acquisition() {
    const auto& md = p_.intrinsics();
    auto& undo = p_.action("resubmit_undo").set(md.resubmit, 1);
    if (safe()) {
      undo.set(md.resubmit_value, acquired_);
    } else {
      undo.set(md.resubmit_value, 1);
    }
    return undo;
  }

  // The forward table (Table 3): where a valid request goes, by its type and the block's status.
  struct Forwarding {
    Action &home_agent, &provider, &all_holders, &other_holders, &requester;

    Action& to(Route route) const {
      switch (route) {
        case Route::home_agent:
          return home_agent;
        case Route::provider:
          return provider;
        case Route::all_holders:
          return all_holders;
        case Route::other_holders:
          return other_holders;
        case Route::requester:
          break;
      }
      return requester;
    }
  };
  Forwarding forward() {
    const auto& md = p_.intrinsics();
    auto& granted = with_metadata(reply("grant", MessageType::ack));
    auto& to_home =
        with_metadata(p_.action("to_home_agent").set(is_in_switch_, 1).set(md.ucast_egress_port, home_port_));
    // Only misses have a data provider: who upgrades a clean copy has the data.
    auto& all = to_holders("to_all_holders").set(provider_, provider_rid_);
    auto& others = to_holders("to_other_holders").set(md.rid, node_rid_).set(md.l2_exclusion_id, node_id_);
    auto& one = with_metadata(p_.action("to_provider")
                                  .set(receiver_, number(Receiver::cache_agent))
                                  .set(is_in_switch_, 1)
                                  .set(is_data_provider_, 1)
                                  .set(md.ucast_egress_port, provider_port_));
    return {.home_agent = to_home, .provider = one, .all_holders = all, .other_holders = others, .requester = granted};
  }

  // The check table (Table 2) in front of the forward table: what fails its check is undone.
  p4::Table& check_forward(const char* name, bool member, const Forwarding& forwarding, Action& undo) {
    auto& table = p_.table(name).key(type_).key(status_).key(retransmitted_).size(64);
    for (const MessageType type : kRequests) {
      for (const GlobalStatus status : {GlobalStatus::unshared, GlobalStatus::shared, GlobalStatus::modified}) {
        const bool valid = !options_.check_table || check(type, member, status);
        for (const bool again : {false, true}) {
          table.entry({number(type), number(status), again}, valid ? forwarding.to(route(type, status, again)) : undo);
        }
      }
    }
    return table;
  }

  // Footnote 4 of Table 3: the only sharer may write at once.
  p4::Table& check_forward_sole(const Forwarding& forwarding, Action& undo) {
    auto& table = p_.table("check_forward_sole").key(status_).size(4).default_action(forwarding.requester);
    if (options_.check_table) {
      for (const GlobalStatus status : {GlobalStatus::unshared, GlobalStatus::modified}) {
        table.entry({number(status)}, undo);
      }
    }
    return table;
  }

  // What differs per copy is written after replication: addresses, the receiver's queue pair, the provider's flag.
  void egress() {
    auto& agent = p_.action("to_agent");
    agent.set(p_.header_field(&p4::Ethernet::dst), agent.data("mac", 48))
        .set(p_.header_field(&p4::Ipv4::dst), agent.data("ip", 32))
        .set(p_.header_field(&p4::Udp::dst_port), agent.data("queue_pair", 16));
    auto& requester = p_.action("to_requester");
    requester.set(p_.header_field(&p4::Ethernet::dst), requester.data("mac", 48))
        .set(p_.header_field(&p4::Ipv4::dst), requester.data("ip", 32))
        .set(p_.header_field(&p4::Udp::dst_port), p_.header_field(&FlowCcHeader::reply_qp));
    auto& address =
        p_.table("address").key(p_.intrinsics().egress_port).key(receiver_).action(agent).action(requester).size(256);
    auto& provide = p_.action("flag_provider").set(is_data_provider_, 1);
    p_.egress().if_(p_.valid<FlowCcHeader>() == 1).then([&](Block& flowcc) {
      flowcc.apply(address);
      flowcc.if_(p_.intrinsics().egress_rid != 0 && p_.intrinsics().egress_rid == provider_).then([&](Block& b) {
        b.apply(provide);
      });
    });
    out_.address = &address;
    out_.to_agent = &agent;
    out_.to_requester = &requester;
  }

  const FlowCcOptions& options_;
  LcfShape shape_;
  ProviderOrders orders_{shape_.nodes};
  std::shared_ptr<p4::Program> program_;
  p4::Program& p_;
  LcfProgram out_;

  FieldRef type_ = p_.header_field(&FlowCcHeader::type), receiver_ = p_.header_field(&FlowCcHeader::receiver),
           is_data_provider_ = p_.header_field(&FlowCcHeader::is_data_provider),
           is_in_switch_ = p_.header_field(&FlowCcHeader::is_in_switch),
           retransmitted_ = p_.header_field(&FlowCcHeader::retransmitted),
           provider_ = p_.header_field(&FlowCcHeader::provider),
           global_status_ = p_.header_field(&FlowCcHeader::global_status),
           set_index_ = p_.header_field(&FlowCcHeader::set_index), node_id_ = p_.header_field(&FlowCcHeader::node_id),
           requester_ = p_.header_field(&FlowCcHeader::requester), seq_ = p_.header_field(&FlowCcHeader::seq),
           copyset_ = p_.header_field(&FlowCcHeader::copyset), resubmitted_ = p_.intrinsics().resubmit_flag;
  FieldRef node_bit_ = p_.field("node_bit", 32), not_node_bit_ = p_.field("not_node_bit", 32),
           node_rid_ = p_.field("node_rid", 16), home_port_ = p_.field("home_port", 9),
           score_index_ = p_.field("score_index", 16), parity_ = p_.field("parity", 16),
           provider_hash_ = p_.field("provider_hash", orders_.kHashBits), fresh_ = p_.field("fresh", 1),
           newer_ = p_.field("newer", 1), hit_ = p_.field("hit", 1), acquired_ = p_.field("acquired", 1),
           status_ = p_.field("status", 8), sharers_ = p_.field("sharers", 32), score_ = p_.field("score", 16),
           member_ = p_.field("member", 32), others_ = p_.field("others", 32), low_group_ = p_.field("low_group", 16),
           high_group_ = p_.field("high_group", 16), provider_port_ = p_.field("provider_port", 9),
           provider_rid_ = p_.field("provider_rid", 8);
};

}  // namespace

LcfProgram make_lcf_program(const FlowCcOptions& options, const LcfShape& shape) {
  if (shape.nodes > 16) {
    throw sim::OptionError(
        "/rack/nodes", fmt::format("{} nodes", shape.nodes),
        "at most 16: a packet names two multicast groups of 16 bits, which hold the copysets of so many");
  }
  return Builder(options, shape).build();
}

}  // namespace racksim::flowcc
