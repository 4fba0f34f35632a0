// Counting by label. See answer_labels.hpp.
#include "models/service/answer_labels.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace racksim::models {

AnswerTally::AnswerTally(sim::Metrics& metrics, const sim::Counter& all, const std::vector<AnswerLabel>& labels)
    : metrics_(metrics) {
  if (labels.empty()) throw std::logic_error("a key-value service declares no label of who answers");
  for (const AnswerLabel& label : labels) {
    const std::string &name = label.name, &doc = label.doc;
    reported_.push_back(
        {name, metrics.counter("store.answers_by_" + name, "operations", "with an answer: what " + doc)});
    if (label.latency) {
      reported_.back().latency = &metrics.histogram("latency." + name, fmt::format("the same for what {}", doc));
    }
    if (label.rate) {
      metrics.rate(fmt::format("store.{}_mops", name), "measured throughput of what " + doc, reported_.back().count);
    }
  }
  const auto known = [&](const AnswerLabel& label, std::size_t other) {
    if (other < labels.size()) return other;
    throw std::logic_error(
        fmt::format("the label '{}' speaks of label {}, but there are {}", label.name, other, labels.size()));
  };
  for (std::size_t own = 0; own < labels.size(); ++own) {
    const AnswerLabel& label = labels[own];
    reported_[own].reporters.push_back(own);
    for (const std::size_t other : label.includes) reported_[known(label, other)].reporters.push_back(own);
    std::string whole_doc;
    sim::Quotient::Counters whole;
    for (const std::size_t other : label.share_of) {
      whole.push_back(&reported_[known(label, other)].count);
      whole_doc += (whole_doc.empty() ? " with the label " : ", ") + labels[other].name;
    }
    if (!label.share) continue;
    if (whole.empty()) whole = {&all};
    metrics.share(fmt::format("store.{}_share", label.name),
                  fmt::format("of measured operations{}: what {}", whole_doc, label.doc), {&reported_[own].count},
                  whole, label.latency ? sim::Shown::verbose : sim::Shown::always);  // latency.NAME says how many
  }
}

void AnswerTally::answered(std::size_t label, sim::Duration took) {
  if (label >= reported_.size()) {
    throw std::logic_error(fmt::format("an answer bears label {}, but there are {}", label, reported_.size()));
  }
  for (const std::size_t reporter : reported_[label].reporters) {
    const Reported& reported = reported_[reporter];
    ++reported.count.value;
    if (reported.latency != nullptr) metrics_.record(*reported.latency, took, metrics_.measuring());
  }
}

}  // namespace racksim::models
