// What oracles of a run share. See oracle_entry.hpp.
#include "models/service/oracle_entry.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace racksim::models {

std::vector<std::string> all_promises(const ProtocolOptions& options, const RackOptions& rack) {
  std::vector<std::string> promises = options.promises();
  const bool locks = std::find(promises.begin(), promises.end(), "mutual-exclusion") != promises.end();
  if (options.waiting(rack)) {
    promises.emplace_back("bounded-waiting");
    if (locks) promises.emplace_back("lock-fairness");
  }
  if (!options.costs(rack).rows.empty()) promises.emplace_back("cost");
  return promises;
}

OracleContext::OracleContext(Rack& rack, Protocol& protocol, const ProtocolOptions& options,
                             std::shared_ptr<sim::Oracle> of_workload, const OracleTerms& terms)
    : rack_(rack),
      protocol_(protocol),
      options_(options),
      of_workload_(std::move(of_workload)),
      terms_(terms),
      may_lose_writes_(terms.may_lose_writes && options.may_lose_writes()),
      promises_(all_promises(options, rack.options())) {}

bool OracleContext::is_promised(std::string_view oracle) const {
  return std::find(promises_.begin(), promises_.end(), oracle) != promises_.end();
}

std::shared_ptr<sim::DataValueOracle> OracleContext::data_value() {
  if (!data_value_) {
    data_value_ = std::make_shared<sim::DataValueOracle>(event_log());
    if (may_lose_writes_) data_value_->expect_losses();
    attach(data_value_, std::make_shared<FirstValues<sim::DataValueOracle>>(*data_value_));
  }
  return data_value_;
}

const RecordedHistory& OracleContext::history() {
  if (!history_.recorder) {
    auto recorder = std::make_shared<sim::checkers::HistoryRecorder>(terms_.history_budget);
    attach(recorder, std::make_shared<FirstValues<sim::checkers::HistoryRecorder>>(*recorder));
    auto& metrics = rack_.metrics();
    history_ = {
        .recorder = std::move(recorder),
        .kept = &metrics.counter_of_run("history.operations", "operations", "recorded for the checks of histories"),
        .dropped = &metrics.counter_of_run(
            "history.dropped_operations", "operations",
            "not recorded, of keys that are rarely used, or behind what there is room for", sim::Shown::trouble)};
  }
  return history_;
}

void OracleContext::attach(std::shared_ptr<sim::Observer> observer, std::shared_ptr<sim::StateVisitor> first_state) {
  if (std::find(observers_.begin(), observers_.end(), observer) == observers_.end()) {
    observers_.push_back(std::move(observer));
  }
  if (first_state) first_states_.push_back(std::move(first_state));
}

std::shared_ptr<sim::Oracle> attach_oracle(const OracleEntry& entry, OracleContext& context) {
  auto oracle = entry.make(context);
  if (!oracle) throw std::logic_error(fmt::format("the oracle \"{}\" is listed, and its entry makes none", entry.name));
  if (oracle->name() != entry.name) {
    throw std::logic_error(fmt::format("the oracle \"{}\" calls itself \"{}\"", entry.name, oracle->name()));
  }
  context.attach(oracle);
  return oracle;
}

}  // namespace racksim::models
