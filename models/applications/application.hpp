// An application on a distributed shared memory, as its author writes it: one file, one class, one line that registers it
// as a workload of its name (transfer.cpp is an example).
//
//   struct Transfer final : app::Application { ... };
//   const app::Registration<Transfer> registration("transfer", "money under two locks");
//
// It says which data it needs and what they hold at first, what one operation of a thread does, and what must be true of
// memory when all is over. The base does the rest (application_workload.cpp): threads, arrivals, retries, crashes,
// counters, options, and the oracle `application`.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/applications/bytes.hpp"
#include "models/applications/client.hpp"
#include "models/applications/image.hpp"
#include "models/applications/judge.hpp"
#include "models/applications/regions.hpp"
#include "models/workloads/workload.hpp"
#include "sim/kernel/task.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::app {

/// What an application asks of its memory service, by its options.
struct Needs {
  std::vector<Region> regions;
  std::uint64_t locks = 0;  ///< that one operation holds at once, at most
  /// Beside reads, writes and, if it has locks, try-locks and unlocks.
  models::OperationSet operations = {};
};

/// How an attempt at an operation has ended.
enum class End : std::uint8_t {
  committed,
  aborted,     ///< it is tried again, with the same draws
  rolled_back  ///< it has ended as it should, and has done nothing
};

/// One for a run. Whatever it throws, other than models::Unavailable out of its calls, is a defect and ends the run.
class Application {
 public:
  virtual ~Application() = default;
  /// Its own options, beside those of the base (application_options.hpp).
  virtual void declare(sim::Parameters& parameters) { static_cast<void>(parameters); }
  /// Throws sim::OptionError if its options are wrong whatever the rack.
  virtual void check() const {}
  virtual Needs needs() const = 0;
  /// What a slot holds before the run: a function of the slot, never stored. `bytes` are 0 before.
  virtual void first(Slot slot, Bytes bytes) const {
    static_cast<void>(slot);
    static_cast<void>(bytes);
  }
  /// One attempt at one operation of a thread. It gives back the locks that it has taken.
  virtual sim::Task<End> operation(Client& client) = 0;
  /// Judges memory as it is when every operation has ended and nothing is under way.
  virtual void judge(const Image& image, Judge& judge) const {
    static_cast<void>(image);
    static_cast<void>(judge);
  }
};

/// The workload of this name.
models::WorkloadEntry workload_of(std::string name, std::string doc, std::shared_ptr<Application> (*make)());

template <class Made>
class Registration {
 public:
  Registration(std::string name, std::string doc)
      : entry_(workload_of(std::move(name), std::move(doc),
                           []() -> std::shared_ptr<Application> { return std::make_shared<Made>(); })) {}

 private:
  sim::Registration<models::WorkloadEntry> entry_;
};

}  // namespace racksim::app
