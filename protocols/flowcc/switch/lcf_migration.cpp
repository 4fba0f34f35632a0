// What the LCF pipeline does where blocks come and go (Concordia §5.2): ADD, REMOVE and CLEAR. See lcf_program.hpp.
#include <string>

#include "protocols/flowcc/switch/lcf_builder.hpp"

namespace racksim::flowcc {

using p4::Action;
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

Condition LcfBuilder::is_for_lcf() {
  const MessageType last = shape_.migrates ? MessageType::clear : MessageType::unlock_write;
  return p_.valid<FlowCcHeader>() == 1 && type_ <= number(last) && receiver_ == number(Receiver::home_agent);
}

Condition LcfBuilder::is_unlock() {
  return type_ >= number(MessageType::unlock_read) && type_ <= number(MessageType::unlock_write);
}

// Way 1 stands in the first stage, beside the arrays whose verdicts come a stage later: what it does in a second pass
// follows from the packet and its resubmit data alone. The others know by then which way has been taken.
void LcfBuilder::find_or_change(Block& lcf, unsigned n, p4::RegisterArray& tags) {
  const auto w = std::to_string(n);
  const FieldRef hit = hits_[n - 1];
  const FieldRef low = p_.header_field(&FlowCcHeader::tag_low), high = p_.header_field(&FlowCcHeader::tag_high);
  auto& compare = tags.action("compare");
  compare.compare_a(kLo, Comparison::equal, compare.input(low));
  compare.compare_b(kHi, Comparison::equal, compare.input(high));
  compare.output(AluOutput::predicate, kA & kB);
  auto& find = p_.action("find" + w).execute(compare, set_index_, hit);
  if (!shape_.migrates) {
    lcf.apply(find);
    return;
  }
  auto& insert = tags.action("insert");
  insert.compare_a(kLo, Comparison::equal, 0);
  insert.compare_b(kHi, Comparison::equal, 0);
  insert.set(kLo, insert.input(low), kA & kB).set(kHi, insert.input(high), kA & kB);
  insert.output(AluOutput::predicate, kA & kB);
  auto& clear = tags.action("clear");
  clear.compare_a(kLo, Comparison::equal, clear.input(low));
  clear.compare_b(kHi, Comparison::equal, clear.input(high));
  clear.set(kLo, 0, kA & kB).set(kHi, 0, kA & kB);
  clear.output(AluOutput::predicate, kA & kB);
  auto& take = p_.action("take" + w).execute(insert, set_index_, hit);
  auto& give_up = p_.action("give_up" + w).execute(clear, set_index_, hit);
  const FieldRef data = p_.intrinsics().resubmit_data;
  const Condition is_add = type_ == number(MessageType::add_to_switch);
  // No way before has taken it: the last one before says so itself, those before that by `hit`.
  Condition is_new = rules_.two_pass_add ? resubmitted_ == 1 && is_add && data != 0 : resubmitted_ == 0 && is_add;
  if (n >= 2) is_new = is_new && hits_[n - 2] == 0;
  if (n >= 3) is_new = is_new && hit_ == 0;
  const MessageType last = rules_.two_phase_remove ? MessageType::clear : MessageType::remove_from_switch;
  const Condition gives_up = resubmitted_ == 1 && type_ == number(last) && data != 0;
  // The first term is enough for requests, which are most packets, and takes a gateway one row.
  const Condition changes = type_ >= number(MessageType::unlock_read) && (is_new || gives_up);
  lcf.if_(changes).then([&](Block& now) { now.if_(is_add).then(run(take)).else_(run(give_up)); }).else_(run(find));
}

// First passes that are fresh; second passes that undo, that insert, or that give back a lock which their event holds,
// for the first time. (An ADD that comes again only looks has found what is not to be changed.)
Condition LcfBuilder::changes_block() {
  const FieldRef data = p_.intrinsics().resubmit_data;
  const Condition first_or_undo = fresh_ == 1 || (resubmitted_ == 1 && type_ < number(MessageType::unlock_read));
  const Condition gives_back = rules_.unlock_by_holder ? newer_ == 1 && data != 0 : newer_ == 1 && resubmitted_ == 1;
  const Condition is_add = type_ == number(MessageType::add_to_switch);
  const Condition adds = rules_.two_pass_add ? is_add && (rules_.keep_found ? data != 0 : resubmitted_ == 1) : is_add;
  return first_or_undo || gives_back || adds;
}

// CLEARED: of each home agent, the number of its last CLEAR that was executed. The field is one that requests do not
// use.
void LcfBuilder::stamp(Block& lcf) {
  auto& cleared = p_.register_array("CLEARED", Width::single(32), shape_.nodes);
  auto& get = cleared.action("get").output(AluOutput::old_lo);
  auto& put = cleared.action("put");
  put.set(kLo, put.input(seq_));
  auto& stamp = p_.action("stamp").execute(get, home_, copyset_);
  auto& note = p_.action("note_clear").execute(put, home_);
  lcf.if_(hit_ == 0 && resubmitted_ == 0 && type_ < number(MessageType::unlock_read))
      .then(run(stamp))
      .else_([&](Block& other) {
        const MessageType last = rules_.two_phase_remove ? MessageType::clear : MessageType::remove_from_switch;
        other.if_(newer_ == 1 && p_.intrinsics().resubmit_data != 0 && type_ == number(last)).then(run(note));
      });
}

void LcfBuilder::migrated_first_pass(Block& fresh, Action& to_owner_home) {
  const auto& md = p_.intrinsics();
  auto& not_here = p_.action("remove_what_is_not_here")
                       .set(type_, number(MessageType::failed_ack))
                       .set(receiver_, number(Receiver::requester))
                       .set(md.ucast_egress_port, md.ingress_port);
  auto& cleared_before = reply("cleared_before", MessageType::unlock_ack);
  auto& unlock = unlock_with_score();
  const Condition is_add = type_ == number(MessageType::add_to_switch),
                  is_remove = type_ == number(MessageType::remove_from_switch),
                  is_clear = type_ == number(MessageType::clear);
  // As printed a REMOVE that has its lock comes again, as an unlock does.
  const Condition comes_again =
      rules_.two_phase_remove ? is_unlock() || is_clear : is_unlock() || is_clear || (is_remove && score_ != 0);
  fresh.if_(is_add).then([&](Block& adds) { first_pass_of_add(adds); }).else_([&](Block& others) {
    others.if_(hit_ == 0)
        .then([&](Block& absent) {
          absent.if_(is_remove).then(run(not_here)).else_([&](Block& more) {
            more.if_(is_clear).then(run(cleared_before)).else_(run(to_owner_home));
          });
        })
        .else_([&](Block& mine) {
          // As printed it has six rows.
          mine.if_(comes_again).split().then(run(unlock)).else_([&](Block& locks) {
            locks.if_(is_remove).then([&](Block& removes) { answer_remove(removes); }).else_([&](Block& request) {
              locked_or_not(request);
            });
          });
        });
  });
}

void LcfBuilder::answer_remove(Block& removes) {
  auto& locked = reply("remove_what_is_locked", MessageType::failed_ack);
  if (!rules_.two_phase_remove) return static_cast<void>(removes.apply(locked));
  auto& removed = with_metadata(reply("removed", MessageType::ack));
  removes.if_(score_ != 0).then(run(removed)).else_(run(locked));
}

void LcfBuilder::first_pass_of_add(Block& adds) {
  if (!rules_.two_pass_add) return answer_add(adds);
  const auto& md = p_.intrinsics();
  auto& look_again = p_.action("resubmit_to_look").set(md.resubmit, 1).set(md.resubmit_value, 0);
  auto& add = p_.action("resubmit_to_add").set(md.resubmit, 1).set(md.resubmit_value, newer_);
  adds.if_(hit_ == 1).then(run(look_again)).else_(run(add));
}

void LcfBuilder::answer_add(Block& adds) {
  auto& added = answer_to_home_and_shadow("added", MessageType::ack);
  auto& collided = answer_to_home_and_shadow("collided", MessageType::failed_ack);
  adds.if_(hit_ == 1).then(run(added)).else_(run(collided));
}

void LcfBuilder::migrated_second_pass(Block& second, Action& unlocked, Action& invalid) {
  second.if_(type_ < number(MessageType::unlock_read)).then(run(invalid)).else_([&](Block& rest) {
    if (rules_.two_pass_add) {
      rest.if_(type_ == number(MessageType::add_to_switch))
          .then([&](Block& adds) { answer_add(adds); })
          .else_([&](Block& more) { answer_release(more, unlocked); });
    } else {
      answer_release(rest, unlocked);
    }
  });
}

// As printed it is REMOVE itself that comes again, to give the block up and bring its metadata home.
void LcfBuilder::answer_release(Block& rest, Action& unlocked) {
  if (rules_.two_phase_remove) return static_cast<void>(rest.apply(unlocked));
  auto& removed = with_metadata(reply("removed", MessageType::ack));
  rest.if_(type_ == number(MessageType::remove_from_switch)).then(run(removed)).else_(run(unlocked));
}

Action& LcfBuilder::answer_to_home_and_shadow(const char* name, MessageType type) {
  return p_.action(name)
      .set(type_, number(type))
      .set(receiver_, number(Receiver::requester))
      .set(is_in_switch_, type == MessageType::ack ? 1 : 0)
      .add(p_.intrinsics().mcast_grp_a, node_id_, kAddGroups);
}

void LcfBuilder::address_shadow(Block& flowcc) {
  auto& to_shadow = p_.action("to_shadow").set(receiver_, number(Receiver::shadow));
  flowcc.if_(p_.intrinsics().egress_rid == kShadowRid).then(run(to_shadow));
}

}  // namespace racksim::flowcc
