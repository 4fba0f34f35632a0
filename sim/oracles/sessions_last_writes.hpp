// What keys may hold at the end of a run whose history need only be sequentially consistent: of each session its last
// write. Which session's comes last, real time does not tell.
//
// Memory: 40 bytes for each key and session that writes it, in vectors.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/oracles/last_values.hpp"
#include "sim/record/event_log.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// Reads the beginnings and ends of writes. Writes of a session that overlap may each be its last; one that was given
/// up may have taken effect or not, so that the one before it may be the last too.
class SessionsLastWrites final : public Observer, public LastValues {
 public:
  ObservedKinds kinds() const override { return kAccessKinds; }
  void observe(const Observation& observation) override;

  bool may_hold(Key key, Value value) const override;
  std::vector<Value> possible_values(Key key) const override;
  void visit_keys(const std::function<void(Key key)>& visit) const override {
    index_.for_each([&](std::uint64_t key, std::uint32_t) { visit(Key{key}); });
  }

 private:
  static constexpr std::uint64_t kNotYet = ~std::uint64_t{0};
  struct Write {
    Source session;
    Value value = 0;
    std::uint64_t begun = 0, ended = kNotYet;  // positions among all events
  };

  FlatMap<std::uint32_t> index_;  // of a key's writes
  std::vector<std::vector<Write>> writes_;
  std::uint64_t event_ = 0;
};

}  // namespace racksim::sim
