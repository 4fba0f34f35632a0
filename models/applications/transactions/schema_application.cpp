// Attempts at transactions, and the run that they are part of. See schema_application.hpp.
#include "models/applications/transactions/schema_application.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/applications/application_options.hpp"

namespace racksim::app {

namespace {

/// Causes of aborts that only transactions have, in the order of their numbers.
constexpr std::array kCauses{AbortReason::order, AbortReason::validation, AbortReason::vote};

/// Lets a client count why an attempt has ended.
void note_cause(Client& client, AbortReason why) {
  if (why == AbortReason::lock) client.aborts_as_refused();
  if (why == AbortReason::unavailable) client.aborts_as_unavailable();
  const auto cause = std::find(kCauses.begin(), kCauses.end(), why);
  if (cause != kCauses.end()) client.aborts_for(static_cast<std::size_t>(cause - kCauses.begin()));
}

TransactionCounters counters_of(sim::Metrics& metrics) {
  using sim::Shown;
  return {metrics.counter("transactions.rows", "rows", "that attempts have fetched", Shown::always),
          metrics.counter("transactions.locks", "locks", "of lines that engines were granted, latches included",
                          Shown::always),
          metrics.counter("transactions.waits", "pauses", "of transactions for older ones that have not ended",
                          Shown::verbose)};
}

}  // namespace

std::vector<AbortCause> SchemaApplication::abort_causes() const {
  return {{"order", "that ended since a younger transaction was there before"},
          {"validation", "that ended at their commit since what they had read has changed"},
          {"vote", "that ended since a participant refused"}};
}

void SchemaApplication::declare(sim::Parameters& p) {
  options_.declare(p);
  schema_->declare(p);
}

void SchemaApplication::check() const {
  schema_->check();
  entry();
}

const EngineEntry& SchemaApplication::entry() const {
  const EngineEntry* found = sim::Registry<EngineEntry>::find(options_.engine());
  if (found == nullptr) throw std::logic_error(fmt::format("no transaction engine \"{}\"", options_.engine()));
  return *found;
}

RowPlaces::Rules SchemaApplication::rules() const {
  return {.layout = options_.layout,
          .spread = options_.spread,
          .header_bytes = entry().header_bytes,
          .parts = schema_->parts()};
}

std::uint64_t SchemaApplication::lines(std::uint64_t line_bytes, unsigned nodes) const {
  return RowPlaces::lines(schema_->tables(), rules(), line_bytes, nodes);
}

SchemaApplication::Run::Run(const SchemaApplication& application, const ApplicationRun& run)
    : tables(application.schema_->tables()),
      base(run),
      counters(counters_of(run.rack.metrics())),
      places(run.memory, tables, application.rules()),
      rows(*application.schema_, tables, run.memory, places, run.at_rest, application.entry().header_bytes),
      transactions(std::size_t{run.memory.shape().roles.compute_nodes} * run.threads),
      oracle(std::make_shared<SerializabilityOracle>(log, rows, tables, run.at_rest)) {}

void SchemaApplication::prepare(const ApplicationRun& run) {
  const models::MemoryShape& shape = run.memory.shape();
  const EngineEntry& engine = entry();
  schema_->check_terminals(shape.roles.compute_nodes, run.threads);
  const models::OperationSet operations = engine.operations(options_, shape.offers);
  run.memory.require(operations);
  const std::uint64_t of_row = RowPlaces::most_lines_of_row(schema_->tables(), rules(), shape.block_bytes);
  if (operations.has(sim::OperationKind::unlock)) {
    run.memory.require_locks((engine.holds_all_rows ? schema_->most_rows() : 1) * of_row,
                             lines(shape.block_bytes, shape.roles.memory_nodes));
  }
  run_ = std::make_unique<Run>(*this, run);
  if (options_.logging || engine.always_logs) {
    run_->logs =
        std::make_unique<NodeLogs>(run.rack.calendar(), run.rack.metrics(), shape.roles.compute_nodes, options_.log);
  }
  const EngineContext context{.rack = run.rack,
                              .memory = run.memory,
                              .options = options_,
                              .places = run_->places,
                              .transactions = {.tables = run_->tables,
                                               .header_bytes = engine.header_bytes,
                                               .bracket_cost = options_.bracket_cost,
                                               .row_cost = options_.row_cost,
                                               .log = run_->log,
                                               .counters = run_->counters,
                                               .logs = run_->logs.get()},
                              .clients = run.clients,
                              .threads = run.threads,
                              .parts = schema_->parts(),
                              .logs = run_->logs.get()};
  run_->engine = engine.make(context);
}

sim::Task<End> SchemaApplication::operation(Client& client) {
  const unsigned threads = run_->base.threads;
  const Terminal terminal{client.node(), client.thread(), run_->base.memory.shape().roles.compute_nodes, threads};
  std::unique_ptr<Transaction>& own = run_->transactions[terminal.number()];
  if (!own) own = run_->engine->transaction(client);
  Transaction& transaction = *own;
  End end = End::aborted;
  const auto why = co_await attempt(transaction, client, terminal, end);
  if (why || end != End::committed) co_await transaction.abort(!why);
  if (why) {
    note_cause(client, *why);
    end = End::aborted;
  }
  if (end != End::aborted) schema_->ended(terminal, end);
  co_return end;
}

sim::Task<std::optional<AbortReason>> SchemaApplication::attempt(Transaction& transaction, Client& client,
                                                                 Terminal terminal, End& end) {
  try {
    co_await transaction.begin(client.is_again());
    end = co_await schema_->run(transaction, terminal, client.random());
    if (end == End::committed) co_await transaction.commit();
  } catch (const Aborted& aborted) {
    co_return aborted.why;
  } catch (const models::Unavailable&) {
    co_return AbortReason::unavailable;
  }
  co_return std::nullopt;
}

void SchemaApplication::judge(const Image&, Judge& judge) const {
  schema_->judge(run_->rows, judge);
  if (const std::uint64_t left = run_->engine->left_locked(); left > 0)
    judge.equal("locked rows", left, std::uint64_t{0});
}

void SchemaApplication::fill(models::GlobalAddress address, std::span<std::byte> into) const {
  std::vector<std::byte>& slot = run_->first_slot;
  for (std::size_t i = 0; i < into.size();) {
    const auto row = run_->places.row_at({address.value + i});
    if (!row) {
      i += 8 - (address.value + i) % 8;
      continue;
    }
    // The same row is often asked for piece by piece.
    if (run_->first_row != row) {
      run_->rows.first_slot(*row, slot);
      run_->first_row = row;
    }
    const std::size_t inside = run_->places.offset_in_slot({address.value + i});
    const std::size_t here = std::min(slot.size() - inside, into.size() - i);
    std::copy_n(slot.begin() + static_cast<std::ptrdiff_t>(inside), here,
                into.begin() + static_cast<std::ptrdiff_t>(i));
    i += here;
  }
}

models::GlobalAddress SchemaApplication::warm_line(models::Session session, sim::RandomStream& random) const {
  const models::Roles& roles = run_->base.memory.shape().roles;
  const RowPlaces::Parts parts = run_->places.parts_of(session.node, roles.compute_nodes);
  std::vector<std::uint64_t> rows;
  std::uint64_t all = 0;
  for (const RowTable& table : run_->tables) {
    rows.push_back(table.keys_per_part == 0 ? table.keys : parts.count * table.keys_per_part);
    all += rows.back();
  }
  std::uint64_t drawn = random.below(std::max<std::uint64_t>(all, 1));
  Row row;
  while (row.table + 1 < rows.size() && drawn >= rows[row.table]) drawn -= rows[row.table++];
  const RowTable& table = run_->tables[row.table];
  row.key = std::min(parts.first * table.keys_per_part + drawn, table.keys - 1);
  return run_->places.address(row, session.node);
}

bool SchemaApplication::uses(sim::Key key) const {
  return run_->engine->uses(key) || run_->places.holds(key) ||
         run_->places.holds(run_->base.memory.block_of_object(key));
}

std::string SchemaApplication::used_keys() const {
  std::string text = "an object or block of a table:";
  for (std::uint32_t table = 0; table < run_->tables.size(); ++table) {
    const sim::Key first = run_->base.memory.object_of(run_->places.address({table, 0}, 0));
    text += fmt::format(" {} from {}", run_->tables[table].name, sim::printed_key(first));
  }
  return text;
}

void SchemaApplication::node_crashed(models::NodeId node) {
  run_->engine->node_crashed(node);
  for (std::size_t i = 0; i < run_->transactions.size(); ++i) {
    if (i / run_->base.threads == node) run_->transactions[i].reset();
  }
}

void SchemaApplication::over() {
  if (!run_) return;
  run_->transactions.clear();
  run_->engine.reset();
  run_->logs.reset();
}

std::shared_ptr<sim::Oracle> SchemaApplication::oracle(std::string_view name) {
  return name == "serializability" ? run_->oracle : nullptr;
}

models::WorkloadEntry workload_of_schema(std::string name, std::string doc, std::shared_ptr<Schema> (*make)()) {
  return {.name = name, .doc = std::move(doc), .make_options = [name, make] {
            return std::make_shared<ApplicationOptions>(name, std::make_shared<SchemaApplication>(make()));
          }};
}

}  // namespace racksim::app
