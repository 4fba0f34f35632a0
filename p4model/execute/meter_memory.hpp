// The entries of one meter, and of one counter, at run time (docs/hardware.md 6.8).
//
// An entry of a meter has two token buckets, of the committed and of the peak rate (RFC 2698), that are full when the
// control plane sets it. They fill continuously: between two passes each gets its rate times the time between their
// beginnings, in exact integers of a 10^12th of a token, and only whole tokens are spent. Rates are exact: hardware
// keeps a mantissa and an exponent of them, whose bits are not published.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "p4model/language/meter.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::p4 {

class MeterMemory {
 public:
  MeterMemory(std::string name, std::uint64_t entries) : name_(std::move(name)), entries_(entries) {}

  /// Throws std::runtime_error for an index outside, as all do that take one.
  void check(std::uint64_t index) const;
  /// What a packet of so many packets or bytes becomes, whose pass begins at `now`, and what it takes from the buckets.
  Colour execute(std::uint64_t index, std::uint64_t amount, Colour before, sim::Time now);
  /// Throws std::runtime_error for a burst of 0 and a peak rate below the committed one (RFC 2698, section 2).
  static void check_rates(const std::string& name, const MeterRates& rates);
  void set(std::uint64_t index, const MeterRates& rates, sim::Time now);
  /// Takes an entry back to where it was before it was set: green to all.
  void reset(std::uint64_t index);
  /// Whole tokens in an entry's buckets when it was last used, the committed ones in the upper 32 bits.
  std::uint64_t tokens(std::uint64_t index) const;

 private:
  struct Bucket {
    std::uint64_t tokens = 0, fraction = 0;  // in a 10^12th of a token
    void fill(std::uint64_t rate, std::uint64_t burst, sim::Duration length);
  };
  struct Entry {
    MeterRates rates{};
    Bucket committed{}, peak{};
    sim::Time filled{};
    bool set = false;
  };

  std::string name_;
  std::vector<Entry> entries_;
};

class CounterMemory {
 public:
  CounterMemory(std::string name, CounterUnit unit, std::uint64_t entries)
      : name_(std::move(name)), unit_(unit), entries_(entries) {}

  std::uint64_t size() const { return entries_.size(); }
  /// Counts a packet. Throws std::runtime_error for an index outside, as all of these do.
  const CounterValue& count(std::uint64_t index, std::uint64_t bytes);
  const CounterValue& at(std::uint64_t index) const;
  void set(std::uint64_t index, const CounterValue& value);

 private:
  void check(std::uint64_t index) const;

  std::string name_;
  CounterUnit unit_;
  std::vector<CounterValue> entries_;
};

}  // namespace racksim::p4
