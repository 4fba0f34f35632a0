// A key-value store in no time and no place: it notes what it is asked and answers after a fixed delay, as a test says.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "models/service/key_value_service.hpp"
#include "models/workloads/workload.hpp"
#include "sim/kernel/waiting.hpp"
#include "tests/models/rack_fixture.hpp"

namespace racksim::models::test {

class FakeStore final : public KeyValueService {
 public:
  struct Asked {
    Session session;  ///< at the place where it is carried out
    sim::Key key;
    sim::Value value;  ///< 0 for a get
    bool write;
    sim::Time at;
    sim::OperationId operation;
  };

  FakeStore(Rack& on, unsigned client_nodes, unsigned threads,
            std::vector<AnswerLabel> labels = {{.name = "register", .doc = "a register answered"}},
            unsigned sessions_per_thread = 1)
      : KeyValueService(on.calendar(), on.event_log(), on.metrics(), client_nodes, threads, std::move(labels),
                        sessions_per_thread),
        rack(on) {}

  void preload(std::span<const sim::Key> hottest) override { preloaded.assign(hottest.begin(), hottest.end()); }
  using KeyValueService::repeated_answer;
  using KeyValueService::session_number;
  using KeyValueService::session_of;
  using KeyValueService::sessions_died;

  Rack& rack;
  sim::Duration delay;  ///< of an answer; 0 answers at once
  /// Given the answer of a register, for a test to change.
  std::function<void(const Asked&, Answer&)> distort;
  /// Packs what is then the answer of a get; without, it comes in one packet.
  std::function<void(Answer&)> pack;
  /// Told of the clients, whom it may refuse.
  std::function<void(const ClientBehaviour&)> meet;
  std::vector<Asked> asked;
  std::map<std::uint64_t, std::uint64_t> values;
  ItemSizes sizes{};
  int described = 0;
  std::vector<std::uint64_t> preloaded;

 private:
  void do_describe_clients(const ClientBehaviour& clients) override {
    if (meet) meet(clients);
  }
  void do_describe_items(const ItemSizes& told) override {
    sizes = told;
    ++described;
  }
  sim::Task<Answer> do_get(Session session, sim::Key key, sim::OperationId operation) override {
    return ask({session, key, 0, false, rack.calendar().now(), operation});
  }
  sim::Task<Answer> do_put(Session session, sim::Key key, sim::Value value, sim::OperationId operation) override {
    return ask({session, key, value, true, rack.calendar().now(), operation});
  }
  sim::Task<Answer> ask(Asked what) {
    asked.push_back(what);
    if (delay > sim::Duration{}) co_await sim::sleep_for(rack.server(what.session.node).clock(), delay);
    if (what.write) values[what.key] = what.value;
    const auto found = values.find(what.key);
    Answer answer;
    answer.given = true;
    answer.key = what.key;
    answer.value = sim::Value{found == values.end() ? 0 : found->second};
    if (distort) distort(what, answer);
    if (pack) {
      pack(answer);
    } else {
      answer.parts.add({answer.key, 0, sizes.value_bytes(answer.key), answer.value});
    }
    co_return answer;
  }
};

}  // namespace racksim::models::test
