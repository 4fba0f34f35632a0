// NoCache, "a mechanism without any cache logic" (StarCache §5.1): the store on a switch that forwards.
#pragma once

#include "protocols/store/application.hpp"

namespace racksim::nocache {

struct NoCacheOptions final : store::StoreProtocolOptions {
  void declare(sim::Parameters& p) override { declare_store(p, {}); }
  sim::Duration longest_timeout(const models::RackOptions&) const override { return timeout; }
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;
};

class NoCache final : public store::Application {
 public:
  NoCache(models::ProtocolContext& context, const NoCacheOptions& options);

  /// There is nothing to load.
  void preload(std::span<const sim::Key> hottest) override { static_cast<void>(hottest); }
  /// Operations wait for their own packets alone.
  std::optional<std::uint64_t> fate_of(sim::Key) const override { return std::nullopt; }
};

}  // namespace racksim::nocache
