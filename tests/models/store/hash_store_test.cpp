// The store over a memory: what it returns, against a map; and what its oracle says when it is broken.
#include "models/store/hash_store.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/store/store_oracle.hpp"
#include "sim/options/option_error.hpp"
#include "sim/random/random.hpp"
#include "tests/models/service/fake_memory.hpp"

namespace hash_store_test {

using namespace racksim;
using namespace racksim::models;
using namespace sim::literals;
using models::test::Buffers;
using models::test::FakeMemory;
using models::test::TestRack;

namespace {

RackOptions two_cores() {
  RackOptions options = TestRack::small();
  options.cores = 2;
  return options;
}

struct Bench : TestRack {
  explicit Bench(std::uint64_t loaded, std::uint64_t buckets, StoreOptions options = {},
                 Buffers buffers = Buffers::none, std::uint64_t line = 512)
      : TestRack(two_cores(), 1, "memory."),
        memory(rack, FakeMemory::shape_of(8, line), buffers),
        store(rack, memory, options, loaded, buckets, 3),
        oracle(store, true) {
    store.describe_items({.key_bytes = 16, .small_value_bytes = 24, .large_value_bytes = 200, .small_share = 0.5});
    oracle.watch();
    memory.delay = 100_ns;
  }

  std::optional<sim::Value> get(sim::Key key, Session session = {}) {
    std::optional<sim::Value> value;
    scope.spawn(keep(store.get(session, key), value));
    calendar.run_until();
    return value;
  }
  std::optional<sim::Value> put(sim::Key key, Session session = {}) {
    std::optional<sim::Value> value;
    scope.spawn(keep(store.put(session, key), value));
    calendar.run_until();
    return value;
  }
  bool erase(sim::Key key, Session session = {}) {
    scope.spawn(models::test::done(store.erase(session, key)));
    calendar.run_until();
    return true;
  }
  static sim::Task<void> keep(sim::Task<std::optional<sim::Value>> operation, std::optional<sim::Value>& into) {
    into = co_await operation;
  }
  /// Each session draws keys, gets, puts and erasures.
  sim::Task<void> client(Session session, unsigned operations, std::uint64_t keys, double erasures) {
    sim::RandomStream random(7, std::to_string(session.node * 100 + session.thread * 10 + session.number));
    for (unsigned i = 0; i < operations; ++i) {
      const sim::Key key{random.below(keys)};
      if (random.chance(erasures)) {
        co_await store.erase(session, key);
      } else if (random.chance(0.5)) {
        co_await store.put(session, key);
      } else {
        co_await store.get(session, key);
      }
    }
  }
  void race(unsigned operations, std::uint64_t keys, double erasures = 0) {
    for (std::uint16_t node = 0; node < 4; ++node) {
      for (std::uint16_t thread = 0; thread < 2; ++thread) {
        for (std::uint16_t number = 0; number < 3; ++number) {
          scope.spawn(client({node, thread, number}, operations, keys, erasures));
        }
      }
    }
    calendar.run_until();
    REQUIRE(scope.running() == 0);
  }
  std::vector<std::string> verdict() {
    sim::StateVisitor& image = *oracle.state_at_rest();
    for (const auto& [object, value] : memory.values) image.home(sim::Key{object}, sim::Value{value});
    oracle.finish(calendar.now());
    std::vector<std::string> found;
    for (const sim::Violation& violation : oracle.violations()) found.push_back(violation.what);
    return found;
  }

  FakeMemory memory;
  HashStore store;
  StoreOracle oracle;
  sim::Scope scope{calendar};
};

std::uint64_t counted(Bench& t, const std::string& name) {
  return std::get<sim::Counter>(t.metrics.find(name)->value).value;
}

}  // namespace

TEST_CASE("A store holds what was put, key by key, whatever lies in one bucket") {
  for (const std::uint64_t buckets : {1, 7, 200}) {
    for (const std::uint64_t loaded : {0, 60, 300}) {
      StoreOptions options;
      options.resized = 0.3;
      Bench t(loaded, buckets, options);
      std::map<std::uint64_t, std::optional<sim::Value>> expected;  // nothing: erased
      sim::RandomStream random(3, "store-test");
      for (unsigned i = 0; i < 600; ++i) {
        const sim::Key key{random.below(90)};
        const bool there = expected.contains(key) ? expected[key].has_value() : key < loaded;
        const double what = random.unit();
        if (what < 0.2) {
          t.erase(key);
          expected[key] = std::nullopt;
        } else if (what < 0.5) {
          expected[key] = t.put(key);
        } else {
          const auto value = t.get(key);
          REQUIRE(value);
          if (expected.contains(key) && expected[key]) {
            REQUIRE(*value == *expected[key]);
          } else {
            REQUIRE(*value == (there ? sim::kNeverWritten : t.store.absent_value(key)));
          }
        }
      }
      CHECK(t.verdict() == std::vector<std::string>{});
    }
  }
}

TEST_CASE("Many clients at once leave a history that is linearizable, and memory with it") {
  for (const Buffers buffers : {Buffers::none, Buffers::by_object}) {
    for (const std::uint64_t line : {64, 512, 4096}) {
      StoreOptions options;
      options.resized = 0.4;
      Bench t(30, 3, options, buffers, line);
      t.memory.buffering = [n = 0]() mutable { return sim::Duration::from_ps(++n % 7 * 90'000); };
      t.race(60, 45, 0.1);
      CHECK(t.verdict() == std::vector<std::string>{});
      CHECK(t.oracle.judged() > 1000);
      CHECK(counted(t, "store.moved") > 50);
      CHECK(counted(t, "store.inserted") > 5);
      CHECK(counted(t, "store.foreign_tags") == 0);  // of 45 keys no two have the same tag
    }
  }
}

TEST_CASE("A get is a shared lock of its bucket, a read of it, one of the pair and an unlock") {
  Bench t(10, 4);
  t.get(3);
  std::vector<sim::OperationKind> kinds;
  for (const auto& asked : t.memory.accesses()) kinds.push_back(asked.kind);
  using enum sim::OperationKind;
  CHECK(kinds == std::vector{lock_shared, read, read, unlock});
  const auto& asked = t.memory.asked;
  CHECK(asked[1].access.bytes == 128);
  CHECK(asked[2].access.bytes == 24 + t.store.shape_of(3, sim::kNeverWritten).value_bytes);
  t.memory.asked.clear();
  t.put(3);
  kinds.clear();
  for (const auto& one : t.memory.accesses()) kinds.push_back(one.kind);
  CHECK(kinds == std::vector{lock, read, read, write, unlock});  // in place
}

TEST_CASE("A put of another size moves the pair: what is free is used again, and nobody else's") {
  StoreOptions options;
  options.resized = 0.5;
  Bench t(0, 1, options);
  for (unsigned i = 0; i < 400; ++i) {
    const sim::Key key{std::uint64_t{i % 9}};
    const auto value = t.put(key);
    REQUIRE(t.get(key) == value);
  }
  CHECK(counted(t, "store.moved") > 100);
  CHECK(t.memory.hints.size() == 1);  // one chunk serves them all
  CHECK(t.verdict() == std::vector<std::string>{});
}

TEST_CASE("Operations queue at their thread, in the order in which they came") {
  Bench t(10, 4);
  std::vector<int> order;
  const auto one = [&](std::uint16_t number, int name) -> sim::Task<void> {
    co_await t.store.put({1, 1, number}, 5);
    order.push_back(name);
  };
  for (int i = 0; i < 6; ++i) t.scope.spawn(one(static_cast<std::uint16_t>(i % 3), i));
  t.calendar.run_until();
  CHECK(order == std::vector{0, 1, 2, 3, 4, 5});
  // The memory has never seen two of them at once: each unlock comes before the next lock.
  unsigned held = 0;
  for (const auto& asked : t.memory.asked) {
    if (asked.kind == sim::OperationKind::lock) CHECK(++held == 1);
    if (asked.kind == sim::OperationKind::unlock) --held;
  }
}

TEST_CASE("An operation that finds memory unavailable is tried again, gives its lock back, and is given up at last") {
  StoreOptions options;
  options.attempts = 3;
  options.retry = 1_us;
  Bench t(10, 4, options);
  unsigned refused = 0;
  t.memory.unavailable = [&](const FakeMemory::Asked& asked) {
    return asked.kind == sim::OperationKind::read && refused > 0 && refused-- > 0;
  };
  refused = 2;
  CHECK(t.get(3) == sim::kNeverWritten);
  CHECK(counted(t, "store.retries") == 2);
  refused = 100;
  CHECK(t.get(3) == std::nullopt);
  refused = 0;
  CHECK(t.put(3));  // nobody holds the lock
  CHECK(t.verdict() == std::vector<std::string>{});
}

TEST_CASE("What a memory does wrong shows above it: values that are old, lost or mixed, and locks of two") {
  const auto broken = [](models::test::Broken how) {
    Bench t(30, 2);
    t.memory.broken = how;
    t.race(60, 30);
    return t.verdict();
  };
  CHECK(broken(models::test::Broken::nothing).empty());
  CHECK_FALSE(broken(models::test::Broken::stale).empty());
  CHECK_FALSE(broken(models::test::Broken::lost).empty());
}

TEST_CASE("A key that vanishes, one that comes twice and pairs that lie over each other are told at rest") {
  const auto tampered = [](const auto& change) {
    Bench t(10, 1);
    const sim::Key key{4u};
    t.put(key);
    const GlobalAddress bucket = t.store.layout().address_of(0);
    Bucket content;
    t.scope.spawn(t.memory.load({}, bucket, content.bytes()));
    t.calendar.run_until();
    change(content);
    t.scope.spawn(t.memory.store({}, bucket, content.bytes()));
    t.calendar.run_until();
    return t.verdict();
  };
  CHECK(tampered([](Bucket&) {}).empty());
  const auto is_of_four = [](const BucketEntry& entry) { return entry.tag == hash_of(sim::Key{4u}).tag(); };
  const auto vanished = tampered([&](Bucket& bucket) {
    for (unsigned i = 0; i < Bucket::kEntries; ++i) {
      if (is_of_four(bucket.entry(i))) bucket.set(i, {});
    }
  });
  REQUIRE(vanished.size() == 1);
  CHECK(vanished[0].find("is not there") != std::string::npos);
  const auto twice = tampered([&](Bucket& bucket) {
    BucketEntry four;
    for (unsigned i = 0; i < Bucket::kEntries; ++i) {
      if (is_of_four(bucket.entry(i))) four = bucket.entry(i);
    }
    for (unsigned i = 0; i < Bucket::kEntries; ++i) {
      if (!is_of_four(bucket.entry(i))) return bucket.set(i, four);
    }
  });
  REQUIRE(twice.size() >= 2);
  CHECK((twice[0] + twice[1]).find("2 pairs") != std::string::npos);
  CHECK((twice[0] + twice[1]).find("lies over") != std::string::npos);
}

TEST_CASE("What cannot be stored is refused: values without room for a write's number, pairs beyond an entry's bits") {
  const auto described = [](std::uint32_t small, std::uint32_t large) {
    Bench t(1, 1);
    try {
      t.store.describe_items({.key_bytes = 16, .small_value_bytes = small, .large_value_bytes = large});
    } catch (const sim::OptionError& error) {
      return error.found();
    }
    return std::string();
  };
  CHECK(described(4, 100) == "values of 4 bytes");
  CHECK(described(100, 1 << 20) == "pairs of 1048600 bytes");
}

}  // namespace hash_store_test
