// Judges the repetitions of a litmus test: counts the outcomes, and accuses the memory of those that it must not have.
//
// What a repetition did is a short history in the program's own values. Those that the scenario declares are forbidden
// or allowed because it says so. Any other is searched: whether the memory model has an execution of the program in
// which the registers end so (search_store_buffers; with a fence behind each write that is sequential consistency).
// Searches see what the sessions saw and no instants, as users of litmus tests do, so each outcome is searched once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/workloads/litmus_program.hpp"
#include "models/workloads/litmus_tests.hpp"
#include "sim/checkers/outcome.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::models {

struct DeclaredOutcome {
  enum class Verdict : std::uint8_t {
    allowed,
    required,  ///< allowed, and to be seen at least once in the run
    forbidden
  };
  LitmusOutcome outcome;
  Verdict verdict = Verdict::allowed;
  std::string why = {};  ///< of forbidden: who says so, "declared forbidden"
};

/// What happened in a repetition, in the service's values.
struct LitmusRepetition {
  std::uint64_t number = 0;  ///< from 1
  sim::Time begun;
  std::vector<std::uint64_t> first;                 ///< by object: the value that it was given before
  std::vector<std::vector<std::uint64_t>> written;  ///< by session and operation: what it wrote; 0 if nothing
  std::vector<std::uint64_t> read;                  ///< by register
  bool others_may_write = false;  ///< an operation was given up at some time, and may take effect whenever it likes
};

/// What fetch-and-add adds to the service's values for a value of the program's: the sum tells what was added and to
/// which value, since values of writes are below 2^55 (service.hpp).
constexpr std::uint64_t litmus_addend(std::uint64_t value) {
  return value << 55;
}

/// Whether a model has an execution of the program in which the registers end so. Values are those of the program's
/// writes, 0 the first one, and above the lower 32 bits what fetch-and-adds have added.
sim::checkers::Verdict search_litmus(const LitmusProgram& program, const std::vector<std::uint64_t>& registers,
                                     LitmusModel model);

class LitmusOracle final : public sim::Oracle {
 public:
  /// `places` names the threads of the sessions; `keys` are the objects', as histories name them.
  LitmusOracle(const LitmusProgram& program, LitmusModel model, std::vector<DeclaredOutcome> declared,
               std::vector<std::string> places, std::vector<sim::Key> keys, sim::Metrics& metrics);

  /// A repetition has ended.
  void judge(const LitmusRepetition& repetition, sim::Time now);
  /// A repetition will not be judged: a session died or gave up an operation.
  void abandon() { ++abandoned_.value; }
  /// A session does not see the value that an object was given before the repetition, however often it looks.
  void unseen(std::uint64_t repetition, std::size_t session, std::size_t object, sim::Time now);

  /// The run is over: required outcomes that were not seen.
  void finish(sim::Time end) override;
  std::uint64_t judged() const override { return judged_.value; }

 private:
  using Values = std::vector<std::uint64_t>;

  /// A service's value as the program names it, if the repetition had it.
  std::optional<std::uint64_t> named(const LitmusRepetition& repetition, std::size_t object, std::uint64_t value) const;
  void search(const LitmusRepetition& repetition, const Values& values, sim::Time now);
  void accuse(const LitmusRepetition& repetition, sim::Time now, const std::string& what);
  /// What each register holds and how that came about.
  std::string readings(const LitmusRepetition& repetition) const;

  const LitmusProgram& program_;
  LitmusModel model_;
  std::vector<DeclaredOutcome> declared_;
  std::vector<std::string> places_;
  std::vector<sim::Key> keys_;
  std::vector<sim::Counter*> seen_;  // by declared outcome
  sim::Counter &other_, &judged_, &abandoned_;
  std::map<Values, sim::checkers::Verdict> searched_;
};

}  // namespace racksim::models
