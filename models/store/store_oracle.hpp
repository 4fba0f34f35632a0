// The oracle `key-value`: what clients of a store that stands on a shared memory get and put, judged by the store's own
// record, beside the oracles of the memory below it.
//
//   * each key is linearizable, with no item that is of another key or not of one write (StoredPair);
//   * a key that is erased, too: of those the histories are recorded, of the hottest ones and a sample, and searched
//     when the run is over, since an absent item does not tell who erased it;
//   * at rest memory holds, for each key that was put, one pair that its history allows, in its bucket's chain, and no
//     two entries share memory.
//
// From a crash on nothing is judged: it may leave a put half done.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "models/service/memory_image.hpp"
#include "models/store/hash_store.hpp"
#include "sim/checkers/history_recorder.hpp"
#include "sim/oracles/answer_oracle.hpp"
#include "sim/oracles/data_value_oracle.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/oracles/torn_oracle.hpp"
#include "sim/record/state_visitor.hpp"

namespace racksim::models {

class StoreOracle final : public sim::Oracle {
 public:
  /// `erases`: whether somebody may erase keys, of which histories are kept then.
  StoreOracle(HashStore& store, bool erases);

  /// Begins to watch the store's record. Before the run.
  void watch();
  /// A node has crashed.
  void crashed() { crashed_ = true; }

  sim::ObservedKinds kinds() const override { return {}; }
  sim::StateVisitor* state_at_rest() override { return &memory_; }
  void finish(sim::Time end) override;

 private:
  /// Sees what the store records.
  struct Record final : sim::Observer {
    explicit Record(StoreOracle& to) : oracle(to) {}
    sim::ObservedKinds kinds() const override { return sim::kAccessKinds.with({sim::Observed::stray_answer}); }
    void observe(const sim::Observation& observation) override { oracle.recorded(observation); }
    StoreOracle& oracle;
  };
  /// What memory holds of a key.
  struct AtRest {
    unsigned pairs = 0;  // of the key, in its chain
    sim::Value value = 0;
  };

  void recorded(const sim::Observation& observation);
  void judge_erased(sim::Time end);
  void judge_rest(sim::Time end);
  /// Walks the chain of the key's bucket, and objects to what is wrong there.
  AtRest at_rest(sim::Key key, sim::Time end);
  void judge_pair(sim::Key key, const BucketEntry& entry, sim::Time end);
  /// The value that stands for a key's absence.
  sim::Value absent(sim::Key key) const { return store_.absent_value(key); }
  void take(const sim::Oracle& from);

  HashStore& store_;
  bool erases_, crashed_ = false;
  Record record_;
  MemoryImage memory_;
  sim::DataValueOracle values_;
  sim::AnswerOracle keys_;
  sim::TornOracle torn_;
  sim::checkers::HistoryRecorder histories_;
  std::set<std::uint64_t> erased_;                // keys
  std::set<std::uint64_t> chains_;                // buckets that were walked at rest
  std::map<std::uint64_t, std::uint64_t> taken_;  // by address, pairs' bytes
};

}  // namespace racksim::models
