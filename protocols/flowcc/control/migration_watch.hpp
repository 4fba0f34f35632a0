// What must hold at every instant where blocks migrate, looked at from outside: a tag is in one way at most, a free
// place is not locked, and of switch and home at most one would grant a request. What must hold at rest: both agree who
// has which block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/service/protocol.hpp"
#include "models/switch/pass_observer.hpp"
#include "p4model/execute/register_file.hpp"
#include "protocols/flowcc/node/network.hpp"

namespace racksim::flowcc {

class MemoryNode;
class SwitchOwner;

/// Looks at each place of the TAG and LOCK arrays that a pass or the control CPU has written, and at the block of each
/// request that has passed. In fused mode; stepped passes overlap, and only what is left at rest is looked at.
class MigrationWatch final : public models::PassObserver, p4::StateWriteObserver {
 public:
  MigrationWatch(Shared& shared, const SwitchOwner& owner, std::vector<const MemoryNode*> nodes);

  void before_ingress(const p4::Packet&, const p4::IngressMetadata&) override { in_pass_ = true; }
  void after_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata,
                     const p4::Verdict& verdict) override;
  bool sees_idle_passes() const override { return false; }

  /// What was wrong at some instant, the first few.
  const std::vector<models::Leak>& seen() const { return seen_; }
  /// What is wrong although nothing is under way.
  std::vector<models::Leak> at_rest() const;

 private:
  /// A place of the arrays of a way.
  struct Place {
    std::uint32_t way;
    std::uint64_t index;
  };
  void register_written(const p4::StateWrite& write) override {
    if (in_pass_ && is_watched(write.array)) written_.push_back({way_of_[write.array], write.index});
  }
  void register_set(std::uint32_t array, std::uint64_t index) override {
    if (is_watched(array)) look_at({way_of_[array], index});
  }
  bool is_watched(std::uint32_t array) const { return array < way_of_.size() && way_of_[array] != kNoWay; }
  void look_at(const Place& place);
  void look_for_two_owners(Tag tag);
  void report(const char* kind, Tag tag, std::string what);

  static constexpr std::uint32_t kNoWay = ~std::uint32_t{0};

  Shared& shared_;
  const SwitchOwner& owner_;
  std::vector<const MemoryNode*> nodes_;
  std::vector<std::uint32_t> way_of_;  // by number of an array: whose TAG or LOCK it is
  std::vector<Place> written_;         // by the pass that is under way
  bool in_pass_ = false;
  std::vector<models::Leak> seen_;
};

}  // namespace racksim::flowcc
