// A schema as an application: its rows in memory, its transactions on an engine, and what judges both.
//
// The base of applications has the threads, attempts, pauses, arrivals and counters (application_workload.cpp). Here one
// attempt at a transaction begins, runs what the schema says, and commits or is taken back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/applications/application.hpp"
#include "models/applications/transactions/engine.hpp"
#include "models/applications/transactions/rows_at_rest.hpp"
#include "models/applications/transactions/schema.hpp"
#include "models/applications/transactions/serializability_oracle.hpp"

namespace racksim::app {

class SchemaApplication final : public Application {
 public:
  explicit SchemaApplication(std::shared_ptr<Schema> schema) : schema_(std::move(schema)) {}

  void declare(sim::Parameters& p) override;
  void check() const override;
  Needs needs() const override { return {}; }
  sim::Task<End> operation(Client& client) override;
  void judge(const Image& image, Judge& judge) const override;
  std::vector<AbortCause> abort_causes() const override;

  bool lays_out_itself() const override { return true; }
  std::uint64_t lines(std::uint64_t line_bytes, unsigned nodes) const override;
  std::uint64_t warm_lines() const override { return options_.warm_rows; }
  unsigned own_threads() const override { return entry().own_threads(options_); }
  void prepare(const ApplicationRun& run) override;
  void fill(models::GlobalAddress address, std::span<std::byte> into) const override;
  models::GlobalAddress warm_line(models::Session session, sim::RandomStream& random) const override;
  bool uses(sim::Key key) const override;
  std::string used_keys() const override;
  void node_crashed(models::NodeId node) override;
  void over() override;
  std::vector<std::string> oracles() const override { return {"serializability"}; }
  std::shared_ptr<sim::Oracle> oracle(std::string_view name) override;

  TransactionOptions& options() { return options_; }
  /// Of a run that has been prepared.
  const TransactionLog& log() const { return run_->log; }
  const RowPlaces& places() const { return run_->places; }

 private:
  /// What a run has.
  struct Run {
    Run(const SchemaApplication& application, const ApplicationRun& run);
    TransactionLog log;
    std::vector<RowTable> tables;
    ApplicationRun base;
    TransactionCounters counters;
    std::unique_ptr<NodeLogs> logs;  // null if nothing is logged
    RowPlaces places;
    RowsAtRest rows;
    std::unique_ptr<Engine> engine;
    std::vector<std::unique_ptr<Transaction>> transactions;  // by terminal: made when it begins
    std::shared_ptr<SerializabilityOracle> oracle;
    // The row whose first contents were asked for last.
    std::optional<Row> first_row;
    std::vector<std::byte> first_slot;
  };

  const EngineEntry& entry() const;
  RowPlaces::Rules rules() const;
  /// Runs an attempt; what has ended it early, if anything has.
  sim::Task<std::optional<AbortReason>> attempt(Transaction& transaction, Client& client, Terminal terminal, End& end);

  std::shared_ptr<Schema> schema_;
  TransactionOptions options_;
  std::unique_ptr<Run> run_;
};

}  // namespace racksim::app
