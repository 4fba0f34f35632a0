// StarCache (NSDI '25): the running protocol. The application of NoCache, with hot items that circulate in the switch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocols/starcache/cache_manager.hpp"
#include "protocols/starcache/controller.hpp"
#include "protocols/starcache/coverage.hpp"
#include "protocols/starcache/star_server.hpp"
#include "protocols/store/application.hpp"

namespace racksim::starcache {

class StarCache final : public store::Application {
 public:
  StarCache(models::ProtocolContext& context, const StarCacheOptions& options);

  void add_actors(sim::Engine& engine, std::span<const sim::HostId> nodes) override;
  void show_state(sim::StateVisitor& visitor) const override;
  void preload(std::span<const sim::Key> hottest) override;
  void node_crashed(models::NodeId node) override;
  bool quiescent() const override;
  std::vector<models::Leak> leaks() const override;
  std::vector<models::SwitchRegister> switch_state_of(sim::Key key) const override;

  CacheManager& manager() { return *manager_; }
  Controller& controller() { return *controller_; }
  const StarProgram& program() const { return program_; }

 protected:
  /// What circulates for it answers reads of a cached key.
  std::string answers(sim::Key key, bool write) const override;
  const char* name_of(store::Op op) const override;
  void do_describe_items(const models::ItemSizes& sizes) override;

 private:
  /// Names the request queues of a pipe whose ends and length do not fit each other.
  void add_torn_queues(unsigned pipe, std::vector<models::Leak>& leaks) const;

  StarCacheOptions options_;
  switch_cache::CacheLocation location_;
  Counters counters_;
  StarProgram program_;
  std::vector<std::unique_ptr<StarServer>> servers_;
  std::unique_ptr<CacheManager> manager_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<SwitchCoverage> switch_coverage_;  // only if the run is asked for coverage
};

}  // namespace racksim::starcache
