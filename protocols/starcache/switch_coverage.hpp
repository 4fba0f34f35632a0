// Marks what passes of StarCache's pipeline exercise (StarCache §3.3, Figure 4): seen from outside, by the packet
// before and after its pass and the registers that the pass meets.
#pragma once

#include <optional>

#include "models/switch/switch_chassis.hpp"
#include "protocols/starcache/cache_manager.hpp"
#include "protocols/starcache/coverage.hpp"

namespace racksim::starcache {

class SwitchCoverage final : public models::PassObserver {
 public:
  SwitchCoverage(store::Shared& shared, const StarCacheOptions& options, const StarProgram& program,
                 const CacheManager& manager);

  void before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) override;
  void after_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata,
                     const p4::Verdict& verdict) override;
  bool sees_idle_passes() const override { return false; }

 private:
  bool comes_round(unsigned port) const;
  std::uint64_t lookup_hits(unsigned port) const;
  std::size_t state_at(RowAt row) const;

  store::Shared& shared_;
  const StarCacheOptions& options_;
  StarProgram program_;
  const CacheManager& manager_;
  // Of the packet whose pass is under way, if it is a message about a key.
  std::size_t message_ = kNoMessage;
  store::Op op_{};
  std::uint64_t hits_ = 0;          // of the lookup table, before the pass
  std::size_t state_ = kNotCached;  // as it would be if the lookup table knows the key
  bool served_ = false;             // some packets of the item, but not all, have gone to the request at the front
  std::uint64_t version_ = 0;
};

}  // namespace racksim::starcache
