// What only the protocol can see after the drain: locks still held, requests still outstanding.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "sim/oracles/oracle.hpp"

namespace racksim::sim {

/// Collects the leftovers that a protocol reports when everything should have come to rest.
class QuiescenceOracle : public Oracle {
 public:
  ObservedKinds kinds() const override { return {}; }
  QuiescenceOracle() : Oracle("quiescence", "state at the end") {}

  /// A leftover of this kind ("leaked-lock", "stuck-request"): the kind becomes the violation's oracle name. `what`
  /// says which, whose and since when.
  void report(std::string_view kind, Time at, std::string what, KeyAndOperations about = {}) {
    violated(std::string(kind), at, std::move(what), std::move(about));
  }
};

}  // namespace racksim::sim
