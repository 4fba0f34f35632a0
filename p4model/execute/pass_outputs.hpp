// The end of a pass, for the interpreter and generated passes alike: what its outputs come to, and headers put together
// anew.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "p4model/execute/pipeline.hpp"

namespace racksim::p4 {

/// The outputs of an ingress pass as the PHV holds them.
struct PassOutputs {
  std::uint64_t drop = 0, resubmit = 0, resubmit_value = 0;
  std::uint64_t ucast_egress_port = kUnset, mcast_grp_a = kUnset, mcast_grp_b = kUnset, rid = kUnset;
  std::uint64_t l2_exclusion_id = kUnset, l1_exclusion_id = kUnset, level1_hash = kUnset, level2_hash = kUnset;
};

inline Verdict Pipeline::verdict_of(const PassOutputs& outputs, bool resubmitted, bool may_resubmit) {
  Verdict verdict;
  if (outputs.resubmit == 1) {
    if (resubmitted || !may_resubmit) {
      ++counters_.refused_resubmits;
      ++counters_.ingress_drops;
      return verdict;
    }
    ++counters_.resubmits;
    verdict.resubmit = true;
    verdict.resubmit_data = outputs.resubmit_value;
    return verdict;
  }
  static_assert(Verdict::kNone == static_cast<std::int32_t>(kUnset), "what is unset asks for nothing");
  const auto number = [](std::uint64_t word) { return static_cast<std::int32_t>(word); };
  const auto or_zero = [](std::uint64_t word) {
    return word == kUnset ? std::uint16_t{0} : static_cast<std::uint16_t>(word);
  };
  if (outputs.drop != 1) {
    verdict.ucast_port = number(outputs.ucast_egress_port);
    if (verdict.ucast_port == no_port_) verdict.ucast_port = Verdict::kNone;
    verdict.mcast_a = number(outputs.mcast_grp_a);
    verdict.mcast_b = number(outputs.mcast_grp_b);
    verdict.rid = or_zero(outputs.rid);
    verdict.l2_exclusion = number(outputs.l2_exclusion_id);
    verdict.l1_exclusion = number(outputs.l1_exclusion_id);
    verdict.level1_hash = or_zero(outputs.level1_hash);
    verdict.level2_hash = or_zero(outputs.level2_hash);
  }
  if (verdict.dropped()) {
    ++counters_.ingress_drops;
    return {};
  }
  return verdict;
}

/// Writes all headers of a packet anew. What the parser did not look at stays behind those that the program knows.
class HeaderRebuild {
 public:
  HeaderRebuild(Packet& packet, std::size_t parsed) : packet_(packet) {
    for (std::size_t i = parsed; i < packet.header_count(); ++i, ++behind_) {
      layouts_[behind_] = &packet.layout(i);
      packet.read_words(i, words_[behind_].data());
    }
    packet.truncate_headers(0);
  }
  void push(const HeaderLayout& layout, const std::uint64_t* words) { packet_.push_words(layout, words); }
  void finish() {
    for (std::size_t i = 0; i < behind_; ++i) packet_.push_words(*layouts_[i], words_[i].data());
  }

 private:
  Packet& packet_;
  std::size_t behind_ = 0;
  std::array<const HeaderLayout*, Packet::kMaxHeaders> layouts_;
  std::array<std::array<std::uint64_t, HeaderLayout::kMaxFields>, Packet::kMaxHeaders> words_;
};

}  // namespace racksim::p4
