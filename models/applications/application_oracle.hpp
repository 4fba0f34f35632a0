// The oracle `application`: what must be true of an application's memory when all has come to rest, by its own judgement
// of what the protocol shows, and that no operation keeps a lock.
//
// A node that crashes may leave an operation half done: then memory is not judged.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "models/applications/application.hpp"
#include "models/service/memory_image.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::app {

class ApplicationOracle final : public sim::Oracle {
 public:
  ApplicationOracle(Application& application, const Regions& regions, std::shared_ptr<models::MemoryImage> at_rest)
      : Oracle("application", "fact"), application_(application), regions_(regions), at_rest_(std::move(at_rest)) {}

  /// An operation has returned and holds locks.
  void kept_locks(sim::Time at, std::string what) { violated(at, std::move(what)); }
  /// Whose oracle it is.
  Application& application() const { return application_; }

  sim::ObservedKinds kinds() const override { return {}; }
  sim::StateVisitor* state_at_rest() override { return at_rest_.get(); }
  void finish(sim::Time end) override;

 private:
  Application& application_;
  const Regions& regions_;
  std::shared_ptr<models::MemoryImage> at_rest_;
};

}  // namespace racksim::app
