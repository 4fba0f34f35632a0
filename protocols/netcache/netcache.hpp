// NetCache (Jin et al., SOSP '17) as StarCache's baseline (StarCache §5.1): the running protocol. The application of
// NoCache, with the values of hot items in switch memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocols/netcache/cache_manager.hpp"
#include "protocols/netcache/controller.hpp"
#include "protocols/netcache/coverage.hpp"
#include "protocols/netcache/net_server.hpp"
#include "protocols/store/application.hpp"

namespace racksim::netcache {

class NetCache final : public store::Application {
 public:
  NetCache(models::ProtocolContext& context, const NetCacheOptions& options);

  void add_actors(sim::Engine& engine, std::span<const sim::HostId> nodes) override;
  void show_state(sim::StateVisitor& visitor) const override;
  void preload(std::span<const sim::Key> hottest) override;
  void node_crashed(models::NodeId node) override;
  bool quiescent() const override;
  void add_waits(std::vector<sim::Wait>& waits) const override;
  std::vector<models::Leak> leaks() const override;
  std::vector<models::SwitchRegister> switch_state_of(sim::Key key) const override;

  CacheManager& manager() { return *manager_; }
  Controller& controller() { return *controller_; }
  NetServer& server(unsigned number) { return *servers_.at(number); }
  const NetProgram& program() const { return program_; }

 protected:
  const char* name_of(store::Op op) const override;

 private:
  NetCacheOptions options_;
  switch_cache::CacheLocation location_;
  Counters counters_;
  NetProgram program_;
  std::vector<std::unique_ptr<NetServer>> servers_;  // by number
  std::unique_ptr<CacheManager> manager_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<SwitchCoverage> switch_coverage_;  // only if the run is asked for coverage
};

}  // namespace racksim::netcache
