// The data of a line in the memory of its home, which the NIC reads and writes too.
#pragma once

#include <cstdint>

#include "models/host/memory.hpp"
#include "protocols/gam/rules/shared.hpp"
#include "sim/record/ids.hpp"

namespace racksim::gam {

class HomeData {
 public:
  HomeData(const Shared& shared, sim::Key line)
      : memory_(shared.memory_of(shared.home_of(line))),
        offset_(shared.offset_of(line)),
        objects_(shared.objects_per_line()) {}

  sim::Value value(std::uint16_t object) const { return sim::Value(memory_.word(offset_ + 8u * object)); }
  void set(std::uint16_t object, sim::Value value) { memory_.set_word(offset_ + 8u * object, value.number()); }
  /// Calls `visit(object, value)` for each that is not 0, in their order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    memory_.visit_words(offset_, 8 * objects_, [&](std::uint64_t address, std::uint64_t value) {
      visit(static_cast<std::uint16_t>((address - offset_) / 8), sim::Value{value});
    });
  }
  void replace(const LineData& data) {
    for (std::uint16_t object = 0; object < objects_; ++object) set(object, data.value(object));
  }

 private:
  models::Memory& memory_;
  std::uint64_t offset_, objects_;
};

}  // namespace racksim::gam
