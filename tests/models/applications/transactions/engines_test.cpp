// Transactions on a memory that answers after a fixed delay: what each engine locks and when, what it takes back, that it
// keeps transactions apart, and that the judge notices where locks do not exclude or memory does not keep what was written.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/applications/transactions/schema_application.hpp"
#include "sim/options/option_error.hpp"
#include "tests/models/applications/application_bench.hpp"

namespace engines_test {

using namespace racksim;
using namespace racksim::app;
using namespace racksim::sim::literals;
using models::test::Broken;
using Kind = sim::OperationKind;
using Concurrency = TransactionOptions::Concurrency;

namespace {

constexpr std::uint64_t kKeys = 12;  // of a part
constexpr std::array kAll{Concurrency::two_phase_locking, Concurrency::timestamp_ordering, Concurrency::optimistic};

/// Does what a test says, on eight parts of rows of 8 bytes that hold their key; the odd ones are not there.
struct Told final : Schema {
  std::function<sim::Task<End>(Transaction&, Terminal, sim::RandomStream&)> does;
  std::uint64_t most = 10, parts_ = 8;

  std::vector<RowTable> tables() const override { return {{"row", parts_ * kKeys, 8, kKeys}}; }
  std::uint64_t parts() const override { return parts_; }
  std::uint64_t most_rows() const override { return most; }
  bool first(Row row, Bytes bytes) const override {
    bytes.put(0, row.key);
    return row.key % 2 == 0;
  }
  sim::Task<End> run(Transaction& t, Terminal terminal, sim::RandomStream& random) override {
    return does(t, terminal, random);
  }
};

struct Bench {
  explicit Bench(Concurrency concurrency, RowLayout layout = RowLayout::padded) {
    application->options().concurrency = concurrency;
    application->options().layout = layout;
    t.options.backoff_doublings = 6;
    t.options.threads = 1;  // the rack has a core a node
  }
  /// What the judge finds wrong with the run and with memory as it is.
  std::shared_ptr<sim::Oracle> judged() {
    auto oracle = application->oracle("serializability");
    for (const auto& [object, value] : t.memory.values) {
      oracle->state_at_rest()->home(sim::Key{object}, sim::Value{value});
    }
    oracle->finish(t.calendar.now());
    return oracle;
  }

  std::shared_ptr<Told> schema = std::make_shared<Told>();
  std::shared_ptr<SchemaApplication> application = std::make_shared<SchemaApplication>(schema);
  app::test::Bench t{application};
};

sim::Task<std::uint64_t> get(Transaction& t, std::uint64_t key, Intent intent) {
  std::uint64_t value = ~std::uint64_t{0};
  co_await t.read({0, key}, std::as_writable_bytes(std::span(&value, 1)), intent);
  co_return value;
}
sim::Task<void> set(Transaction& t, std::uint64_t key, std::uint64_t value) {
  co_await t.write({0, key}, std::as_bytes(std::span(&value, 1)));
}

/// Moves, inserts, erases and scans among few rows.
sim::Task<End> stir(Transaction& t, Terminal, sim::RandomStream& random) {
  const std::uint64_t a = random.below(4) * 2, b = (a + 2) % 8;
  switch (random.below(4)) {
    case 0: {
      const auto x = co_await get(t, a, Intent::read), y = co_await get(t, b, Intent::read);
      const auto again = co_await get(t, a, Intent::update);
      if (again != ~std::uint64_t{0}) co_await set(t, a, x + y + 1);
      co_return End::committed;
    }
    case 1: {
      const std::uint64_t value = 1;
      const bool done = co_await t.insert({0, a + 1}, std::as_bytes(std::span(&value, 1)));
      co_return done ? End::committed : End::rolled_back;
    }
    case 2: {
      const auto found = co_await get(t, a + 1, Intent::update);
      if (found != ~std::uint64_t{0}) co_await t.erase({0, a + 1});
      co_return End::committed;
    }
    default: {
      std::uint64_t sum = 0;
      const Transaction::Visit visit = [&](std::uint64_t key, std::span<const std::byte>) {
        sum += key;
        return true;
      };
      co_await t.scan(0, 0, 8, Intent::read, visit);
      const auto x = co_await get(t, 10, Intent::update);
      co_await set(t, 10, x + sum);
      co_return random.chance(0.2) ? End::rolled_back : End::committed;
    }
  }
}

bool locks(Kind kind) {
  return kind == Kind::lock || kind == Kind::lock_shared || kind == Kind::try_lock || kind == Kind::try_lock_shared;
}

}  // namespace

TEST_CASE("Every engine keeps transactions apart, with rows alone in their lines or not, and loses none") {
  for (const Concurrency concurrency : kAll) {
    for (const RowLayout layout : {RowLayout::padded, RowLayout::warehouse, RowLayout::heap}) {
      Bench t(concurrency, layout);
      t.schema->does = stir;
      t.t.run(600);
      const auto oracle = t.judged();
      INFO((oracle->violation_count() == 0 ? "" : oracle->violations().front().what));
      CHECK(oracle->violation_count() == 0);
      CHECK(oracle->judged() >= 300);
      CHECK_FALSE(t.t.memory.holds_locks());
      CHECK(t.t.judged()->violation_count() == 0);
    }
  }
}

TEST_CASE("Where locks do not exclude, the judge finds what it leads to") {
  for (const Concurrency concurrency : kAll) {
    Bench t(concurrency);
    t.t.memory.broken = Broken::two_holders;
    t.schema->does = stir;
    t.t.run(600);
    CHECK(t.judged()->violation_count() > 0);
  }
}

TEST_CASE("Writes that do not stay in memory are found, by those who read and by what is there at the end") {
  Bench t(Concurrency::two_phase_locking);
  t.t.memory.broken = Broken::lost;
  t.schema->does = stir;
  t.t.run(300);
  CHECK(t.judged()->violation_count() > 0);

  Bench u(Concurrency::optimistic);
  u.schema->does = stir;
  u.t.run(300);
  u.t.memory.values.clear();
  const auto oracle = u.judged();
  REQUIRE(oracle->violation_count() > 0);
  CHECK(oracle->violations().front().what.find("as it was at first, and transaction") != std::string::npos);
}

TEST_CASE("The rules of the public code of timestamp ordering lose updates and show what never commits") {
  Bench t(Concurrency::timestamp_ordering);
  t.application->options().rules = TransactionOptions::Rules::code;
  t.schema->does = stir;
  t.t.run(600);
  std::string all;
  const auto oracle = t.judged();
  for (const auto& violation : oracle->violations()) all += violation.what;
  CHECK(all.find("an update is lost") != std::string::npos);
  CHECK(all.find("which has not committed") != std::string::npos);
}

TEST_CASE("Two-phase locking takes each line once, in the mode that it needs, and writes a row before it unlocks it") {
  Bench t(Concurrency::two_phase_locking);
  t.schema->does = [](Transaction& tx, Terminal terminal, sim::RandomStream&) -> sim::Task<End> {
    const std::uint64_t part = terminal.number() * kKeys;
    co_await get(tx, part, Intent::read);
    co_await get(tx, part, Intent::read);
    const auto x = co_await get(tx, part + 2, Intent::update);
    co_await set(tx, part + 2, x + 1);
    co_await set(tx, part + 2, x + 2);
    co_return End::committed;
  };
  t.t.run(40);
  CHECK(t.t.count("application.aborted.lock") == 0);
  std::map<Kind, std::uint64_t> asked;
  std::map<std::pair<unsigned, std::uint64_t>, sim::Time> written;  // by thread and line: last
  for (const auto& one : t.t.memory.asked) {
    ++asked[one.kind];
    const unsigned thread = one.session.node * 2U + one.session.thread;
    if (one.kind == Kind::write) written[{thread, t.t.memory.block_of_object(one.key)}] = one.at;
    if (one.kind == Kind::unlock && written.contains({thread, one.key})) CHECK(written[{thread, one.key}] < one.at);
  }
  const std::uint64_t committed = t.t.count("application.committed");
  CHECK(asked[Kind::try_lock] == committed);
  CHECK(asked[Kind::try_lock_shared] == committed);
  CHECK(asked[Kind::unlock] == 2 * committed);
  CHECK(asked[Kind::write] == committed);
  CHECK(t.judged()->violation_count() == 0);
}

TEST_CASE("A line that is read and then written is taken exclusively by the next attempt") {
  Bench t(Concurrency::two_phase_locking);
  t.schema->does = [](Transaction& tx, Terminal terminal, sim::RandomStream&) -> sim::Task<End> {
    const std::uint64_t key = terminal.number() * kKeys;
    const auto x = co_await get(tx, key, Intent::read);
    co_await get(tx, key, Intent::update);
    co_await set(tx, key, x + 1);
    co_return End::committed;
  };
  t.t.run(40);
  CHECK(t.t.count("application.aborted.lock") ==
        t.t.count("application.committed") + t.t.count("application.given_up"));
  CHECK(t.judged()->violation_count() == 0);
}

TEST_CASE("An optimistic transaction latches each row twice") {
  Bench t(Concurrency::optimistic);
  t.schema->does = [](Transaction& tx, Terminal terminal, sim::RandomStream&) -> sim::Task<End> {
    const std::uint64_t part = terminal.number() * kKeys;
    for (std::uint64_t key = 0; key < 10; key += 2) {
      const auto x = co_await get(tx, part + key, key < 4 ? Intent::update : Intent::read);
      if (key < 4) co_await set(tx, part + key, x + 1);
    }
    co_return End::committed;
  };
  t.t.run(40);
  const std::uint64_t committed = t.t.count("application.committed");
  const auto latches = static_cast<std::uint64_t>(
      std::count_if(t.t.memory.asked.begin(), t.t.memory.asked.end(), [](const auto& one) { return locks(one.kind); }));
  CHECK(latches == 2 * 5 * committed);
  CHECK(t.t.count("transactions.locks") == latches);
  CHECK(t.t.count("transactions.rows") == 5 * committed);
}

TEST_CASE("An optimistic transaction commits its latches in the order of their lines") {
  Bench t(Concurrency::optimistic);
  t.schema->does = [](Transaction& tx, Terminal terminal, sim::RandomStream&) -> sim::Task<End> {
    const std::uint64_t part = terminal.number() * kKeys;
    for (const std::uint64_t key : {8, 2, 6, 0}) co_await get(tx, part + key, Intent::read);
    co_return End::committed;
  };
  t.t.run(20);
  std::map<unsigned, std::vector<std::uint64_t>> tried;
  for (const auto& one : t.t.memory.asked) {
    if (one.kind == Kind::try_lock_shared) tried[one.session.node * 2U + one.session.thread].push_back(one.key);
  }
  CHECK(tried.size() == 4);
  for (const auto& [thread, lines] : tried) {
    for (std::size_t i = 0; i + 3 < lines.size(); i += 4) {
      CHECK(std::is_sorted(lines.begin() + static_cast<std::ptrdiff_t>(i),
                           lines.begin() + static_cast<std::ptrdiff_t>(i) + 4));
    }
  }
}

TEST_CASE("Timestamp ordering holds one latch at a time, exclusively, and draws a stamp for each attempt") {
  for (const auto stamps : {TransactionOptions::Stamps::offered, TransactionOptions::Stamps::locked}) {
    Bench t(Concurrency::timestamp_ordering);
    t.application->options().stamps = stamps;
    t.schema->does = stir;
    t.t.run(200);
    std::map<unsigned, int> held;
    std::uint64_t drawn = 0;
    for (const auto& one : t.t.memory.asked) {
      int& now = held[one.session.node * 2U + one.session.thread];
      if (one.kind == Kind::fetch_and_add) ++drawn;
      CHECK(one.kind != Kind::lock_shared);
      if (one.kind == Kind::lock) CHECK(++now == 1);
      if (one.kind == Kind::unlock) --now;
    }
    const std::uint64_t attempts = t.t.count("application.committed") + t.t.count("application.rolled_back") +
                                   t.t.count("application.aborted.order");
    CHECK(drawn == (stamps == TransactionOptions::Stamps::offered ? attempts : 0));
    CHECK(t.judged()->violation_count() == 0);
  }
}

TEST_CASE("What memory cannot give aborts, is taken back, and is tried again until it can") {
  for (const Concurrency concurrency : kAll) {
    Bench t(concurrency);
    t.schema->does = stir;
    unsigned asked = 0;
    t.t.memory.unavailable = [&](const auto& what) { return locks(what.kind) && ++asked % 17 == 0; };
    t.t.run(300);
    CHECK(t.t.count("application.aborted.unavailable") > 0);
    const auto oracle = t.judged();
    INFO((oracle->violation_count() == 0 ? "" : oracle->violations().front().what));
    CHECK(oracle->violation_count() == 0);
    CHECK_FALSE(t.t.memory.holds_locks());
  }
}

TEST_CASE("Engines that hold more locks than the memory service offers are refused before the run, with both numbers") {
  models::MemoryShape shape = models::test::FakeMemory::shape_of(8);
  shape.locks_per_session = 8;
  for (const Concurrency concurrency : kAll) {
    Bench t(concurrency);
    t.schema->most = 50;
    t.schema->does = stir;
    models::test::TestRack rack;
    models::test::FakeMemory memory(rack.rack, shape);
    models::test::FakeProtocol protocol(memory);
    models::WorkloadContext context{rack.rack, protocol};
    if (concurrency == Concurrency::timestamp_ordering) {  // one row's at a time
      CHECK_NOTHROW(t.t.options.build(context));
      continue;
    }
    try {
      t.t.options.build(context);
      FAIL("not refused");
    } catch (const sim::OptionError& error) {
      const std::string text = error.what();
      CHECK(text.find("hold 50 locks") != std::string::npos);
      CHECK(text.find("at most 8 ") != std::string::npos);
    }
  }
}

TEST_CASE("Stamps by atomics are refused where memory has none, and come from a lock there if that is left open") {
  models::MemoryShape shape = models::test::FakeMemory::shape_of(8);
  shape.offers = models::kLocks;
  for (const auto stamps : {TransactionOptions::Stamps::atomic, TransactionOptions::Stamps::offered}) {
    Bench t(Concurrency::timestamp_ordering);
    t.application->options().stamps = stamps;
    t.schema->does = stir;
    models::test::TestRack rack;
    models::test::FakeMemory memory(rack.rack, shape);
    models::test::FakeProtocol protocol(memory);
    models::WorkloadContext context{rack.rack, protocol};
    if (stamps == TransactionOptions::Stamps::atomic) {
      CHECK_THROWS_WITH(t.t.options.build(context), Catch::Contains("fetch-and-add"));
    } else {
      CHECK_NOTHROW(t.t.options.build(context));
    }
  }
}

TEST_CASE("A row that was not read for an update may not be written") {
  Bench t(Concurrency::two_phase_locking);
  t.schema->does = [](Transaction& tx, Terminal, sim::RandomStream&) -> sim::Task<End> {
    co_await get(tx, 0, Intent::read);
    co_await set(tx, 0, 1);
    co_return End::committed;
  };
  CHECK_THROWS_WITH(t.t.run(1), Catch::Contains("which it has not read for an update"));
}

}  // namespace engines_test
