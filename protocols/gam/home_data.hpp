// The data of a line in the memory of its home, which the NIC reads and writes too.
#pragma once

#include <cstdint>

#include "models/host/memory.hpp"
#include "sim/record/ids.hpp"

namespace racksim::gam {

class HomeData {
 public:
  HomeData(models::Memory& memory, std::uint64_t offset) : memory_(memory), offset_(offset) {}

  sim::Value value(std::uint16_t object) const { return sim::Value(memory_.word(offset_ + 8u * object)); }
  void set(std::uint16_t object, sim::Value value) { memory_.set_word(offset_ + 8u * object, value.number()); }

 private:
  models::Memory& memory_;
  std::uint64_t offset_;
};

}  // namespace racksim::gam
