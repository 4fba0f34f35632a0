// A reduced lock-check-forward pipeline in the manner of Concordia 5.1.1, for tests: ways of TAG, LOCK, G-STATUS and
// COPYSET staggered over the stages, a scoreboard, a check table and a forward table, with undo by resubmission.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "p4model/language/headers.hpp"
#include "p4model/language/program.hpp"

namespace racksim::p4::testing {

struct Coherence {
  std::uint64_t type = 0, node = 0, tag_hi = 0, tag_lo = 0, index = 0, node_bit = 0, status = 0, copyset = 0, seq = 0;
  static constexpr HeaderLayout kLayout{"coherence",
                                        {{"type", 8},
                                         {"node", 8},
                                         {"tag_hi", 32},
                                         {"tag_lo", 32},
                                         {"index", 16},
                                         {"node_bit", 32},
                                         {"status", 8},
                                         {"copyset", 32},
                                         {"seq", 32}}};
};
enum : std::uint64_t { kRead = 1, kWrite = 2, kUnlockRead = 3, kUnlockWrite = 4 };
inline constexpr std::uint64_t kEtherTypeCoherence = 0x88b5;
inline constexpr std::uint16_t kFailPort = 60, kHomePort = 61, kAckPort = 62;

struct LcfSketch {
  std::shared_ptr<Program> program;
  std::vector<RegisterArray*> tag, lock, status, copyset;
  Table* check = nullptr;
};

inline LcfSketch make_lcf_sketch(int ways, std::uint64_t entries, bool pinned = false) {
  LcfSketch out;
  out.program = std::make_shared<Program>("lcf-sketch");
  auto& p = *out.program;
  const auto& md = p.intrinsics();
  const auto type = p.header_field(&Coherence::type), index = p.header_field(&Coherence::index);
  const auto node = p.header_field(&Coherence::node), node_bit = p.header_field(&Coherence::node_bit);
  const auto status = p.header_field(&Coherence::status), copyset = p.header_field(&Coherence::copyset);
  const auto seq = p.header_field(&Coherence::seq);
  p.parser_state<Ethernet>(Gress::ingress, "ethernet")
      .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeCoherence, "coherence"}}, kReject);
  p.parser_state<Coherence>(Gress::ingress, "coherence");

  const auto lock_ok = p.field("lock_ok", 1), old_status = p.field("old_status", 8), sharers = p.field("sharers", 32);
  const auto member = p.field("member", 32), score = p.field("score", 16), hit = p.field("hit", 1);
  const auto newer = p.field("newer", 1);

  auto& last_unlock = p.register_array("LAST_UNLOCK", Width::single(32), 256);
  auto& record = last_unlock.action("record");
  const auto sequence = record.input(seq);
  record.signed_difference_a(sequence, kLo, Comparison::greater)
      .set(kLo, sequence, kA)
      .output(AluOutput::predicate, kA);
  p.ingress().if_(type >= 3 && md.resubmit_flag == 1).then([&](Block& unlock) {
    unlock.apply(p.action("record_unlock").execute(record, node, newer));
  });

  std::vector<FieldRef> hits;
  for (int w = 1; w <= ways; ++w) {
    const auto n = std::to_string(w);
    auto& tag = p.register_array("TAG" + n, Width::pair_of(32), entries);
    auto& lookup = tag.action("lookup");
    lookup.compare_a(kLo, Comparison::equal, lookup.input(p.header_field(&Coherence::tag_lo)));
    lookup.compare_b(kHi, Comparison::equal, lookup.input(p.header_field(&Coherence::tag_hi)));
    lookup.output(AluOutput::predicate, kA & kB);
    hits.push_back(p.field("hit" + n, 1));
    auto& find = p.action("find" + n).execute(lookup, index, hits.back());

    auto& lock = p.register_array("LOCK" + n, Width::single(16), entries);
    auto& read_lock = lock.action("read_lock");
    read_lock.compare_a(kLo, Comparison::less, 0x7fff).update(kLo, AluOperation::add, kLo, 1, kA);
    read_lock.output(AluOutput::predicate, kA);
    auto& write_lock = lock.action("write_lock");
    write_lock.compare_a(kLo, Comparison::equal, 0).set(kLo, 0x8000, kA).output(AluOutput::predicate, kA);
    auto& release_read = lock.action("release_read");
    release_read.update(kLo, AluOperation::sub_saturating, kLo, release_read.input(md.resubmit_data));
    auto& release_write = lock.action("release_write");
    release_write.set(kLo, 0);

    auto& g_status = p.register_array("G_STATUS" + n, Width::single(8), entries);
    auto& get_status = g_status.action("get").output(AluOutput::old_lo);
    auto& put_status = g_status.action("put");
    put_status.set(kLo, put_status.input(status));
    auto& copy_set = p.register_array("COPYSET" + n, Width::single(32), entries);
    auto& get_copyset = copy_set.action("get").output(AluOutput::old_lo);
    auto& or_copyset = copy_set.action("or");
    or_copyset.update(kLo, AluOperation::bit_or, kLo, or_copyset.input(copyset));
    auto& put_copyset = copy_set.action("put");
    put_copyset.set(kLo, put_copyset.input(copyset));

    const auto reads = [&](const char* name, RegisterAction& taking) -> Action& {
      return p.action(name + n)
          .set(hit, 1)
          .execute(taking, index, lock_ok)
          .execute(get_status, index, old_status)
          .execute(get_copyset, index, sharers);
    };
    auto& read = reads("read", read_lock);
    auto& write = reads("write", write_lock);
    auto& unlock_read = p.action("unlock_read" + n)
                            .set(hit, 1)
                            .execute(release_read, index)
                            .execute(put_status, index)
                            .execute(or_copyset, index);
    auto& unlock_write = p.action("unlock_write" + n)
                             .set(hit, 1)
                             .execute(release_write, index)
                             .execute(put_status, index)
                             .execute(put_copyset, index);
    auto& access = p.table("way" + n).key(type).key(md.resubmit_flag).size(8);
    access.entry({kRead, 0}, read).entry({kWrite, 0}, write);
    auto& touch = p.action("touch" + n).set(hit, 1);
    access.entry({kUnlockRead, 0}, touch).entry({kUnlockWrite, 0}, touch);
    access.entry({kUnlockRead, 1}, unlock_read).entry({kUnlockWrite, 1}, unlock_write);
    if (pinned) {
      tag.stage(w - 1);
      lock.stage(w);
    }
    p.ingress().apply(find);
    p.ingress().if_(hits.back() == 1).then([&](Block& block) { block.apply(access); });
    out.tag.push_back(&tag);
    out.lock.push_back(&lock);
    out.status.push_back(&g_status);
    out.copyset.push_back(&copy_set);
  }

  auto& scoreboard = p.register_array("SCOREBOARD", Width::single(16), 256);
  auto& count = scoreboard.action("count");
  count.update(kLo, AluOperation::add, kLo, count.input(lock_ok)).output(AluOutput::new_lo);
  auto& take = scoreboard.action("take").set(kLo, 0).output(AluOutput::old_lo);
  auto& arithmetic = p.action("arithmetic").bit_and(member, sharers, node_bit);
  p.ingress()
      .if_(hit == 1 && type < 3)
      .then([&](Block& b) {
        b.apply(p.action("count_score").execute(count, node, score));
        b.apply(arithmetic);
      })
      .else_([&](Block& other) {
        other.if_(hit == 1 && md.resubmit_flag == 0).then([&](Block& b) {
          b.apply(p.action("take_score").execute(take, node, score));
        });
      });

  auto& to_home = p.action("to_home").set(md.ucast_egress_port, kHomePort);
  auto& fail = p.action("fail").set(md.ucast_egress_port, kFailPort);
  auto& ack = p.action("ack").set(md.ucast_egress_port, kAckPort).set(status, old_status).set(copyset, sharers);
  auto& spread = p.action("spread")
                     .set(md.mcast_grp_a, sharers)
                     .bit_or(md.mcast_grp_b, sharers, 0x8000)
                     .set(status, old_status)
                     .set(copyset, sharers);
  auto& again = p.action("again").set(md.resubmit, 1).set(md.resubmit_value, score);
  auto& check = p.table("check").key(type).key(old_status).key(md.resubmit_flag).size(64).default_action(fail);
  check.entry({kRead, 0, 0}, ack).entry({kRead, 1, 0}, ack).entry({kWrite, 0, 0}, ack).entry({kWrite, 1, 0}, spread);
  check.entry({kUnlockRead, 0, 0}, again).entry({kUnlockWrite, 0, 0}, again);
  check.entry({kUnlockRead, 0, 1}, ack).entry({kUnlockWrite, 0, 1}, ack);
  out.check = &check;
  p.ingress().if_(hit == 0 && type < 3).then([&](Block& b) { b.apply(to_home); }).else_([&](Block& b) {
    b.if_(type < 3 && (score == 0 || member != 0))
        .split()
        .then([&](Block& no) { no.apply(fail); })
        .else_([&](Block& yes) { yes.apply(check); });
  });
  return out;
}

}  // namespace racksim::p4::testing
