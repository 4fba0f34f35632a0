// The oracle of cost: what operations send and receive against a table, each of them and all together.
#include "models/service/cost_oracle.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "tests/models/rack_fixture.hpp"

namespace cost_oracle_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace sim::literals;
using Catch::Contains;

namespace {

// Named, for clang 14 cannot compile them as arguments everywhere.
constexpr sim::Key kKey{1};
constexpr sim::OperationId kNobody{0};
constexpr std::uint16_t kQuestion = 9, kAnswer = 14, kTwice = 15;

/// Knows questions and answers by their UDP source ports.
struct Talk final : Protocol {
  Service& service() override { throw std::logic_error("nobody asks"); }
  void show_state(sim::StateVisitor&) const override {}
  bool quiescent() const override { return true; }
  std::vector<Leak> leaks() const override { return {}; }
  void record_final_state() override {}
  void node_crashed(NodeId) override {}
  void messages_of(const p4::Packet& packet, std::vector<CostedMessage>& messages) const override {
    const auto port = packet.get<p4::Udp>().src_port;
    if (port == kQuestion) messages.push_back({0, packet.operation});
    if (port == kAnswer || port == kTwice) messages.push_back({1, packet.operation});
    if (port == kTwice) messages.push_back({1, packet.operation});
  }
};

/// Of the first session.
constexpr sim::OperationId operation_of(std::uint64_t number) {
  return sim::OperationId{(std::uint64_t{1} << sim::kNumberBits) + number};
}

CostRow answered() {
  return {.what = "a question is answered once", .section = "", .cost = "sent answer", .per = "sent question"};
}

/// A rack on which operations ask and answer.
struct Conversation {
  TestRack rack;
  Talk protocol;
  sim::Source session;
  sim::Counter& counted;
  CostOracle oracle;

  explicit Conversation(std::vector<CostRow> rows, bool writes_return_early = false)
      : session(rack.event_log.add_session("node0/thread0")),
        counted(rack.metrics.counter("talk.counted", "questions", "that somebody counted")),
        oracle(
            rack.rack, protocol,
            {.messages = {"question", "answer"}, .rows = std::move(rows), .writes_return_early = writes_return_early}) {
    rack.event_log.attach(oracle);
  }
  void begin(sim::OperationId operation, sim::OperationKind kind = sim::OperationKind::read) {
    sim::record_begun(rack.event_log, session, rack.calendar.now(), operation, kind, kKey);
  }
  void end(sim::OperationId operation, sim::OperationKind kind = sim::OperationKind::read) {
    sim::record_ended(rack.event_log, session, rack.calendar.now(), operation, kind, kKey, {});
  }
  void perform(sim::OperationId operation) {
    sim::record_performed(rack.event_log, session, rack.calendar.now(), operation, kKey, {});
  }
  void say(std::uint16_t what, sim::OperationId operation, std::uint32_t payload = 0) {
    auto packet = rack.rack.make_packet(1, what, static_cast<std::uint16_t>(rack.hosts[1]->qpn));
    packet->payload_bytes = payload;
    packet->operation = operation;
    rack.rack.server(0).nic().send_raw(Qpn{rack.hosts[0]->qpn}, std::move(packet));
    rack.calendar.run_until(rack.calendar.now() + 100_us);
  }
  std::vector<std::string> found() {
    oracle.finish(rack.calendar.now());
    std::vector<std::string> texts;
    for (const auto& violation : oracle.violations()) texts.push_back(violation.what);
    return texts;
  }
};

}  // namespace

TEST_CASE("operations that cost what the table says are judged and pass") {
  Conversation talk({answered(),
                     {.what = "one each", .section = "", .cost = "sent question", .per = "reads"},
                     {.what = "and they come", .section = "", .cost = "received question", .per = "operations"},
                     {.what = "short", .section = "", .cost = "bytes of question", .per = "sent question", .most = 5}});
  for (const auto operation : {operation_of(1), operation_of(2)}) {
    talk.begin(operation);
    talk.say(kQuestion, operation, 5);
    talk.say(kAnswer, operation);
    talk.end(operation);
  }
  CHECK(talk.found().empty());
  CHECK(talk.oracle.judged() == 2);
}

TEST_CASE("an answer that one operation misses and another has twice breaks the row of each, but not that of all") {
  const auto happens = [](bool of_each) {
    CostRow row = answered();
    row.of_each = of_each;
    Conversation talk({row});
    for (const auto operation : {operation_of(1), operation_of(2)}) {
      talk.begin(operation);
      talk.say(kQuestion, operation);
      if (operation == operation_of(2)) talk.say(kTwice, operation);
      talk.end(operation);
    }
    return talk.found();
  };
  const auto found = happens(true);
  REQUIRE(found.size() == 2);
  CHECK(found[0] ==
        "n0.t0 #1: 0 of \"sent answer\" for 1 of \"sent question\", 1 allowed: a question is answered once");
  CHECK_THAT(found[1], Contains("#2: 2 of \"sent answer\""));
  CHECK(happens(false).empty());
}

TEST_CASE("messages that belong to no operation are in the sums alone") {
  Conversation talk({answered()});
  talk.begin(operation_of(1));
  talk.say(kQuestion, operation_of(1));
  talk.say(kAnswer, operation_of(1));
  talk.say(kAnswer, 0);
  talk.end(operation_of(1));
  const auto found = talk.found();
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Catch::StartsWith("all operations: 2 of \"sent answer\" for 1"));
}

TEST_CASE("factors, sums and ranges bound from both sides") {
  const auto passes = [](std::uint64_t least, std::uint64_t most, unsigned answers) {
    Conversation talk({{.what = "some",
                        .section = "",
                        .cost = "2 sent answer + reads",
                        .per = "sent question",
                        .least = least,
                        .most = most}});
    talk.begin(operation_of(1));
    talk.say(kQuestion, operation_of(1));
    for (unsigned i = 0; i < answers; ++i) talk.say(kAnswer, operation_of(1));
    talk.end(operation_of(1));
    return talk.found().empty();
  };
  CHECK(passes(3, 3, 1));
  CHECK_FALSE(passes(4, CostRow::kAny, 1));
  CHECK_FALSE(passes(0, 2, 1));
  CHECK(passes(0, CostRow::kAny, 3));
}

TEST_CASE("of a counter what the run has counted is summed") {
  Conversation talk(
      {{.what = "counted", .section = "", .cost = "talk.counted", .per = "sent question", .of_each = false}});
  talk.counted.value = 7;  // by the warm-up
  talk.begin(operation_of(1));
  talk.say(kQuestion, operation_of(1));
  ++talk.counted.value;
  talk.end(operation_of(1));
  CHECK(talk.found().empty());
  ++talk.counted.value;
  CHECK(talk.found().size() == 1);
}

TEST_CASE("a disturbed run is not judged, nor one in which somebody waited in vain") {
  const auto judged = [](auto&& disturb) {
    Conversation talk({answered()});
    talk.begin(operation_of(1));
    talk.say(kQuestion, operation_of(1));
    disturb(talk);
    talk.end(operation_of(1));
    return talk.found().size() + talk.oracle.judged();
  };
  CHECK(judged([](Conversation&) {}) == 3);  // the operation, its row, and the row of all
  CHECK(judged([](Conversation& talk) {
          sim::record_disturbance(talk.rack.event_log, talk.session, talk.rack.calendar.now(), 0,
                                  sim::Disturbance::late);
        }) == 0);
  CHECK(judged([](Conversation& talk) {
          sim::record_sent_again(talk.rack.event_log, talk.session, talk.rack.calendar.now(), 1,
                                 {.why = sim::SentAgain::timeout, .key = 0, .since = {}});
        }) == 0);
  CHECK(judged([](Conversation& talk) {
          sim::record_sent_again(talk.rack.event_log, talk.session, talk.rack.calendar.now(), 1,
                                 {.why = sim::SentAgain::refusal, .key = 0, .since = {}});
        }) == 3);
}

TEST_CASE("a row of one state is judged of each access that finds it, and of no other") {
  const auto found = [](bool holds, unsigned questions, std::uint64_t times) {
    Conversation talk({row_of("reads that hit", "asks nobody", "", "sent question", times, times)});
    if (holds) talk.oracle.initial_permission(kKey, 0, sim::Permission::read);
    talk.begin(operation_of(1));
    for (unsigned i = 0; i < questions; ++i) talk.say(kQuestion, operation_of(1));
    talk.end(operation_of(1));
    return talk.found();
  };
  CHECK(found(true, 0, 0).empty());
  CHECK(found(false, 1, 0).empty());
  REQUIRE(found(true, 1, 0).size() == 1);
  CHECK(found(true, 1, 0)[0] ==
        "n0.t0 #1: 1 of \"sent question\" for 1 of \"operations\", 0 allowed: asks nobody (of the reads that hit)");
  CHECK(found(true, 0, 1).size() == 1);
}

TEST_CASE("what each other holder costs is by those that held it as the access began") {
  const auto passes = [](unsigned holders, unsigned questions) {
    Conversation talk(
        {row_of("reads of what others share", "asks each", "", "sent question", 1, 1, "other holders + operations")});
    for (unsigned node = 1; node <= holders; ++node) {
      talk.oracle.initial_permission(kKey, node, sim::Permission::read);
    }
    talk.begin(operation_of(1));
    for (unsigned i = 0; i < questions; ++i) talk.say(kQuestion, operation_of(1));
    talk.end(operation_of(1));
    return talk.found().empty();
  };
  CHECK(passes(2, 3));
  CHECK_FALSE(passes(2, 2));
  CHECK_FALSE(passes(2, 4));
  CHECK(passes(1, 2));
}

TEST_CASE("a write that returns early lasts until it is performed, whichever is later") {
  enum class Changes : std::uint8_t { never, before_the_later, afterwards };
  const auto judged = [](bool performed_first, Changes changes) {
    constexpr auto kWrite = sim::OperationKind::write;
    Conversation talk({row_of("writes of what nobody has", "asks once", "", "sent question", 1, 1)}, true);
    const auto change = [&](Changes now) {
      if (changes != now) return;
      sim::record_permission(talk.rack.event_log, talk.session, talk.rack.calendar.now(), kNobody, kKey, 2,
                             sim::Permission::read);
    };
    talk.begin(operation_of(1), kWrite);
    if (performed_first) talk.perform(operation_of(1));
    if (!performed_first) talk.end(operation_of(1), kWrite);
    change(Changes::before_the_later);
    if (performed_first) talk.end(operation_of(1), kWrite);
    if (!performed_first) talk.perform(operation_of(1));
    change(Changes::afterwards);
    return talk.found().size() == 1;  // nobody has asked
  };
  for (const bool performed_first : {false, true}) {
    CHECK(judged(performed_first, Changes::never));
    CHECK_FALSE(judged(performed_first, Changes::before_the_later));
    CHECK(judged(performed_first, Changes::afterwards));
  }
}

TEST_CASE("what was sent again, by whatever counts it, leaves a run unjudged") {
  const auto found = [](const char* counter) {
    TestRack rack;
    Talk protocol;
    const sim::Source session = rack.event_log.add_session("node0/thread0");
    sim::Counter& counted = rack.metrics.counter(counter, "messages", "that somebody counted");
    CostOracle oracle(rack.rack, protocol,
                      {.messages = {"question"},
                       .rows = {{.what = "each asks", .section = "", .cost = "sent question", .per = "operations"}}});
    rack.event_log.attach(oracle);
    sim::record_begun(rack.event_log, session, {}, operation_of(1), sim::OperationKind::read, kKey);
    ++counted.value;
    sim::record_ended(rack.event_log, session, {}, operation_of(1), sim::OperationKind::read, kKey, {});
    oracle.finish({});
    return oracle.violations().size();
  };
  CHECK(found("talk.asked") == 2);
  CHECK(found("talk.sent_again") == 0);
}

TEST_CASE("a violation names its operation and the key, so that a chart can be drawn") {
  Conversation talk({answered()});
  talk.begin(operation_of(1));
  talk.say(kQuestion, operation_of(1));
  talk.end(operation_of(1));
  talk.found();
  REQUIRE(talk.oracle.violations().size() == 2);
  CHECK(talk.oracle.violations()[0].about.key == kKey);
  CHECK(talk.oracle.violations()[0].about.operations == std::vector{operation_of(1)});
  CHECK(talk.oracle.violations()[1].about.key == std::nullopt);
}

TEST_CASE("a row of many accesses of a state is judged of their sum, where there are enough of them") {
  const auto found = [](unsigned accesses, unsigned questions) {
    Conversation talk({row_of_many("reads that hit", "hardly ever asks", "", "4 sent question", 0, 1)});
    talk.oracle.initial_permission(kKey, 0, sim::Permission::read);
    for (unsigned i = 1; i <= accesses; ++i) {
      talk.begin(operation_of(i));
      if (i <= questions) talk.say(kQuestion, operation_of(i));
      talk.end(operation_of(i));
    }
    return talk.found();
  };
  CHECK(found(24, 6).empty());
  CHECK(found(23, 23).empty());
  REQUIRE(found(24, 7).size() == 1);
  CHECK(found(24, 7)[0] ==
        "all operations: 28 of \"4 sent question\" for 24 of \"operations\", 0 to 24 allowed: hardly ever asks (of all "
        "the reads that hit)");
}

TEST_CASE("a table that names what there is not is refused") {
  CHECK_THROWS_WITH(Conversation({row_of("reads of the dead", "no", "", "sent question", 1, 1)}),
                    Contains("\"reads of the dead\", which no access is"));

  for (const char* sum : {"sent farewell", "farewells", "talk.farewells", "2 received"}) {
    INFO(sum);
    CHECK_THROWS_WITH(Conversation({{.what = "no", .section = "", .cost = sum, .per = "reads"}}),
                      Contains("neither a message, nor a kind, nor a counter"));
  }
}

}  // namespace cost_oracle_test
