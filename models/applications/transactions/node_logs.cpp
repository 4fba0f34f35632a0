// Devices and counters. See node_logs.hpp.
#include "models/applications/transactions/node_logs.hpp"

#include <fmt/core.h>

namespace racksim::app {

NodeLogs::NodeLogs(sim::Calendar& calendar, sim::Metrics& metrics, unsigned nodes, const models::LogOptions& options)
    : counters_(metrics),
      transactions_(metrics.counter("commit.transactions", "transactions", "that were committed, in logs too")),
      syncs_(metrics.counter("commit.syncs", "syncs", "of logs that transactions which were committed have asked for")),
      in_turn_(metrics.counter("commit.syncs.in_turn", "syncs", "of these that came one after the other")) {
  metrics.quotient("commit.syncs_per_transaction", "syncs", "of all logs, that a committed transaction has asked for",
                   {&syncs_}, {&transactions_}, sim::Shown::always);
  metrics.quotient("commit.syncs_in_turn_per_transaction", "syncs",
                   "of these, one after the other, that a committed transaction has waited for", {&in_turn_},
                   {&transactions_}, sim::Shown::always);
  for (unsigned node = 0; node < nodes; ++node) {
    devices_.push_back(
        std::make_unique<models::LogDevice>(calendar, fmt::format("node{}/log", node), options, &counters_));
  }
}

void NodeLogs::committed(std::uint64_t syncs, std::uint64_t in_turn) {
  ++transactions_.value;
  syncs_.value += syncs;
  in_turn_.value += in_turn;
}

}  // namespace racksim::app
