// What a pass through the ingress looked at: all that its outcome depends on beside the packet and its port.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace racksim::p4 {

/// Filled by Pipeline::run_ingress. Where passes repeat (Pipeline::passes_repeat) one has no other input: hashes are
/// functions of fields, and a lookup changes its outcome only when the control plane changes a table.
class PassNotes {
 public:
  static constexpr std::size_t kMost = 16;
  struct Register {
    std::uint32_t array, index;
  };
  struct Lookup {
    std::uint32_t table;
    bool hit;
  };

  void add_register(std::uint32_t array, std::uint64_t index) {
    if (register_count_ == kMost) {
      complete_ = false;
      return;
    }
    registers_[register_count_++] = {array, static_cast<std::uint32_t>(index)};
  }
  void add_lookup(std::uint32_t table, bool hit) {
    if (lookup_count_ == kMost) {
      complete_ = false;
      return;
    }
    lookups_[lookup_count_++] = {table, hit};
  }

  /// Whether there was room for all.
  bool complete() const { return complete_; }
  /// Register entries that the pass executed on or probed, perhaps more than once.
  std::span<const Register> registers() const { return {registers_.data(), register_count_}; }
  std::span<const Lookup> lookups() const { return {lookups_.data(), lookup_count_}; }

 private:
  std::size_t register_count_ = 0, lookup_count_ = 0;
  bool complete_ = true;
  std::array<Register, kMost> registers_;
  std::array<Lookup, kMost> lookups_;
};

}  // namespace racksim::p4
