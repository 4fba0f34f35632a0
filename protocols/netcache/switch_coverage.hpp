// Marks what passes of NetCache's pipeline exercise (NetCache §4.4): seen from outside, by the packet before its pass
// and the registers that the pass meets.
#pragma once

#include "models/switch/switch_chassis.hpp"
#include "protocols/netcache/cache_manager.hpp"
#include "protocols/netcache/coverage.hpp"

namespace racksim::netcache {

class SwitchCoverage final : public models::PassObserver {
 public:
  SwitchCoverage(store::Shared& shared, const NetProgram& program, const CacheManager& manager)
      : shared_(shared), program_(program), manager_(manager) {}

  void before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) override;
  void after_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata,
                     const p4::Verdict& verdict) override;
  bool sees_idle_passes() const override { return false; }

 private:
  p4::Pipeline& pipeline() const;

  store::Shared& shared_;
  NetProgram program_;
  const CacheManager& manager_;
  // Of the packet whose pass is under way, if it is a message about a key.
  std::size_t message_ = kNoMessage;
  store::Op op_{};
  std::uint64_t hits_ = 0;     // of the lookup table, before the pass
  std::uint64_t state_ = 0;    // the key's STATE, if the lookup table knows the key
  std::uint64_t version_ = 0;  // in the packet
};

}  // namespace racksim::netcache
