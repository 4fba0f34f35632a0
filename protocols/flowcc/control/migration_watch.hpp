// What must hold at every instant where blocks migrate, looked at from outside: a tag is in one way at most, a free
// place is not locked, and of switch and home at most one would grant a request. What must hold at rest: both agree who
// has which block.
#pragma once

#include <string>
#include <vector>

#include "models/service/protocol.hpp"
#include "models/switch/pass_observer.hpp"
#include "protocols/flowcc/node/network.hpp"

namespace racksim::flowcc {

class MemoryNode;
class SwitchOwner;

/// Looks at the block of each request, and of each packet of a migration, that has passed through the LCF pipeline. In
/// fused mode; stepped passes overlap, and only what is left at rest is looked at.
class MigrationWatch final : public models::PassObserver {
 public:
  MigrationWatch(Shared& shared, const SwitchOwner& owner, std::vector<const MemoryNode*> nodes)
      : shared_(shared), owner_(owner), nodes_(std::move(nodes)) {}

  void before_ingress(const p4::Packet&, const p4::IngressMetadata&) override {}
  void after_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata,
                     const p4::Verdict& verdict) override;
  bool sees_idle_passes() const override { return false; }

  /// What was wrong at some instant, the first few.
  const std::vector<models::Leak>& seen() const { return seen_; }
  /// What is wrong although nothing is under way.
  std::vector<models::Leak> at_rest() const;

 private:
  void report(const char* kind, Tag tag, std::string what);

  Shared& shared_;
  const SwitchOwner& owner_;
  std::vector<const MemoryNode*> nodes_;
  std::vector<models::Leak> seen_;
};

}  // namespace racksim::flowcc
