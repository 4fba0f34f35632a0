#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "models/applications/application_options.hpp"
#include "models/applications/transactions/schema_application.hpp"
#include "sim/options/option_error.hpp"
#include "tests/models/service/fake_memory.hpp"
#include "tests/models/service/fake_protocol.hpp"

namespace two_phase_commit_test {

using namespace racksim;
using namespace racksim::app;
using namespace racksim::sim::literals;
using models::test::FakeMemory;
using Concurrency = TransactionOptions::Concurrency;

namespace {

constexpr std::uint64_t kRows = 16;  // of a part, of which each node has one

/// Each transaction adds 1 to a row at its own node and at each of some others.
struct Spread final : Schema {
  explicit Spread(unsigned n) : nodes(n) {}
  std::uint64_t least = 0, most = 3;  ///< other nodes
  std::uint64_t hot_rows = 0;         ///< of a part, drawn by all; 0: each terminal has its own
  bool only_reads = false;

  std::vector<RowTable> tables() const override { return {{"account", nodes * kRows, 16, kRows}}; }
  std::uint64_t parts() const override { return nodes; }
  std::uint64_t most_rows() const override { return nodes; }
  bool first(Row, Bytes) const override { return true; }
  sim::Task<End> run(Transaction& t, Terminal terminal, sim::RandomStream& random) override {
    const std::uint64_t others = least + random.below(most - least + 1);
    // The others of an attempt are known when it ends, since a terminal has one at a time.
    last_others.resize(std::max<std::size_t>(last_others.size(), terminal.number() + 1));
    last_others[terminal.number()] = others;
    for (std::uint64_t i = 0; i <= others; ++i) {
      const std::uint64_t part = (terminal.node + i) % nodes;
      const Row row{0, part * kRows + (hot_rows > 0 ? random.below(hot_rows) : terminal.number())};
      std::uint64_t value = 0;
      co_await t.read(row, std::as_writable_bytes(std::span(&value, 1)), only_reads ? Intent::read : Intent::update);
      if (only_reads) continue;
      std::vector<std::byte> bytes(16);
      Bytes(bytes).put(0, value + 1);
      co_await t.write(row, bytes);
    }
    co_return End::committed;
  }
  void ended(Terminal terminal, End) override {
    const std::uint64_t count = last_others[terminal.number()];
    ++transactions;
    added += only_reads ? 0 : count + 1;
    participants += count;
    syncs += only_reads ? 0 : count == 0 ? 1 : 2 + 2 * count;
    in_turn += only_reads ? 0 : count == 0 ? 1 : 2 + count;
  }
  void judge(const Rows& rows, Judge& judge) const override {
    std::uint64_t sum = 0;
    rows.each(0, [&](std::uint64_t, std::span<const std::byte> row) {
      std::uint64_t value = 0;
      std::copy_n(row.begin(), 8, reinterpret_cast<std::byte*>(&value));
      sum += value;
    });
    judge.equal("sum", sum, added);
  }
  unsigned nodes;
  std::vector<std::uint64_t> last_others;
  // What §2.2 says of those that have committed.
  std::uint64_t transactions = 0, added = 0, participants = 0, syncs = 0, in_turn = 0;
};

struct Bench : models::test::TestRack {
  static models::RackOptions cores() {
    models::RackOptions options;
    options.cores = 4;
    return options;
  }
  explicit Bench(unsigned nodes = 4)
      : TestRack(cores()),
        schema(std::make_shared<Spread>(nodes)),
        application(std::make_shared<SchemaApplication>(schema)),
        options("test", application),
        memory(rack, FakeMemory::shape_of(8, 64, nodes)),
        protocol(memory) {
    memory.delay = 300_ns;
    options.threads = 2;
    transactions().concurrency = Concurrency::two_phase_commit;
    transactions().commit.server_threads = 0;  // the memory has two sessions a node
  }
  TransactionOptions& transactions() { return application->options(); }
  void run(std::uint64_t operations) {
    models::WorkloadContext context{rack, protocol};
    workload = options.build(context);
    workload->notify_after(operations, [this] { workload->stop(); });
    workload->start();
    calendar.run_until();
    oracle = workload->oracle();
    for (const auto& [object, value] : memory.values) {
      oracle->state_at_rest()->home(sim::Key{object}, sim::Value{value});
    }
    oracle->finish(calendar.now());
    serializability = application->oracle("serializability");
    serializability->finish(calendar.now());
  }
  std::uint64_t count(const char* name) { return std::get<sim::Counter>(rack.metrics().find(name)->value).value; }

  std::shared_ptr<Spread> schema;
  std::shared_ptr<SchemaApplication> application;
  ApplicationOptions options;
  FakeMemory memory;
  models::test::FakeProtocol protocol;
  std::unique_ptr<models::Workload> workload;
  std::shared_ptr<sim::Oracle> oracle, serializability;
};

}  // namespace

TEST_CASE("With k others a transaction asks for 2 + 2k syncs, 2 + k of them in turn; alone for one") {
  for (std::uint64_t others = 0; others <= 3; ++others) {
    Bench t;
    t.schema->least = t.schema->most = others;
    t.run(60);
    REQUIRE(t.schema->transactions >= 60);
    CHECK(t.count("commit.transactions") == t.schema->transactions);
    CHECK(t.count("commit.participants") == others * t.schema->transactions);
    CHECK(t.count("commit.syncs") == (others == 0 ? 1 : 2 + 2 * others) * t.schema->transactions);
    CHECK(t.count("commit.syncs.in_turn") == (others == 0 ? 1 : 2 + others) * t.schema->transactions);
    CHECK(t.oracle->violations().empty());
    CHECK(t.serializability->violations().empty());
  }
}

TEST_CASE("Mixed transactions ask for as many syncs together, and no sync covers nothing") {
  Bench t;
  t.run(200);
  CHECK(t.count("commit.participants") == t.schema->participants);
  CHECK(t.count("commit.syncs") == t.schema->syncs);
  CHECK(t.count("commit.syncs.in_turn") == t.schema->in_turn);
  CHECK(t.count("log.entries") == t.schema->syncs);
  CHECK(t.count("log.syncs") <= t.schema->syncs);
  CHECK(t.oracle->violations().empty());
}

TEST_CASE("A transaction that has written nothing logs nothing, wherever it has read") {
  Bench t;
  t.schema->only_reads = true;
  t.schema->least = 2;
  t.run(50);
  CHECK(t.count("commit.distributed") == t.schema->transactions);
  CHECK(t.count("commit.syncs") == 0);
  CHECK(t.count("log.entries") == 0);
}

TEST_CASE("Rows are accessed by the node alone whose part they are of") {
  Bench t;
  t.run(100);
  // Lines of 64 bytes have two slots of 40; those of a part follow each other at its home.
  for (const FakeMemory::Asked& one : t.memory.asked)
    CHECK(t.memory.home_of(t.memory.block_of_object(one.key)) == one.session.node);
}

TEST_CASE("On the shared memory a transaction that is logged asks for one sync, whatever nodes it writes at") {
  Bench t;
  t.transactions().concurrency = Concurrency::two_phase_locking;
  t.transactions().logging = true;
  t.schema->hot_rows = 4;
  t.run(100);
  CHECK(t.count("commit.transactions") == t.schema->transactions);
  CHECK(t.count("commit.syncs") == t.schema->transactions);
  CHECK(t.count("commit.syncs.in_turn") == t.schema->transactions);
  CHECK(t.count("log.entries") == t.schema->transactions);
  CHECK(t.serializability->violations().empty());
}

TEST_CASE("Participants that have lost their patience vote no, and nothing of the transaction is done") {
  Bench t;
  t.schema->hot_rows = 2;
  t.schema->least = t.schema->most = 2;
  t.transactions().commit.patience = 330_us;  // two to four syncs of 100 us go before the last promise
  t.run(100);
  CHECK(t.count("commit.votes_against") > 0);
  CHECK(t.schema->transactions >= 100);
  CHECK(t.oracle->violations().empty());
  CHECK(t.serializability->violations().empty());
}

TEST_CASE("A transaction that takes longer than its participants' patience is committed in the end") {
  Bench t;
  t.schema->least = t.schema->most = 3;
  t.transactions().commit.patience = 20_us;
  t.run(40);
  CHECK(t.schema->transactions >= 40);
  CHECK(t.count("application.aborted.vote") >= 4 * t.schema->transactions);
}

TEST_CASE("A run that is cut off leaves nothing behind that wants to go on") {
  Bench t;
  {
    models::WorkloadContext context{t.rack, t.protocol};
    t.workload = t.options.build(context);
    t.workload->start();
    t.calendar.run_until(t.calendar.now() + 1_ms);
    t.workload.reset();
  }
  t.calendar.run_until();
  CHECK(t.schema->transactions > 0);
}

TEST_CASE("Locks that are given back at a promise show what is never committed, once somebody votes no") {
  for (const bool votes_no : {false, true}) {
    Bench t;
    t.schema->hot_rows = 2;
    t.schema->least = t.schema->most = 2;
    t.transactions().commit.patience = votes_no ? 330_us : 50_ms;
    t.transactions().commit.early_release = true;
    t.run(100);
    CHECK((t.count("commit.votes_against") > 0) == votes_no);
    CHECK(t.serializability->violations().empty() != votes_no);
  }
}

TEST_CASE("One node alone has nobody to agree with, and is refused") {
  Bench t(1);
  models::WorkloadContext context{t.rack, t.protocol};
  try {
    t.options.build(context);
    FAIL("it was built");
  } catch (const sim::OptionError& error) {
    CHECK(std::string(error.what()).find("2pc on one node") != std::string::npos);
  }
}

}  // namespace two_phase_commit_test
