#include "models/applications/transactions/two_phase_commit/servers.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/applications/transactions/two_phase_commit/messages.hpp"
#include "sim/options/option_error.hpp"
#include "tests/models/applications/transactions/two_phase_commit/two_phase_bench.hpp"

namespace servers_test {

using namespace racksim;
using namespace racksim::app::two_phase_commit;
using namespace racksim::app::two_phase_commit::test;
using namespace racksim::sim::literals;
using app::Row;

namespace {

constexpr unsigned kNodes = 4, kThreads = 2;

// Every thread adds 1 to a row of its own at each other node, so many times, by a transaction of all of them.
struct Bench : models::test::TestRack {
  static models::RackOptions rack_options(const models::WireFaults& faults) {
    models::RackOptions options;
    options.nodes = kNodes;
    options.cores = 5;
    options.nic.mtu_bytes = 256;
    options.faults = faults;
    return options;
  }
  explicit Bench(std::uint64_t server_threads, const models::WireFaults& faults = {}) : TestRack(rack_options(faults)) {
    options.server_threads = server_threads;
    options.call_timeout = 300_us;
    for (models::NodeId node = 0; node < kNodes; ++node) {
      logs.push_back(std::make_unique<models::LogDevice>(calendar, "log", models::LogOptions{}));
      locks.push_back(std::make_unique<RowLocks>());
      images.push_back(std::make_unique<FakeImages>(rack.server(node).clock()));
      participants.push_back(std::make_unique<Participant>(rack.server(node).clock(), *logs.back(), *locks.back(),
                                                           *images.back(), ParticipantOptions{.patience = {}}));
    }
    servers = std::make_unique<Servers>(rack, all(), kThreads, 64, options);
  }
  std::vector<Participant*> all() const {
    std::vector<Participant*> all;
    for (const auto& participant : participants) all.push_back(participant.get());
    return all;
  }
  sim::Task<void> add(models::NodeId node, unsigned thread, unsigned rows, unsigned times) {
    for (unsigned i = 1; i <= times; ++i) {
      const TransactionId id = transaction_id(node * kThreads + thread, i);
      for (models::NodeId to = 0; to < kNodes; ++to) {
        if (to == node) continue;
        std::vector<RowImage> writes;
        for (unsigned key = 0; key < rows; ++key) {
          const Row row{node * kThreads + thread, key};
          const Reply read = co_await servers->call(node, thread, to, read_request(id, row, key == 0));
          CHECK(read.answer == Answer::yes);
          writes.push_back({row, image_of(value_of(read.image) + 1)});
        }
        const Reply vote = co_await servers->call(node, thread, to, prepare_request(id, std::move(writes)));
        CHECK(vote.answer == Answer::yes);
      }
      for (models::NodeId to = 0; to < kNodes; ++to) {
        if (to != node) co_await servers->call(node, thread, to, decision(Verb::commit, id));
      }
      ++transactions;
    }
  }
  void run(unsigned rows, unsigned times) {
    for (models::NodeId node = 0; node < kNodes; ++node) {
      for (unsigned thread = 0; thread < kThreads; ++thread) tasks.spawn(add(node, thread, rows, times));
    }
    calendar.run_until();
  }
  /// Whether each row that was written has this value, each where it should be.
  void expect(unsigned rows, std::uint64_t value) {
    for (models::NodeId at = 0; at < kNodes; ++at) {
      for (models::NodeId node = 0; node < kNodes; ++node) {
        for (unsigned thread = 0; thread < kThreads; ++thread) {
          for (unsigned key = 0; key < rows; ++key) {
            const Row row{node * kThreads + thread, key};
            CHECK(images[at]->values[row] == (at == node ? 0 : value));
          }
        }
      }
      CHECK(images[at]->overlaps == 0);
      CHECK(locks[at]->size() == 0);
      CHECK(participants[at]->under_way() == 0);
    }
  }

  CommitOptions options;
  std::vector<std::unique_ptr<models::LogDevice>> logs;
  std::vector<std::unique_ptr<RowLocks>> locks;
  std::vector<std::unique_ptr<FakeImages>> images;
  std::vector<std::unique_ptr<Participant>> participants;
  std::unique_ptr<Servers> servers;
  sim::Scope tasks{calendar};
  unsigned transactions = 0;
};

}  // namespace

TEST_CASE("Calls reach the rows of every node, by servers of its own or by its application threads") {
  for (const std::uint64_t server_threads : {0, 1, 2}) {
    Bench t(server_threads);
    t.run(1, 5);
    CHECK(t.transactions == 40);
    t.expect(1, 5);
    CHECK(t.servers->running() == 0);
    CHECK(t.servers->calls() == 40 * 3 * 3);
    CHECK((t.rack.server(1).core(kThreads).busy_time() > 0_ns) == (server_threads > 0));
  }
}

TEST_CASE("More rows than one message has room for go before the prepare") {
  Bench t(1);
  t.run(20, 1);
  t.expect(20, 1);
  // 224 bytes hold 9 rows of 24: two calls with 9 rows each, and the rest with the prepare.
  CHECK(t.servers->calls() == 8 * 3 * (20 + 2 + 1 + 1));
}

TEST_CASE("What the network loses, repeats or delays changes no row and leaves no lock") {
  models::WireFaults faults;
  faults.loss = 0.05;
  faults.duplicate = 0.1;
  faults.reorder = 0.1;
  faults.reorder_delay = 20_us;
  Bench t(1, faults);
  t.run(2, 10);
  CHECK(t.transactions == 80);
  t.expect(2, 10);
  CHECK(t.servers->calls() == 80 * 3 * 4);  // each was carried out once
}

TEST_CASE("A network whose messages are too short for a row is refused with both numbers") {
  Bench t(1);
  CHECK_THROWS_AS(Servers(t.rack, t.all(), kThreads, 257, t.options), sim::OptionError);
}

TEST_CASE("Messages say what was put into them, and what is cut off is no message") {
  Request request{.verb = Verb::prepare, .transaction = transaction_id(7, 9), .row = {}, .rows = {}};
  request.rows = {{{3, 1234567}, image_of(5)}, {{0, 1}, {}}};
  const models::Content content = encoded(request);
  CHECK(content.size() == kRequestBytes + 2 * kRowHeaderBytes + 8);
  const Request decoded = request_from(content);
  CHECK(decoded.verb == Verb::prepare);
  CHECK(decoded.transaction == request.transaction);
  REQUIRE(decoded.rows.size() == 2);
  CHECK(decoded.rows[0].row == Row{3, 1234567});
  CHECK(value_of(decoded.rows[0].bytes) == 5);
  CHECK(decoded.rows[1].bytes.empty());
  CHECK_THROWS_AS(request_from(models::Content::of_bytes(content.bytes().first(content.size() - 1))), std::logic_error);

  const Request read = request_from(encoded(read_request(transaction_id(7, 9), {3, 4}, true)));
  CHECK(read.first);
  CHECK(read.row == Row{3, 4});
  CHECK(read.mode == models::LockMode::exclusive);
  const Reply reply = reply_from(encoded(Reply{.answer = Answer::only_read, .syncs = 2, .image = image_of(6)}));
  CHECK(reply.answer == Answer::only_read);
  CHECK(reply.syncs == 2);
  CHECK(value_of(reply.image) == 6);
}

}  // namespace servers_test
