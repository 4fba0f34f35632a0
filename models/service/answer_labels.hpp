// Who answers the operations of a key-value service: the labels that a protocol tells apart (a server, the switch, a
// cache, a remote shard), and what a run reports of the operations that bear each.
//
// A label is known by its place in the list that the protocol gives to the service's face.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/kernel/time.hpp"
#include "sim/metrics/metrics.hpp"

namespace racksim::models {

/// One label, and which metrics it has beside store.answers_by_NAME. Rates and shares are of the measured time.
struct AnswerLabel {
  std::string name;                        ///< as names of metrics have it: "switch"
  std::string doc;                         ///< completes "what ...": "the switch answered"
  std::vector<std::size_t> includes = {};  ///< labels whose operations are reported as this label's too
  bool latency = false;                    ///< latency.NAME
  bool rate = false;                       ///< store.NAME_mops, 10^6 operations per second
  bool share = false;                      ///< store.NAME_share
  std::vector<std::size_t> share_of = {};  ///< the labels whose answers are the whole of the share; none: all answers
};

/// Counts the operations of each label.
class AnswerTally {
 public:
  /// `all` counts every answer; `metrics` must outlive it. Throws std::logic_error if there is no label, or if one speaks
  /// of another that does not exist.
  AnswerTally(sim::Metrics& metrics, const sim::Counter& all, const std::vector<AnswerLabel>& labels);

  /// An operation with this label has ended with an answer. Throws std::logic_error if there is no such label.
  void answered(std::size_t label, sim::Duration took);
  /// Of a label that there is.
  const std::string& name_of(std::size_t label) const { return reported_.at(label).name; }

 private:
  /// What is reported of a label.
  struct Reported {
    std::string name;
    sim::Counter& count;
    sim::Histogram* latency = nullptr;     // null if nobody asks for it
    std::vector<std::size_t> reporters{};  // the labels that report what bears this one
  };

  sim::Metrics& metrics_;
  std::vector<Reported> reported_;  // by label
};

}  // namespace racksim::models
