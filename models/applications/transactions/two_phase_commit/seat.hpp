// Whoever accesses memory at a node: a session with the core that its thread runs on. Its operations come one after the
// other, whichever task of the node they are for.
#pragma once

#include "models/host/core.hpp"
#include "models/service/service.hpp"
#include "sim/kernel/calendar.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::app::two_phase_commit {

class Seat {
 public:
  Seat(sim::Calendar& calendar, models::Session session, models::Core& core)
      : session_(session), core_(core), left_(calendar) {}
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  /// Gives the session back.
  class Turn {
   public:
    explicit Turn(Seat& seat) : seat_(seat) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      seat_.taken_ = false;
      seat_.left_.notify_all();
    }

   private:
    Seat& seat_;
  };
  /// Ends when one has the session, which nobody else has until a Turn, which is to be made at once, is gone. Who comes
  /// first, gets it first.
  sim::Task<void> wait_for_turn() {
    while (taken_) co_await left_.wait();
    taken_ = true;  // here: who has waited goes on later
  }
  /// All that ran here has died.
  void reset() { taken_ = false; }

  models::Session session() const { return session_; }
  models::Core& core() const { return core_; }

 private:
  models::Session session_;
  models::Core& core_;
  sim::Signal left_;
  bool taken_ = false;
};

}  // namespace racksim::app::two_phase_commit
