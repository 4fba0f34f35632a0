// Memory as it is when all has come to rest: the bytes where readers would find them, from homes and dirty copies that a
// protocol shows, never from what a service or an application believes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "models/service/memory_service.hpp"
#include "sim/record/state_visitor.hpp"

namespace racksim::models {

class MemoryImage final : public sim::StateVisitor {
 public:
  explicit MemoryImage(const MemoryService& memory) : memory_(memory) {}

  void home(sim::Key object, sim::Value value) override { values_.emplace(object, value); }
  void copy(sim::Key object, sim::Holder, sim::Value value, sim::CopyState state) override {
    if (state == sim::CopyState::dirty) values_.insert_or_assign(object, value);
  }
  void lost(sim::Key) override { half_done_ = true; }
  /// An operation has died half done.
  void half_done() { half_done_ = true; }

  /// Whether nobody can say what memory must hold.
  bool is_half_done() const { return half_done_; }
  /// Copies what lies at an address.
  void read(GlobalAddress address, std::span<std::byte> into) const;
  /// Of each object that was ever written.
  const std::map<std::uint64_t, sim::Value>& values() const { return values_; }

 private:
  const MemoryService& memory_;
  std::map<std::uint64_t, sim::Value> values_;
  bool half_done_ = false;
};

}  // namespace racksim::models
