// What the recorded history of a run says that keys hold at its end: what `values-at-rest` compares with.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/record/ids.hpp"

namespace racksim::sim {

class LastValues {
 public:
  /// Whether the key may hold `value`; true of every value if nothing is known of the key.
  virtual bool may_hold(Key key, Value value) const = 0;
  /// The values that it may hold, in ascending order; none if nothing is known.
  virtual std::vector<Value> possible_values(Key key) const = 0;
  /// Each key ever used, in no particular order, but for those that can only hold what nobody has written.
  virtual void visit_keys(const std::function<void(Key key)>& visit) const = 0;

 protected:
  ~LastValues() = default;
};

}  // namespace racksim::sim
