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

/// One label, and which metrics it has. Rates and shares are of the measured time.
struct AnswerLabel {
  std::string name;                        ///< as names of metrics have it: "switch"
  std::string doc;                         ///< completes "what ...": "the switch answered"
  std::vector<std::size_t> includes = {};  ///< labels whose operations are reported as this label's too
  bool latency = false;                    ///< latency.NAME
  bool count = false;                      ///< store.answers_by_NAME, operations in the whole run
  bool rate = false;                       ///< store.NAME_mops, 10^6 operations per second
  bool share = false;                      ///< store.NAME_share
  std::vector<std::size_t> share_of = {};  ///< the labels that are the whole of the share; none: all
};

/// Counts the operations of each label.
class AnswerTally {
 public:
  /// Throws std::logic_error if there is no label, or if one speaks of another that does not exist.
  AnswerTally(sim::Metrics& metrics, std::vector<AnswerLabel> labels);

  /// An operation with this label has ended with an answer. Throws std::logic_error if there is no such label.
  void answered(std::size_t label, sim::Duration took, bool measuring);
  void start_measuring();
  /// `length`: of the measured time.
  void stop_measuring(sim::Duration length);

 private:
  /// What is reported of a label; null where nothing is.
  struct Reported {
    sim::Histogram* latency = nullptr;
    sim::Counter* count = nullptr;
    sim::Gauge *rate = nullptr, *share = nullptr;
    std::vector<std::size_t> labels;     // whose operations are reported here
    std::vector<std::size_t> whole;      // of the share
    std::vector<std::size_t> reporters;  // the labels that report what bears this one
  };
  void add_metrics(sim::Metrics& metrics, const AnswerLabel& label, Reported& reported);
  double sum(const std::vector<std::size_t>& labels) const;

  std::vector<AnswerLabel> labels_;
  std::vector<Reported> reported_;       // by label
  std::vector<std::uint64_t> measured_;  // by label: operations that bear it
};

}  // namespace racksim::models
