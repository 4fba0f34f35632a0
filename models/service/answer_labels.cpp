// Counting by label. See answer_labels.hpp.
#include "models/service/answer_labels.hpp"

#include <fmt/core.h>

#include <numeric>
#include <stdexcept>
#include <utility>

namespace racksim::models {

AnswerTally::AnswerTally(sim::Metrics& metrics, std::vector<AnswerLabel> labels)
    : labels_(std::move(labels)), reported_(labels_.size()), measured_(labels_.size()) {
  if (labels_.empty()) throw std::logic_error("a key-value service declares no label of who answers");
  std::vector<std::size_t> all(labels_.size());
  std::iota(all.begin(), all.end(), 0);
  for (const std::size_t own : all) {
    const AnswerLabel& label = labels_[own];
    for (const auto* others : {&label.includes, &label.share_of}) {
      for (const std::size_t other : *others) {
        if (other < labels_.size()) continue;
        throw std::logic_error(
            fmt::format("the label '{}' speaks of label {}, but there are {}", label.name, other, labels_.size()));
      }
    }
    Reported& reported = reported_[own];
    reported.labels = label.includes;
    reported.labels.push_back(own);
    reported.whole = label.share_of.empty() ? all : label.share_of;
    for (const std::size_t other : reported.labels) reported_[other].reporters.push_back(own);
    add_metrics(metrics, label, reported);
  }
}

void AnswerTally::add_metrics(sim::Metrics& metrics, const AnswerLabel& label, Reported& reported) {
  const std::string &name = label.name, &doc = label.doc;
  if (label.latency) {
    reported.latency = &metrics.histogram("latency." + name, fmt::format("the same for what {}", doc));
  }
  if (label.count) {
    reported.count = &metrics.counter("store.answers_by_" + name, "operations",
                                      fmt::format("with an answer, in the whole run: what {}", doc));
  }
  if (label.rate) {
    reported.rate = &metrics.gauge(fmt::format("store.{}_mops", name), "Mops",
                                   fmt::format("measured throughput of what {}", doc), 0);
  }
  if (!label.share) return;
  std::string whole;
  for (const std::size_t other : label.share_of)
    whole += (whole.empty() ? " with the label " : ", ") + labels_[other].name;
  reported.share = &metrics.gauge(fmt::format("store.{}_share", name), "share",
                                  fmt::format("of measured operations{}: what {}", whole, doc), 0);
}

void AnswerTally::answered(std::size_t label, sim::Duration took, bool measuring) {
  if (label >= labels_.size()) {
    throw std::logic_error(fmt::format("an answer bears label {}, but there are {}", label, labels_.size()));
  }
  if (measuring) ++measured_[label];
  for (const std::size_t reporter : reported_[label].reporters) {
    const Reported& reported = reported_[reporter];
    if (reported.count != nullptr) ++reported.count->value;
    if (measuring && reported.latency != nullptr) reported.latency->record(took);
  }
}

void AnswerTally::start_measuring() {
  measured_.assign(measured_.size(), 0);
  for (const Reported& reported : reported_) {
    if (reported.latency != nullptr) reported.latency->clear();
  }
}

void AnswerTally::stop_measuring(sim::Duration length) {
  const double us = length.ns() / 1000;
  if (us <= 0) return;
  for (const Reported& reported : reported_) {
    const double answers = sum(reported.labels);
    if (reported.rate != nullptr) reported.rate->value = answers / us;
    if (reported.share == nullptr) continue;
    const double whole = sum(reported.whole);
    reported.share->value = whole == 0 ? 0 : answers / whole;
  }
}

double AnswerTally::sum(const std::vector<std::size_t>& labels) const {
  std::uint64_t operations = 0;
  for (const std::size_t label : labels) operations += measured_[label];
  return static_cast<double>(operations);
}

}  // namespace racksim::models
