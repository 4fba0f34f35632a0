#include "models/applications/transactions/two_phase_commit/participant.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tests/models/applications/transactions/two_phase_commit/two_phase_bench.hpp"

namespace participant_test {

using namespace racksim;
using namespace racksim::app::two_phase_commit;
using namespace racksim::app::two_phase_commit::test;
using namespace racksim::sim::literals;
using app::Row;
using models::LockMode;

namespace {

struct Bench : models::test::TestRack {
  explicit Bench(ParticipantOptions options = {.patience = 1_ms})
      : images(rack.server(0).clock()),
        log(calendar, "log", {}),
        participant(rack.server(0).clock(), log, locks, images, options),
        seat(calendar, {0, 0}, rack.server(0).core(0)) {}

  /// Has a call served to its end.
  Reply serve(Request request) {
    std::optional<Reply> reply;
    begin(std::move(request), reply);
    while (!reply) step();
    return *reply;
  }
  void begin(Request request, std::optional<Reply>& reply) { tasks.spawn(served(std::move(request), reply)); }
  sim::Task<void> served(Request request, std::optional<Reply>& reply) {
    reply = co_await participant.serve(seat, std::move(request));
  }
  void step() { calendar.run_until(calendar.now() + 100_ns); }
  void pass(sim::Duration length) { calendar.run_until(calendar.now() + length); }

  FakeImages images;
  models::LogDevice log;
  RowLocks locks;
  Participant participant;
  Seat seat;
  sim::Scope tasks{calendar};
};

const TransactionId kFirst = transaction_id(0, 1), kSecond = transaction_id(1, 1);
const Row kRow{2, 5}, kOther{2, 6};

}  // namespace

TEST_CASE("A participant locks what it reads for others, and refuses what is locked") {
  Bench t;
  t.images.values[kRow] = 17;
  const Reply reply = t.serve(read_request(kFirst, kRow, true));
  CHECK(reply.answer == Answer::yes);
  CHECK(value_of(reply.image) == 17);
  CHECK(t.locks.holds(kRow, LockMode::exclusive, kFirst));
  CHECK(t.serve(read_request(kSecond, kRow, true)).answer == Answer::no);
  CHECK(t.serve(read_request(kSecond, kOther, false)).answer == Answer::yes);
  CHECK(t.participant.under_way() == 2);
}

TEST_CASE("Rows whose keys follow each other are locked and read by one call, or none is read") {
  Bench t;
  for (std::uint64_t key = 0; key < 4; ++key) t.images.values[{1, key}] = 10 + key;
  Request request = read_request(kFirst, {1, 0}, true, LockMode::shared);
  request.count = 3;
  const Reply reply = t.serve(request);
  REQUIRE(reply.image.size() == 24);
  for (std::uint64_t key = 0; key < 3; ++key) {
    CHECK(value_of(std::span(reply.image).subspan(8 * key)) == 10 + key);
    CHECK(t.locks.holds({1, key}, LockMode::shared, kFirst));
  }
  CHECK(t.locks.size() == 3);
  request = read_request(kSecond, {1, 2}, true);
  request.count = 2;
  const Reply refused = t.serve(request);
  CHECK(refused.answer == Answer::no);
  CHECK(refused.image.empty());
}

TEST_CASE("Calls that come together have their thread's session one after the other") {
  Bench t;
  std::array<std::optional<Reply>, 5> replies;
  for (std::uint64_t i = 0; i < replies.size(); ++i) {
    t.begin(read_request(transaction_id(i, 1), {1, i}, true), replies[i]);
  }
  t.pass(10_us);
  for (const auto& reply : replies) CHECK((reply && reply->answer == Answer::yes));
  CHECK(t.images.overlaps == 0);
}

TEST_CASE("A commit writes what was promised, behind one sync for the promise and one that nobody waits for") {
  Bench t;
  t.serve(read_request(kFirst, kRow, true));
  const sim::Time before = t.calendar.now();
  const Reply vote = t.serve(prepare_request(kFirst, {{kRow, image_of(3)}}));
  CHECK(vote.answer == Answer::yes);
  CHECK(vote.syncs == 1);
  CHECK(t.calendar.now() - before >= 100_us);
  CHECK(t.log.syncs() == 1);
  CHECK(t.images.values[kRow] == 0);
  CHECK(t.locks.holds(kRow, LockMode::exclusive, kFirst));
  const sim::Time decided = t.calendar.now();
  const Reply done = t.serve(decision(Verb::commit, kFirst));
  CHECK(done.syncs == 1);
  CHECK(t.calendar.now() - decided < 10_us);
  CHECK(t.images.values[kRow] == 3);
  CHECK(t.images.settled == 1);
  CHECK(t.locks.size() == 0);
  CHECK(t.participant.under_way() == 0);
  t.pass(200_us);
  CHECK(t.log.syncs() == 2);
}

TEST_CASE("An abort forgets what was promised, and asks for no sync (presumed abort)") {
  for (const bool promised : {false, true}) {
    Bench t;
    t.serve(read_request(kFirst, kRow, true));
    if (promised) t.serve(prepare_request(kFirst, {{kRow, image_of(3)}}));
    const std::uint64_t syncs = t.log.syncs();
    t.serve(decision(Verb::abort, kFirst));
    t.pass(1_ms);
    CHECK(t.log.syncs() == syncs);
    CHECK(t.images.values[kRow] == 0);
    CHECK(t.locks.size() == 0);
    CHECK(t.participant.under_way() == 0);
  }
}

TEST_CASE("Where nothing was written a promise gives the locks back, and nothing is logged") {
  Bench t;
  t.serve(read_request(kFirst, kRow, true, LockMode::shared));
  const Reply vote = t.serve(prepare_request(kFirst, {}));
  CHECK(vote.answer == Answer::only_read);
  CHECK(vote.syncs == 0);
  CHECK(t.log.appended() == 0);
  CHECK(t.locks.size() == 0);
}

TEST_CASE("Who hears nothing and has promised nothing gives its locks back, and says no to all that comes later") {
  Bench t({.patience = 1_ms});
  t.serve(read_request(kFirst, kRow, true));
  t.pass(900_us);
  CHECK(t.serve(read_request(kFirst, kOther, false)).answer == Answer::yes);  // it has heard something
  t.pass(900_us);
  CHECK(t.locks.size() == 2);
  t.pass(200_us);
  CHECK(t.locks.size() == 0);
  CHECK(t.participant.given_up() == 1);
  CHECK(t.serve(read_request(kSecond, kRow, true)).answer == Answer::yes);
  CHECK(t.serve(read_request(kFirst, {2, 7}, false)).answer == Answer::gone);
  CHECK(t.serve(prepare_request(kFirst, {{kRow, image_of(3)}})).answer == Answer::gone);
  CHECK(t.locks.holds(kRow, LockMode::exclusive, kSecond));
  CHECK(t.log.appended() == 0);
}

TEST_CASE("With a transaction that was voted down before a participant has twice the patience each time") {
  Bench t({.patience = 1_ms});
  Request request = read_request(kFirst, kRow, true);
  request.doublings = 2;
  t.serve(request);
  t.pass(3900_us);
  CHECK(t.locks.size() == 1);
  t.pass(200_us);
  CHECK(t.locks.size() == 0);
}

TEST_CASE("A promise is kept however long the decision takes") {
  Bench t({.patience = 1_ms});
  t.serve(read_request(kFirst, kRow, true));
  t.serve(prepare_request(kFirst, {{kRow, image_of(3)}}));
  t.pass(1_s);
  CHECK(t.locks.holds(kRow, LockMode::exclusive, kFirst));
  t.serve(decision(Verb::commit, kFirst));
  CHECK(t.images.values[kRow] == 3);
}

TEST_CASE("Patience that ends while a row is read takes the row's lock away: the answer is no") {
  Bench t({.patience = 1_us});
  t.images.delay = 5_us;
  CHECK(t.serve(read_request(kFirst, kRow, true)).answer == Answer::gone);
  CHECK(t.locks.size() == 0);
}

TEST_CASE("A prepare, a commit or an abort that comes twice is answered again and does nothing more") {
  Bench t;
  t.serve(read_request(kFirst, kRow, true));
  std::optional<Reply> first, second;
  t.begin(prepare_request(kFirst, {{kRow, image_of(3)}}), first);
  t.begin(prepare_request(kFirst, {{kRow, image_of(3)}}), second);
  t.pass(50_us);
  CHECK_FALSE(first);
  CHECK_FALSE(second);  // it promises nothing before that is durable, either
  t.pass(100_us);
  REQUIRE((first && second));
  CHECK(first->answer == Answer::yes);
  CHECK(second->answer == Answer::yes);
  CHECK(first->syncs + second->syncs == 1);
  CHECK(t.serve(prepare_request(kFirst, {})).answer == Answer::yes);
  CHECK(t.log.appended() == 1);

  std::optional<Reply> done, again;
  t.begin(decision(Verb::commit, kFirst), done);
  t.begin(decision(Verb::commit, kFirst), again);
  CHECK_FALSE(again);  // nor does it say that something is done that is not
  t.pass(10_us);
  REQUIRE((done && again));
  CHECK(t.serve(decision(Verb::commit, kFirst)).answer == Answer::yes);
  CHECK(t.images.stores == 1);
  CHECK(t.log.appended() == 2);

  t.serve(read_request(kSecond, kRow, true));
  t.serve(decision(Verb::abort, kSecond));
  t.serve(decision(Verb::abort, kSecond));
  CHECK(t.serve(read_request(kSecond, kRow, true)).answer == Answer::gone);  // a call that comes after all
  CHECK(t.locks.size() == 0);
}

TEST_CASE("Rows that are sent before a prepare are promised with it") {
  Bench t;
  t.serve(read_request(kFirst, kRow, true));
  t.serve(read_request(kFirst, kOther, false));
  Request stage = prepare_request(kFirst, {{kRow, image_of(3)}});
  stage.verb = Verb::stage;
  CHECK(t.serve(stage).answer == Answer::yes);
  CHECK(t.serve(stage).answer == Answer::yes);
  CHECK(t.log.appended() == 0);
  t.serve(prepare_request(kFirst, {{kOther, image_of(4)}}));
  CHECK(t.log.bytes_durable() == app::kLogEntryBytes + 16);
  t.serve(decision(Verb::commit, kFirst));
  CHECK(t.images.values[kRow] == 3);
  CHECK(t.images.values[kOther] == 4);
}

TEST_CASE("Memory that cannot be had aborts a read, and delays a commit") {
  Bench t;
  t.images.refusals = 1;
  CHECK(t.serve(read_request(kFirst, kRow, true)).answer == Answer::unavailable);
  CHECK(t.serve(read_request(kFirst, kRow, false)).answer == Answer::yes);
  t.serve(prepare_request(kFirst, {{kRow, image_of(3)}}));
  t.images.refusals = 3;
  t.serve(decision(Verb::commit, kFirst));
  CHECK(t.images.values[kRow] == 3);
}

TEST_CASE("With early release others read what is not decided, and an abort puts old rows over theirs") {
  Bench t({.patience = 1_ms, .early_release = true});
  t.images.values[kRow] = 1;
  t.serve(read_request(kFirst, kRow, true));
  t.serve(prepare_request(kFirst, {{kRow, image_of(3)}}));
  CHECK(t.locks.size() == 0);
  CHECK(value_of(t.serve(read_request(kSecond, kRow, true)).image) == 3);
  t.serve(prepare_request(kSecond, {{kRow, image_of(4)}}));
  t.serve(decision(Verb::commit, kSecond));
  CHECK(t.images.values[kRow] == 4);
  t.serve(decision(Verb::abort, kFirst));
  CHECK(t.images.values[kRow] == 1);
}

}  // namespace participant_test
