// Litmus tests of memory models as a workload: a small program of a few sessions (litmus_program.hpp), repeated in one
// run, each outcome counted and judged (litmus_oracle.hpp). As the tool litmus does on hardware (Alglave, Maranget,
// Sarkar and Sewell, "Litmus: Running Tests against Hardware", TACAS 2011).
//
// A repetition has these parts, between which all sessions meet, outside the simulated protocol and in no time:
//
//   1. After `settle`, each object gets a new value, its first one, from a session drawn at random, and fences end.
//   2. Each session looks at each object with probability `looks`, until it sees the first value.
//   3. Each session waits for a random time up to `spread` and runs its program; a fence ends its part. If the program
//      has a session `end`, that reads afterwards.
//
// All repetitions use the same objects. Fresh ones would be cached nowhere, and what goes wrong between copies needs
// copies: kept objects come with owners, sharers and write-backs from the repetition before, and parts 1 and 2 draw
// others for each. That a value is the first one is known because each write in a run has a value of its own. Models
// that know no real time (sc, tso, pso) promise nothing across the meetings to a session that did not look: with
// `looks` 1 they do, for every session has seen the first values.
//
// A store has no fences, and `end` reads as soon as its puts have returned. Where they return before all copies have
// them (ccKVS-SC), the first value of a session that lacks the last put may precede it in the order of the key, and is
// then never seen. There `settle` stands for the fence: longer than a put is under way. Too short, the run fails.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/workloads/litmus_tests.hpp"
#include "models/workloads/workload.hpp"

namespace racksim::models {

struct DeclaredOutcome;
struct LitmusProgram;

struct LitmusOptions final : WorkloadOptions {
  std::uint64_t threads = 1;
  std::string program = "sb";
  std::string forbidden, allowed, required;
  LitmusModel model = LitmusModel::sc;
  std::uint64_t repetitions = 1000;
  sim::Duration spread = sim::Duration::from_ps(10'000'000);
  sim::Duration pause;
  sim::Duration settle;
  double looks = 0.5;

  void declare(sim::Parameters& p) override;
  void check() const override;
  Footprint footprint(const RunScale& scale) const override;
  /// The program, or the shipped one of this name. Throws sim::OptionError if it is neither.
  LitmusProgram parsed_program() const;
  /// What is said about its outcomes, the shipped one's included. Throws sim::OptionError for what is no outcome of it.
  std::vector<DeclaredOutcome> declared_outcomes(const LitmusProgram& parsed) const;
  unsigned threads_per_node() const override { return static_cast<unsigned>(threads); }
  std::vector<std::string> oracles(std::uint64_t block_bytes) const override;
  std::unique_ptr<Workload> build(WorkloadContext& context) const override;
};

}  // namespace racksim::models
