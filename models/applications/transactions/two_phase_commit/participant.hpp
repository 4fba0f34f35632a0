// A node's part in transactions that others coordinate: it locks and reads rows for them, promises what it can keep
// (prepare), and does what was decided (presumed abort: R* and Mohan, Lindsay, Obermarck, "Transaction Management in the
// R* Distributed Database Management System", TODS 1986).
//
//   working    holds the locks of what was read. If it hears nothing for `patience` it gives them back and says no to all
//              that comes later: until it has promised anything a participant is free to do so. With a transaction that
//              was voted down before it has twice the patience, so that one which takes long is committed in the end.
//   prepared   has logged what will be written, durably, and waits for the decision as long as that takes.
//   over       has written and logged a commit, whose sync nobody waits for, or has forgotten the transaction.
//
// Where nothing was written `prepare` gives the locks back at once, and nothing is logged. What comes twice is answered
// as before and does nothing.
//
// `early_release` is what the public code of SELCC does: `prepare` writes the rows and gives the locks back, and an
// abort puts the old images over whatever is there by then.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "models/applications/transactions/node_logs.hpp"
#include "models/applications/transactions/two_phase_commit/messages.hpp"
#include "models/applications/transactions/two_phase_commit/row_images.hpp"
#include "models/applications/transactions/two_phase_commit/row_locks.hpp"
#include "models/applications/transactions/two_phase_commit/seat.hpp"
#include "models/host/log_device.hpp"
#include "sim/kernel/clock.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::app::two_phase_commit {

struct ParticipantOptions {
  sim::Duration patience;  ///< 0: for ever
  bool early_release = false;
};

class Participant {
 public:
  Participant(sim::Clock& clock, models::LogDevice& log, RowLocks& locks, RowImages& images,
              const ParticipantOptions& options)
      : clock_(clock), log_(log), locks_(locks), images_(images), options_(options), forgotten_(clock.calendar()) {}
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;
  ~Participant();

  /// Carries out a call, by this seat of the node.
  sim::Task<Reply> serve(Seat& by, Request request);

  /// Transactions that it takes part in.
  std::size_t under_way() const { return transactions_.size(); }
  /// Of those how many it has given up since it heard nothing.
  std::uint64_t given_up() const { return given_up_; }

 private:
  struct State {
    sim::Duration patience;
    bool preparing = false;                     // or prepared
    bool deciding = false;                      // carries out a commit or an abort
    models::LogDevice::Entry promise = 0;       // of `preparing`: its entry in the log
    std::vector<RowImage> rows = {}, old = {};  // to write; with early release, what was there
    sim::EventId timer = {};
  };

  sim::Task<Reply> read(Seat& by, const Request& request);
  sim::Task<Reply> prepare(Seat& by, Request& request);
  sim::Task<Reply> commit(Seat& by, TransactionId transaction);
  sim::Task<Reply> abort(Seat& by, TransactionId transaction);
  State* find(TransactionId transaction);
  /// Adds rows to those that it is to write, or puts them in their place.
  static void take(State& state, std::vector<RowImage>& rows);
  /// Waits for `patience` from now on.
  void heard(TransactionId transaction, State& state);
  void give_up(TransactionId transaction);
  void forget(TransactionId transaction);
  /// What early release does: has the rows written, their old images kept, and the locks given back.
  sim::Task<void> show_early(Seat& by, State& state, TransactionId transaction);

  sim::Clock& clock_;
  models::LogDevice& log_;
  RowLocks& locks_;
  RowImages& images_;
  ParticipantOptions options_;
  std::map<TransactionId, State> transactions_;
  sim::FlatMap<std::uint64_t> over_;  // by terminal: its last attempt that is over here
  sim::Signal forgotten_;             // a transaction
  std::uint64_t given_up_ = 0;
};

/// Stores images, again and again until memory takes them.
sim::Task<void> store_all(sim::Clock& clock, RowImages& images, Seat& by, const std::vector<RowImage>& rows);

/// How long they are together.
std::uint64_t bytes_of(const std::vector<RowImage>& rows);

}  // namespace racksim::app::two_phase_commit
