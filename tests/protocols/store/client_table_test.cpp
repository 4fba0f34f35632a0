// The life of a request as its transition table has it (StarCache §3.3, §3.6, §3.9).
#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <set>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/store/client_step.hpp"
#include "tests/protocols/nocache/nocache_run.hpp"

namespace client_table_test {

using namespace racksim;
using namespace racksim::store;
using namespace racksim::nocache::testing;

namespace {

constexpr sim::Key kKey = 7;

/// Has the first client get messages to its first request, each in an event as packets arrive, or several in one.
class Forger {
 public:
  struct Forged {
    Op op;
    std::uint64_t key = kKey;
    unsigned packets = 1;  ///< of the item
    unsigned fragment = 0;
    std::uint64_t value = 5;
  };
  explicit Forger(NoCacheRun& run) : run_(run), lane_(run.calendar.add_lane("forger")) {}
  void send(sim::Time at, const std::vector<Forged>& together) {
    Shared& shared = run_.store->shared();
    arrivals_.emplace_back();
    for (const Forged& forged : together) {
      store::Message m;
      const KeyHash hash = shared.hash(kKey);
      m.store = {number(forged.op), shared.options.first_seq, hash.high, hash.low, forged.packets};
      m.key = sim::Key{forged.key};
      m.fragment = forged.fragment;
      m.value = sim::Value{forged.value};
      m.brings_value = true;
      arrivals_.back().push_back(make_message(shared, m, kFirstPort, {kAlice.node, kFirstPort}, 0));
    }
    run_.calendar.at<&Forger::arrive>(at, lane_, *this);
  }

 private:
  void arrive() {
    for (p4::PacketRef& packet : arrivals_.front()) run_.store->clients().front()->on_packet(std::move(packet));
    arrivals_.pop_front();
  }
  NoCacheRun& run_;
  sim::Lane lane_;
  std::deque<std::vector<p4::PacketRef>> arrivals_;  // in the order of their instants
};

/// The rows that the client has executed, without the table's name.
std::set<std::string> rows_reached(const sim::Coverage& coverage) {
  std::set<std::string> names;
  const std::string prefix = client_table().description().name + ": ";
  for (std::size_t point = 0; point < coverage.map().points(); ++point) {
    const std::string name = coverage.map().name_of(point);
    if (coverage.reached(point) && name.starts_with(prefix)) names.insert(name.substr(prefix.size()));
  }
  return names;
}

}  // namespace

TEST_CASE("the rows of a request's life are those that it has come through") {
  const sim::CoverageMap map = sim::Registry<models::ProtocolEntry>::find("nocache")->coverage;
  sim::Coverage coverage(map);
  Setup setup;
  setup.mark(coverage);
  NoCacheRun run(setup, small());
  CHECK(rows_reached(coverage).empty());
  run.get_now(kAlice, kKey);
  CHECK(rows_reached(coverage) == std::set<std::string>{"request", "answer"});
  StoreRun::lose(run.rack.downlink(0), Op::read_reply);
  run.get_now(kAlice, kKey);
  CHECK(rows_reached(coverage) ==
        std::set<std::string>{"request", "answer", "timeout", "correction", "request once more"});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("each forged message takes the row that it is meant for") {
  struct Case {
    Op op;
    bool write;
    std::uint64_t key;
    const char* row;
  };
  const Case forged =
      GENERATE(Case{Op::read_reply, false, kKey, "answer"}, Case{Op::write_reply, true, kKey, "answer"},
               Case{Op::read_reply, false, kKey + 1, "other key"}, Case{Op::write_refused, true, kKey, "refused write"},
               Case{Op::write_refused, false, kKey, "answer to another request"},
               Case{Op::write_reply, false, kKey, "answer to another request"},
               Case{Op::read_reply, true, kKey, "answer to another request"},
               Case{Op::read_request, false, kKey, "answer to another request"});
  const sim::CoverageMap map = sim::Registry<models::ProtocolEntry>::find("nocache")->coverage;
  sim::Coverage coverage(map);
  Setup setup;
  setup.mark(coverage);
  NoCacheRun run(setup, small());
  Forger forger(run);
  forger.send(sim::Time{} + 500_ns, {{forged.op, forged.key}});  // when the request is on its way
  forged.write ? run.put(kAlice, kKey) : run.get(kAlice, kKey);
  run.advance(501_ns);
  INFO(forged.row << " for operation type " << number(forged.op));
  CHECK(rows_reached(coverage).contains(forged.row));
  run.advance(1_ms);
  CHECK(run.ended() == 1);
  run.finish();
  CHECK(run.violations({"answered-once", "data-value", "values-at-rest"}) == "");  // answers were forged
}

TEST_CASE("what a client gets before it has decided what to do about a failure counts as what comes late") {
  struct Case {
    std::vector<Forger::Forged> behind;
    const char* row;
    std::uint64_t requests;  // that are sent, the first one included
    std::uint64_t value;     // that is read
  };
  const std::uint64_t other = kKey + 1;
  const Case c = GENERATE_COPY(
      Case{{{Op::read_reply}}, "answer, late", 1, 5},  //
      Case{{{Op::read_reply, other}}, "other key, late", 2, sim::kNeverWritten},
      Case{{{Op::read_reply, kKey, 2, 0}}, "part of an answer", 2, sim::kNeverWritten},
      Case{{{Op::read_reply, kKey, 2, 0}, {Op::read_reply, kKey, 2, 1}}, "answer, late", 1, 5},
      Case{{{Op::read_reply, kKey, 2, 0}, {Op::read_reply, kKey, 2, 1, 6}}, "mixed item, late", 2, sim::kNeverWritten},
      Case{{{Op::write_reply}}, "answer to another request", 2, sim::kNeverWritten});
  const sim::CoverageMap map = sim::Registry<models::ProtocolEntry>::find("nocache")->coverage;
  sim::Coverage coverage(map);
  Setup setup;
  setup.mark(coverage);
  NoCacheRun run(setup, small());
  Forger forger(run);
  std::vector<Forger::Forged> together{{Op::read_reply, other}};
  together.insert(together.end(), c.behind.begin(), c.behind.end());
  forger.send(sim::Time{} + 500_ns, together);
  const Ended get = run.get_now(kAlice, kKey);
  INFO(c.row);
  CHECK(rows_reached(coverage).contains("other key"));
  CHECK(rows_reached(coverage).contains(c.row));
  CHECK_FALSE(get.given_up);
  CHECK(get.value == c.value);
  CHECK(run.counter("store.requests") == c.requests);
  CHECK(run.counter("store.corrections") == 1);
  run.finish();
  CHECK(run.violations({"answered-once", "data-value"}) == "");  // answers were forged
}

TEST_CASE("a write that is answered while it backs off has been answered, also when its time is over by then") {
  const bool late = GENERATE(true, false);
  nocache::NoCacheOptions options = small();
  options.attempts = 1;
  NoCacheRun run(Setup{}, options);
  StoreRun::lose(run.rack.uplink(kAlice.node), Op::write_request);
  Forger forger(run);
  const sim::Time refused = sim::Time{} + (late ? options.timeout - 1_us : 1_us);
  const sim::Time answered = refused + 2_us;
  forger.send(refused, {{Op::write_refused}});
  forger.send(answered, {{Op::write_reply}});
  const Ended put = run.put_now(kAlice, kKey);
  CHECK_FALSE(put.given_up);
  CHECK((put.at > sim::Time{} + options.timeout) == late);
  CHECK(put.at == refused + run.rack.options().rtt);
  CHECK(run.counter("store.requests") == 1);
  CHECK(run.counter("store.refused_writes") == 1);
  CHECK(run.counter("store.given_up") == 0);
  run.finish();
  CHECK(run.violations({"values-at-rest"}) == "");  // the answer was forged
}

TEST_CASE("a write that is refused again and again is given up once the time for all its attempts is over") {
  nocache::NoCacheOptions options = small();
  options.attempts = 2;
  NoCacheRun run(Setup{}, options);
  StoreRun::lose(run.rack.uplink(kAlice.node), Op::write_request, 1'000'000);
  Forger forger(run);
  const sim::Duration every = run.rack.options().rtt + 2_us;  // when the client has sent it again
  for (int i = 0; i < 200; ++i) forger.send(sim::Time{} + 1_us + every * i, {{Op::write_refused}});
  const Ended put = run.put_now(kAlice, kKey);
  CHECK(put.given_up);
  CHECK(put.at >= sim::Time{} + options.timeout * 2);
  CHECK(put.at < sim::Time{} + options.timeout * 2 + 2 * every);
  CHECK(run.counter("store.timeouts") == 0);
  CHECK(run.counter("store.refused_writes") > 10);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a message that a state rules out stops the run, and is named with its key") {
  nocache::NoCacheOptions options = small();
  options.request_work = 10_us;  // so that there is time for an answer to what nobody has sent
  NoCacheRun run(Setup{}, options);
  Forger forger(run);
  forger.send(sim::Time{} + 5_us, {{Op::read_reply}});
  run.get(kAlice, kKey);
  CHECK_THROWS_MATCHES(
      run.advance(20_us), models::UndefinedTransition,
      Catch::Matchers::Message("store client: 'reply' in the state 'preparing' is declared impossible (nothing has "
                               "been sent under this SEQ, which comes back after 2^32 requests), key 0x7"));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a state or an event of a request's life is called what its enumerator is") {
  using State = RequestState;
  using Event = RequestEvent;
  const models::TableDescription& table = client_table().description();
  const auto state = [&](State s) { return table.states.at(static_cast<std::size_t>(s)); };
  const auto event = [&](Event e) { return table.events.at(static_cast<std::size_t>(e)); };
  CHECK(state(State::preparing) == "preparing");
  CHECK(state(State::waiting) == "waiting");
  CHECK(state(State::in_vain) == "in vain");
  CHECK(state(State::backing_off) == "backing off");
  CHECK(state(State::repeating) == "repeating");
  CHECK(state(State::answered_early) == "answered early");
  CHECK(state(State::over) == "over");
  CHECK(event(Event::prepared) == "prepared");
  CHECK(event(Event::reply) == "reply");
  CHECK(event(Event::refusal) == "W-REFUSED");
  CHECK(event(Event::stray) == "stray");
  CHECK(event(Event::timeout) == "timeout");
  CHECK(event(Event::retry) == "retry");
}

}  // namespace client_table_test
