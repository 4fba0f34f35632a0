// What becomes of a packet of the LCF pipeline, once it is known what the arrays have said of it. See lcf_builder.hpp.

#include "p4model/language/headers.hpp"
#include "protocols/flowcc/switch/lcf_builder.hpp"

namespace racksim::flowcc {

using p4::Action;
using p4::Block;
using p4::Condition;

Action& LcfBuilder::reply(const char* name, MessageType type) {
  return p_.action(name)
      .set(type_, number(type))
      .set(receiver_, number(Receiver::requester))
      .set(is_in_switch_, 1)
      .set(p_.intrinsics().ucast_egress_port, p_.intrinsics().ingress_port);
}

Action& LcfBuilder::with_metadata(Action& action) {
  return action.set(global_status_, status_).set(copyset_, sharers_);
}

Action& LcfBuilder::to_holders(const char* name) {
  return with_metadata(p_.action(name)
                           .set(receiver_, number(Receiver::cache_agent))
                           .set(is_in_switch_, 1)
                           .set(p_.intrinsics().mcast_grp_a, low_group_)
                           .add(p_.intrinsics().mcast_grp_b, high_group_, kHighGroups));
}

// What becomes of a packet, once it is known what the arrays of the stages before have said of it.
void LcfBuilder::outcome(Block& lcf) {
  auto& old_copy = p_.action("drop_old_copy").set(p_.intrinsics().drop, 1);
  auto& to_owner_home = p_.action("to_home_agent_as_owner").set(p_.intrinsics().ucast_egress_port, home_port_);
  lcf.if_(resubmitted_ == 1).then([&](Block& second) { second_pass(second); }).else_([&](Block& first) {
    first.if_(fresh_ == 0).then(run(old_copy)).else_([&](Block& fresh) {
      if (shape_.migrates) return migrated_first_pass(fresh, to_owner_home);
      fresh.if_(hit_ == 0).then(run(to_owner_home)).else_([&](Block& mine) {
        mine.if_(type_ >= number(MessageType::unlock_read)).then(run(unlock_with_score())).else_([&](Block& request) {
          locked_or_not(request);
        });
      });
    });
  });
}

// The pass that a resubmission asked for has done its work in the stages before: its requester is answered.
void LcfBuilder::second_pass(Block& second) {
  auto& unlocked = reply("unlock_ack", MessageType::unlock_ack);
  auto& invalid = reply("invalid_ack", MessageType::failed_ack).set(lost_race_, 1);
  if (shape_.migrates) return migrated_second_pass(second, unlocked, invalid);
  second.if_(type_ >= number(MessageType::unlock_read)).then(run(unlocked)).else_(run(invalid));
}

// An unlock comes again with its score (Figure 8d). A writer's score is 0 or 1.
Action& LcfBuilder::unlock_with_score() {
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
void LcfBuilder::locked_or_not(Block& request) {
  auto& failed = reply("failed_ack", MessageType::failed_ack);
  auto& undo = undo_acquisition();
  const Forwarding forwarding = forward();
  auto& for_holder = check_forward("check_forward_holder", true, forwarding, undo);
  auto& for_other = check_forward("check_forward_other", false, forwarding, undo);
  auto& for_sole = check_forward_sole(forwarding, undo);
  const Condition holds_lock = options_.scoreboard ? score_ != 0 : acquired_ == 1;
  request.if_(holds_lock)
      .then([&](Block& locked) {
        locked.if_(member_ == 0).then(run(for_other)).else_([&](Block& h) {
          h.if_((type_ == number(MessageType::write_shared) || type_ == number(MessageType::lock_exclusive)) &&
                others_ == 0)
              .then(run(for_sole))
              .else_(run(for_holder));
        });
      })
      .else_(run(failed));
}

// A failed check is undone in a second pass, which gets what to take off the lock: what this pass acquired (rule
// (iv)), or in the printed scheme one acquisition whatever happened.
Action& LcfBuilder::undo_acquisition() {
  const auto& md = p_.intrinsics();
  auto& undo = p_.action("resubmit_undo").set(md.resubmit, 1);
  if (safe()) {
    undo.set(md.resubmit_value, acquired_);
  } else {
    undo.set(md.resubmit_value, 1);
  }
  return undo;
}

LcfBuilder::Forwarding LcfBuilder::forward() {
  const auto& md = p_.intrinsics();
  auto& granted = with_metadata(reply("grant", MessageType::ack));
  auto& to_home = with_metadata(p_.action("to_home_agent").set(is_in_switch_, 1).set(md.ucast_egress_port, home_port_));
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
p4::Table& LcfBuilder::check_forward(const char* name, bool member, const Forwarding& forwarding, Action& undo) {
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
p4::Table& LcfBuilder::check_forward_sole(const Forwarding& forwarding, Action& undo) {
  auto& table = p_.table("check_forward_sole").key(type_).key(status_).size(8).default_action(forwarding.requester);
  for (const MessageType type : {MessageType::write_shared, MessageType::lock_exclusive}) {
    for (const GlobalStatus status : {GlobalStatus::unshared, GlobalStatus::shared, GlobalStatus::modified}) {
      if (options_.check_table && !check(type, true, status)) table.entry({number(type), number(status)}, undo);
    }
  }
  return table;
}

// What differs per copy is written after replication: addresses, the receiver's queue pair, the provider's flag.
void LcfBuilder::egress() {
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
    if (shape_.migrates) address_shadow(flowcc);
    flowcc.apply(address);
    flowcc.if_(p_.intrinsics().egress_rid != 0 && p_.intrinsics().egress_rid == provider_).then(run(provide));
  });
  out_.address = &address;
  out_.to_agent = &agent;
  out_.to_requester = &requester;
}

}  // namespace racksim::flowcc
