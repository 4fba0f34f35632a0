// The oracle `application`: what must be true of an application's memory when all has come to rest, by its own judgement
// of what the protocol shows, and that no operation keeps a lock.
//
// A node that crashes may leave an operation half done: then memory is not judged.
#pragma once

#include <map>
#include <string>

#include "models/applications/application.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/state_visitor.hpp"

namespace racksim::app {

class ApplicationOracle final : public sim::Oracle, public sim::StateVisitor {
 public:
  ApplicationOracle(const Application& application, const models::MemoryService& memory, const Regions& regions)
      : Oracle("application", "fact"), application_(application), memory_(memory), regions_(regions) {}

  /// An operation has returned and holds locks.
  void kept_locks(sim::Time at, std::string what) { violated(at, std::move(what)); }
  /// An operation has died half done.
  void half_done() { half_done_ = true; }

  sim::ObservedKinds kinds() const override { return {}; }
  sim::StateVisitor* state_at_rest() override { return this; }
  void home(sim::Key object, sim::Value value) override { values_.emplace(object, value); }
  void copy(sim::Key object, sim::Holder, sim::Value value, sim::CopyState state) override {
    if (state == sim::CopyState::dirty) values_.insert_or_assign(object, value);
  }
  void lost(sim::Key) override { half_done_ = true; }
  void finish(sim::Time end) override;

 private:
  const Application& application_;
  const models::MemoryService& memory_;
  const Regions& regions_;
  std::map<std::uint64_t, sim::Value> values_;  // by object
  bool half_done_ = false;
};

}  // namespace racksim::app
