// Explorations take every row of ccKVS's transition tables: none is there that nothing leads to.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/service/protocol.hpp"
#include "sim/record/coverage.hpp"
#include "tests/protocols/cckvs/explored/explorations.hpp"

namespace explore_rows_test {

using namespace racksim;
using namespace racksim::cckvs;
using namespace racksim::cckvs::testing;

namespace {

/// The rows that explorations have reached, and those that they have not.
class Rows {
 public:
  void explore(Consistency consistency, const Change& change) {
    ExploreOptions options = options_of(consistency, [&](ExploreOptions& o) {
      o.operations = 1;
      o.puts = 2;
      o.coverage = sim::CoverageProbe(&reached_);
      change(o);
    });
    static_cast<void>(explored(options));
  }
  std::vector<std::string> unreached() const {
    std::vector<std::string> rows;
    for (std::size_t point = map_.points() - map_.rows.size(); point < map_.points(); ++point) {
      if (!reached_.reached(point)) rows.push_back(map_.name_of(point));
    }
    return rows;
  }

 private:
  const sim::CoverageMap& map_ = sim::Registry<models::ProtocolEntry>::find("cckvs")->coverage;
  sim::Coverage reached_{map_};
};

}  // namespace

TEST_CASE("every row of the tables is taken by some exploration") {
  Rows rows;
  using Losers = Rules::Losers;
  using GetInWrite = Rules::GetInWrite;
  using Fault = Rules::HandOver;
  const auto lin = [&rows](const Change& change) { rows.explore(Consistency::lin, change); };
  for (const auto losers : {Losers::wait, Losers::acked, Losers::at_once}) {
    lin([losers](ExploreOptions& o) {
      o.rules.losers = losers;
      o.duplicates = 1;
      o.sessions = "0,0,1";
    });
  }
  lin([](ExploreOptions& o) { o.rules.start_at_once = true; });
  for (const bool repairs : {true, false}) {
    lin([repairs](ExploreOptions& o) {
      o.rules.retransmit = true;
      o.rules.resend_invalidations = o.rules.ask_for_updates = repairs;
      o.puts = o.losses = o.timeouts = 1;
    });
  }
  for (const auto get_in_write : {GetInWrite::old_value, GetInWrite::new_value}) {
    lin([get_in_write](ExploreOptions& o) {
      o.rules.get_in_write = get_in_write;
      o.sessions = "0,0,1";
    });
  }
  lin([](ExploreOptions& o) { o.rules.invalid_state = false; });
  lin([](ExploreOptions& o) {
    o.rules.equal_ignored = false;
    o.duplicates = 1;
  });
  lin([](ExploreOptions& o) {
    o.rules.ack_timestamps = o.invariants = false;
    o.sessions = "0,0,1,2";
    o.puts = 3;
  });
  lin([](ExploreOptions& o) {
    o.rules.update_timestamps = false;
    o.operations = 2;
  });
  for (const auto fault : {Fault::safe, Fault::paper, Fault::puts_while_installing, Fault::store_while_cached,
                           Fault::sealed_early, Fault::home_alone}) {
    lin([fault](ExploreOptions& o) {
      o.rules.hand_over = fault;
      o.changes = 2;
      o.puts = 1;
      o.invariants = false;
    });
  }
  for (const auto fault : {Fault::paper, Fault::home_alone, Fault::sealed_early}) {
    lin([fault](ExploreOptions& o) {  // nobody else sees what comes of it, so that it goes on
      o.rules.hand_over = fault;
      o.changes = 1;
      o.sessions = "1";
      o.puts = 1;
    });
  }
  for (const auto fault : {Fault::paper, Fault::active_at_install}) {
    lin([fault](ExploreOptions& o) {
      o.rules.hand_over = fault;
      o.cached_at_first = false;
      o.changes = 2;
      o.puts = 0;
    });
  }
  rows.explore(Consistency::sc, [](ExploreOptions& o) { o.duplicates = 1; });
  rows.explore(Consistency::sc, [](ExploreOptions& o) { o.rules.update_timestamps = false; });
  // Of a timeout that comes when it is not needed any more the model has no step; lin_table_test.cpp has one.
  CHECK(rows.unreached() == std::vector<std::string>{"cckvs lin key: the key does not wait for anything"});
}

}  // namespace explore_rows_test
