// Memory as it is when all has come to rest: what an application's slots hold where readers would find it, from homes and
// dirty copies that the protocol shows, never from what the application believes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "models/applications/regions.hpp"
#include "models/service/memory_service.hpp"
#include "sim/record/state_visitor.hpp"

namespace racksim::app {

/// The values of objects that were ever written, as a protocol shows them when all has come to rest.
class MemoryAtRest final : public sim::StateVisitor {
 public:
  void home(sim::Key object, sim::Value value) override { values_.emplace(object, value); }
  void copy(sim::Key object, sim::Holder, sim::Value value, sim::CopyState state) override {
    if (state == sim::CopyState::dirty) values_.insert_or_assign(object, value);
  }
  void lost(sim::Key) override { half_done_ = true; }
  /// An operation has died half done.
  void half_done() { half_done_ = true; }
  /// Whether nobody can say what memory must hold.
  bool is_half_done() const { return half_done_; }
  /// By object.
  const std::map<std::uint64_t, sim::Value>& values() const { return values_; }

 private:
  std::map<std::uint64_t, sim::Value> values_;
  bool half_done_ = false;
};

/// Bytes at an address at rest.
void read_at_rest(const models::MemoryService& memory, const MemoryAtRest& at_rest, models::GlobalAddress address,
                  std::span<std::byte> into);

class Image {
 public:
  Image(const models::MemoryService& memory, const Regions& regions, const MemoryAtRest& at_rest)
      : memory_(memory), regions_(regions), at_rest_(at_rest) {}

  std::uint64_t slots(std::string_view region) const { return regions_.region(regions_.number(region)).slots; }
  Slot slot(std::string_view region, std::uint64_t index) const { return {regions_.number(region), index}; }
  /// What lies at an offset of a slot.
  void read(Slot slot, std::size_t offset, std::span<std::byte> into) const;
  template <class T>
  T get(Slot slot, std::size_t offset = 0) const {
    T value;
    read(slot, offset, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  /// The sum over all slots of a region of what they have at an offset.
  template <class T>
  T sum(std::string_view region, std::size_t offset = 0) const {
    const std::uint32_t number = regions_.number(region);
    T sum{};
    for (std::uint64_t i = 0; i < regions_.region(number).slots; ++i) sum += get<T>({number, i}, offset);
    return sum;
  }

 private:
  const models::MemoryService& memory_;
  const Regions& regions_;
  const MemoryAtRest& at_rest_;
};

}  // namespace racksim::app
