// The litmus tests that come with the workload, with the verdicts of the literature.
//
// Names as in Alglave, Maranget and Tautschnig, "Herding Cats" (ACM TOPLAS 36(2), 2014): store buffering, message
// passing, load buffering, independent reads of independent writes, write-to-read causality; "corr" and "coherence" are
// of one location, read twice by one session, and by two that must agree on the order of two writes. Verdicts for total
// store order from Owens, Sarkar and Sewell, "A Better x86 Memory Model: x86-TSO" (TPHOLs 2009); for partial store
// order from The SPARC Architecture Manual, version 8, appendix K: beside what total store order allows, writes of a
// session to different objects may change places. With a fence between every two operations all models agree.
// So they do under one lock, which must not be given back before what was written under it is performed: "sb+lock" and
// "mp+lock" show one that is: its next holder reads what the writes have not reached yet.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace racksim::models {

/// What a memory may promise. Each promises less than the one before, the last nothing.
enum class LitmusModel : std::uint8_t { sc, tso, pso, none };

std::string_view to_string(LitmusModel model);

struct LitmusTest {
  std::string_view name, program;
  std::string_view outcome;                   ///< the one that the test is about
  bool sc = false, tso = false, pso = false;  ///< whether the outcome is allowed

  bool allowed(LitmusModel model) const {
    return model == LitmusModel::sc ? sc : model == LitmusModel::tso ? tso : model == LitmusModel::pso ? pso : true;
  }
};

const std::vector<LitmusTest>& litmus_tests();
/// The one of this name, or nullptr.
const LitmusTest* find_litmus_test(std::string_view name);

}  // namespace racksim::models
