// Random switch programs, of whatever passes can be generated from: the build generates those of this test program, and
// generated_pass_test.cpp compares them with the interpreter.
#include "tests/p4model/generate/random_programs.hpp"

#include <fmt/core.h>

#include <vector>

#include "p4model/execute/pipeline.hpp"
#include "p4model/execute/registry.hpp"
#include "p4model/language/headers.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace racksim::p4::testing {

namespace {

class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : random_(seed) {
    parsers();
    arrays();
    fill(p_.ingress(), 3);
    ending();
    p_.egress().apply(
        p_.action("leave").set(udp_src_, p_.intrinsics().egress_port).set(ttl_, p_.intrinsics().egress_rid));
  }
  std::shared_ptr<Program> program() { return program_; }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  void parsers() {
    const bool with_set = one_in(2);
    const auto* protocols = with_set ? &p_.value_set("PROTOCOLS", 8, 4) : nullptr;
    for (const auto gress : {Gress::ingress, Gress::egress}) {
      p_.parser_state<Ethernet>(gress, "start")
          .select(p_.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, "ipv4"}}, kReject);
      auto& ipv4 = p_.parser_state<Ipv4>(gress, "ipv4");
      const auto protocol = p_.header_field(&Ipv4::protocol);
      if (protocols != nullptr && gress == Gress::ingress) {
        ipv4.select(protocol, {}).or_in(*protocols, "udp");
      } else {
        // By some of its bits: 17 and 1 are told from 6, and not from each other.
        ipv4.select_masked(protocol, {{.value = kProtocolUdp & 7, .mask = 7, .state = "udp"}});
      }
      p_.parser_state<Udp>(gress, "udp");
    }
    ttl_ = p_.header_field(&Ipv4::ttl);
    udp_src_ = p_.header_field(&Udp::src_port);
    for (const auto& [member, bits] : {std::pair(p_.header_field(&Ipv4::dscp), 6u), std::pair(ttl_, 8u)}) {
      small_.push_back(member);
      bits_.push_back(bits);
    }
    for (unsigned i = 0; i < 5; ++i) {
      const unsigned widths[] = {1, 7, 8, 16, 32};
      bits_.push_back(widths[i]);
      small_.push_back(p_.field(fmt::format("m{}", i), widths[i]));
    }
  }

  void arrays() {
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned widths[] = {1, 8, 16, 32};
      const unsigned bits = widths[below(4)];
      auto& array = p_.register_array(fmt::format("A{}", i),
                                      one_in(2) && bits > 1 ? Width::pair_of(bits) : Width::single(bits), 48);
      for (unsigned k = 0; k < 2; ++k) actions_.push_back(&random_action(array, fmt::format("act{}", k)));
    }
  }

  RegisterAction& random_action(RegisterArray& array, const std::string& name) {
    auto& action = array.action(name);
    const bool pair = array.width.pair;
    const auto input = action.input(small_[below(small_.size())]);
    const auto word = [&](bool memory) -> AluWord {
      if (memory) return pair && one_in(2) ? kHi : kLo;
      return one_in(2) ? input : AluWord(below(4));
    };
    const auto comparison = [&] { return static_cast<Comparison>(below(6)); };
    if (below(4)) {
      const auto offset = static_cast<std::int64_t>(below(5)) - 2;
      if (array.width.bits > 1 && one_in(2)) {
        action.signed_difference_a(word(true), word(false), comparison(), offset);
      } else {
        action.compare_a(word(true), comparison(), word(false), offset);
      }
    }
    if (below(3)) action.compare_b(word(false), comparison(), word(true));
    const When when{static_cast<std::uint8_t>(below(16))};
    const auto operation = [&] { return static_cast<AluOperation>(below(10)); };
    action.update(kLo, operation(), word(one_in(2)), word(one_in(2)), when);
    if (one_in(2)) action.update(kLo, operation(), word(one_in(2)), word(one_in(2)), ~when);
    if (pair) action.update(kHi, operation(), word(one_in(2)), word(one_in(2)), when);
    const AluOutput outputs[] = {AluOutput::old_lo, AluOutput::new_lo, AluOutput::predicate, AluOutput::input_0};
    return action.output(outputs[below(4)], When{static_cast<std::uint8_t>(below(16))});
  }

  Condition condition(unsigned depth) {
    if (depth == 0 || one_in(2)) return {small_[below(3)], static_cast<Comparison>(below(2) * 5), below(4)};
    const Condition a = condition(depth - 1), b = condition(depth - 1);
    return one_in(2) ? a && b : one_in(2) ? a || b : !a;
  }

  Action& random_work() {
    auto& action = p_.action(fmt::format("work{}", made_++));
    const auto to = small_[2 + below(small_.size() - 2)], from = small_[below(small_.size())];
    switch (below(6)) {
      case 0:
        return action.add(to, from, 1 + below(3));
      case 1:
        return action.set(to, from);
      case 2:
        return action.bit_xor(to, to, from);
      case 3:
        return action.max(to, to, from);
      case 4:
        return action.set(to, below(4)).set(ttl_, to);  // the old value
      default: {
        if (next_action_ == actions_.size()) return action.min(to, to, from);
        // 48 entries and an index of 6 bits: some are outside.
        return action.execute(*actions_[next_action_++], p_.header_field(&Ipv4::dscp), to);
      }
    }
  }

  void fill(Block& block, unsigned depth) {
    for (auto n = 1 + below(3); n-- > 0;) {
      const auto inner = [&](Block& b) {
        if (depth > 0) fill(b, depth - 1);
      };
      switch (below(4)) {
        case 0:
          block.if_(condition(1)).then(inner).else_(inner);
          break;
        case 1: {
          auto& table = p_.table(fmt::format("table{}", made_++));
          const auto key = small_[below(3)];
          const bool ternary = one_in(2);
          ternary ? table.key(key, MatchKind::ternary) : table.key(key);
          if (one_in(3)) table.key(small_[3 + below(2)]);
          auto& given = p_.action(fmt::format("given{}", made_++));
          given.set(small_[3 + below(4)], given.data("value", 8));
          table.action(given).action(random_work()).size(32);
          if (one_in(2)) {
            table.default_action(given, {below(256)});
          } else if (one_in(2)) {
            auto& missed = p_.action(fmt::format("missed{}", made_++));
            table.default_action(missed.set(small_[3 + below(4)], below(200)));
          }
          block.apply(table).on_hit(inner).on_miss(inner);
          break;
        }
        case 2: {
          auto& hashed = p_.action(fmt::format("hash{}", made_++));
          block.apply(hashed.set(small_[2 + below(5)], p_.hash(fmt::format("h{}", made_), {ttl_, udp_src_}, 4)));
          break;
        }
        default:
          block.apply(random_work());
      }
    }
  }

  void ending() {
    const auto& in = p_.intrinsics();
    auto& out = p_.action("out").set(in.ucast_egress_port, small_[3]).set(in.mcast_grp_a, small_[4]).set(in.rid, ttl_);
    auto& again = p_.action("again").set(in.resubmit, 1).set(in.resubmit_value, small_[5]);
    auto& drop = p_.action("drop").set(in.drop, 1);
    p_.ingress().if_(small_[2] == 1).then([&](Block& b) { b.apply(again); }).else_([&](Block& b) {
      b.if_(ttl_ == 3).then([&](Block& c) { c.apply(drop); }).else_([&](Block& c) { c.apply(out); });
    });
    if (one_in(2)) p_.ingress().apply(p_.action("pop").set(p_.valid<Udp>(), 0));
  }

  RandomNumbers random_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>("random", "made by chance");
  Program& p_ = *program_;
  FieldRef ttl_{}, udp_src_{};
  std::vector<FieldRef> small_;
  std::vector<unsigned> bits_;
  std::vector<RegisterAction*> actions_;
  std::size_t next_action_ = 0;
  int made_ = 0;
};

/// The first program from this seed on that is legal and fits.
std::shared_ptr<const Program> fitting(std::uint64_t seed) {
  for (;; seed += kRandomPrograms) {
    try {
      auto program = RandomProgram(seed).program();
      const Pipeline pipeline(program);
      return program;
    } catch (const ProgramError&) {  // or DoesNotFit
    }
  }
}

struct Registrations {
  Registrations() {
    for (std::uint64_t seed = 0; seed < kRandomPrograms; ++seed) {
      sim::Registration<ProgramEntry>(
          {.name = random_program_name(seed), .doc = "made by chance", .make = [seed] { return fitting(seed); }});
    }
  }
} registrations;

}  // namespace

std::string random_program_name(std::uint64_t number) {
  return fmt::format("random-{}", number);
}

}  // namespace racksim::p4::testing
