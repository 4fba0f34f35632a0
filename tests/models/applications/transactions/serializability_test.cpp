// The judge of transactions against a reference that tries every serial order, on hundreds of small histories; and the
// anomalies one by one.
#include "models/applications/transactions/serializability.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "sim/random/random.hpp"

namespace serializability_test {

using namespace racksim;
using namespace racksim::app;

namespace {

const std::vector<RowTable> kTables{{"row", 100, 8, 100}};

Row row(std::uint64_t key) {
  return {0, key};
}
sim::Time at(std::int64_t ns) {
  return sim::Time::from_ps(ns * 1000);
}

/// A log as a test writes it: contents are the version itself.
struct Written {
  TransactionLog log;

  std::uint64_t begin(std::int64_t when, unsigned node = 0) { return log.begin(at(when), node, 0, 0, false); }
  void read(std::uint64_t attempt, std::uint64_t key, std::uint64_t version) {
    log.read(attempt, row(key), version, version);
  }
  std::uint64_t write(std::uint64_t attempt, std::uint64_t key, std::uint64_t before) {
    const std::uint64_t version = log.next_version(attempt);
    log.wrote(attempt, row(key), {version, before}, version);
    return version;
  }
  void commit(std::uint64_t attempt, std::int64_t when) {
    log.end(attempt, at(when), TransactionLog::Outcome::committed);
  }
  void abort(std::uint64_t attempt, std::int64_t when) { log.end(attempt, at(when), TransactionLog::Outcome::aborted); }
  std::vector<std::string> wrong() const { return Serializability(log, kTables).wrong(); }
};

/// A step of a transaction of the reference: what it read of a row, or wrote there.
struct Step {
  bool writes;
  std::uint64_t key, version;
};
struct Done {
  std::int64_t began, ended;
  std::vector<Step> steps;
};

/// Whether some order of all transactions that keeps real time explains every read by the last write before it.
bool has_serial_order(const std::vector<Done>& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    bool right = true;
    for (std::size_t i = 0; i < order.size() && right; ++i) {
      for (std::size_t k = i + 1; k < order.size() && right; ++k) right = all[order[k]].ended >= all[order[i]].began;
    }
    std::map<std::uint64_t, std::uint64_t> holds;
    for (std::size_t i = 0; i < order.size() && right; ++i) {
      for (const Step& step : all[order[i]].steps) {
        if (step.writes) {
          holds[step.key] = step.version;
        } else {
          right = right && holds[step.key] == step.version;
        }
      }
    }
    if (right) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

}  // namespace

TEST_CASE("Random small histories are judged as a search of all serial orders judges them") {
  sim::RandomStream random(7, "histories");
  unsigned serial = 0, not_serial = 0;
  for (unsigned round = 0; round < 1500; ++round) {
    // Transactions run interleaved on a memory that keeps nothing apart: each step reads, or reads and replaces, a row.
    Written t;
    const unsigned transactions = 2 + static_cast<unsigned>(random.below(4)), keys = 2 + random.below(2);
    std::vector<Done> done(transactions);
    std::vector<std::uint64_t> attempts;
    std::vector<std::map<std::uint64_t, std::uint64_t>> own(transactions);
    std::map<std::uint64_t, std::uint64_t> memory;
    std::vector<unsigned> steps;
    for (unsigned i = 0; i < transactions; ++i) {
      attempts.push_back(0);
      for (std::uint64_t n = 1 + random.below(3); n > 0; --n) steps.push_back(i);
    }
    // Mostly one after the other, so that both outcomes come often.
    for (std::uint64_t swaps = random.below(5); swaps > 0; --swaps) {
      const std::size_t i = random.below(steps.size() - 1);
      std::swap(steps[i], steps[i + 1]);
    }
    std::int64_t now = 0;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const unsigned i = steps[s];
      now += 10;
      if (attempts[i] == 0) {
        done[i].began = now;
        attempts[i] = t.begin(now, i);
      }
      const std::uint64_t key = random.below(keys);
      // A stale read now and then, of what was there at first.
      const std::uint64_t seen = own[i].contains(key) ? memory[key] : random.chance(0.1) ? 0 : memory[key];
      if (!own[i].contains(key)) {
        t.read(attempts[i], key, seen);
        done[i].steps.push_back({false, key, seen});
      }
      if (!own[i].contains(key) && random.chance(0.5)) {
        own[i][key] = memory[key] = t.write(attempts[i], key, seen);
        done[i].steps.push_back({true, key, memory[key]});
      }
      if (std::find(steps.begin() + static_cast<std::ptrdiff_t>(s) + 1, steps.end(), i) == steps.end()) {
        now += 1;
        done[i].ended = now;
        t.commit(attempts[i], now);
      }
    }
    const bool expected = has_serial_order(done);
    const auto wrong = t.wrong();
    INFO("round " << round << (wrong.empty() ? "" : ": " + wrong.front()));
    CHECK(wrong.empty() == expected);
    ++(expected ? serial : not_serial);
  }
  CHECK(serial > 300);
  CHECK(not_serial > 300);
}

TEST_CASE("Two that replace the same version have lost an update") {
  Written t;
  const auto a = t.begin(1), b = t.begin(2, 1);
  t.read(a, 5, 0), t.read(b, 5, 0);
  t.write(a, 5, 0), t.write(b, 5, 0);
  t.commit(a, 10), t.commit(b, 11);
  REQUIRE_FALSE(t.wrong().empty());
  CHECK(
      t.wrong().front() ==
      "transaction 1 of thread 0 of node 0 and transaction 1 of thread 0 of node 1 have both replaced the same version "
      "of row 0x5: an update is lost");
}

TEST_CASE("What an aborted attempt has written, and what was written over at once, nobody may have read") {
  Written t;
  const auto a = t.begin(1), b = t.begin(2, 1);
  t.read(a, 5, 0);
  const auto version = t.write(a, 5, 0);
  t.read(b, 5, version);
  t.abort(a, 3), t.commit(b, 4);
  REQUIRE(t.wrong().size() == 1);
  CHECK(t.wrong().front().find("which has not committed") != std::string::npos);

  Written u;
  const auto c = u.begin(1), d = u.begin(2, 1);
  u.read(c, 5, 0);
  const auto first = u.write(c, 5, 0);
  u.write(c, 5, first);
  u.read(d, 5, first);
  u.commit(c, 3), u.commit(d, 4);
  REQUIRE_FALSE(u.wrong().empty());
  CHECK(u.wrong().front().find("which then wrote it again") != std::string::npos);
}

TEST_CASE("Write skew is a cycle of two, named with its rows") {
  Written t;
  const auto a = t.begin(1), b = t.begin(2, 1);
  for (const auto one : {a, b}) t.read(one, 1, 0), t.read(one, 2, 0);
  t.write(a, 1, 0), t.write(b, 2, 0);
  t.commit(a, 10), t.commit(b, 11);
  REQUIRE(t.wrong().size() == 1);
  CHECK(
      t.wrong().front() ==
      "no serial order, in a cycle of 2: transaction 1 of thread 0 of node 1 has replaced row 0x2, which transaction 1 "
      "of thread 0 of node 0 has read; transaction 1 of thread 0 of node 0 has replaced row 0x1, which transaction 1 "
      "of thread 0 of node 1 has read");
}

TEST_CASE("Who begins after a write has committed may not read what was there before") {
  for (const std::int64_t began : {5, 20}) {
    Written t;
    const auto a = t.begin(1);
    t.read(a, 1, 0);
    t.write(a, 1, 0);
    const auto b = t.begin(began, 1);
    t.read(b, 1, 0);
    t.commit(a, 10), t.commit(b, 30);
    CHECK(t.wrong().empty() == (began == 5));
  }
}

TEST_CASE("Other bytes than were written, and versions that nobody wrote, are told") {
  Written t;
  const auto a = t.begin(1), b = t.begin(20, 1);
  t.read(a, 1, 0);
  const auto version = t.write(a, 1, 0);
  t.log.read(b, row(1), version, version + 1);
  t.read(b, 2, version);
  t.read(b, 3, std::uint64_t{99} << 16);
  t.commit(a, 10), t.commit(b, 30);
  const auto wrong = t.wrong();
  REQUIRE(wrong.size() == 3);
  CHECK(wrong[0].find("other bytes") != std::string::npos);
  CHECK(wrong[1].find("that nobody has written there") != std::string::npos);
  CHECK(wrong[2].find("that nobody has written there") != std::string::npos);
}

TEST_CASE("The shortest of several cycles is told, also where real time closes it") {
  Written t;
  // A cycle of three by reads that are replaced, and one of two among others.
  const auto a = t.begin(1, 1), b = t.begin(2, 2), c = t.begin(3, 3), d = t.begin(4, 4), e = t.begin(5, 5);
  t.read(a, 1, 0), t.read(b, 2, 0), t.read(c, 3, 0);
  t.read(b, 1, 0), t.read(c, 2, 0), t.read(a, 3, 0);
  t.write(b, 1, 0), t.write(c, 2, 0), t.write(a, 3, 0);
  for (const auto one : {d, e}) t.read(one, 7, 0), t.read(one, 8, 0);
  t.write(d, 7, 0), t.write(e, 8, 0);
  for (const auto one : {a, b, c, d, e}) t.commit(one, 100);
  REQUIRE(t.wrong().size() == 1);
  CHECK(t.wrong().front().find("in a cycle of 2:") != std::string::npos);
  CHECK(t.wrong().front().find("row 0x7") != std::string::npos);
}

TEST_CASE("What memory must end with is the last version of each row, of those that committed") {
  Written t;
  const auto a = t.begin(1), b = t.begin(20), c = t.begin(40);
  t.read(a, 1, 0);
  const auto first = t.write(a, 1, 0);
  t.commit(a, 10);
  t.read(b, 1, first);
  const auto second = t.write(b, 1, first), last = t.write(b, 1, second);
  t.commit(b, 30);
  t.read(c, 1, last), t.read(c, 2, 0);
  t.write(c, 1, last), t.write(c, 2, 0);
  t.abort(c, 50);
  const Serializability judged(t.log, kTables);
  CHECK(judged.wrong().empty());
  CHECK(judged.committed() == 2);
  REQUIRE(judged.last().size() == 1);
  CHECK(judged.last().find(row(1).packed())->second.version == last);
}

}  // namespace serializability_test
