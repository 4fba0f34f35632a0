// ccKVS explored: the caches of a few nodes (cache.hpp, the same code that a rack runs) with one key, under every order
// of messages and operations. `racksim explore cckvs-lin` and `cckvs-sc` run it.
//
// A step is one session that begins an operation, one message that is delivered, lost or duplicated, or one timeout. A
// session's operation begins when the cache gets it, and ends when the cache has answered: no shorter interval could
// be, so none judges harder. A timeout is due when no message is under way, and then costs nothing; before that it is
// spurious, of which there are so many.
//
// Judged are, of Lin (ccKVS §5.2, its verification):
//   * the history of the clients, which has to be linearizable;
//   * data value: Valid copies are all equal, and have the put that was committed last;
//   * single writer: when a put commits no other copy is Valid. (A put has permission to write at that instant alone.)
// Of SC: when all operations are over, that some order explains them in which each session's come in their order.
// Of both: every state leads to one where all operations are over, nothing is under way, and all copies are Valid and
// equal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocols/cckvs/cache.hpp"
#include "protocols/cckvs/explore_options.hpp"
#include "protocols/cckvs/explored_state.hpp"
#include "sim/exploration/model.hpp"

namespace racksim::cckvs {

class ExploredCaches final : public sim::Model {
 public:
  explicit ExploredCaches(const ExploreOptions& options);
  ~ExploredCaches() override;

  std::string initial() override;
  void expand(std::string_view state, sim::Steps& steps) override;
  std::string step_in_words(std::string_view state, std::size_t step) override;
  std::string state_in_words(std::string_view state) override;

 private:
  class Node;
  struct Step {
    enum class Kind : std::uint8_t { get, put, deliver, lose, duplicate, timeout };
    Kind kind;
    std::uint8_t node;      ///< of get, put and timeout
    std::size_t index = 0;  ///< of the session, or of the flight
  };
  using Session = ExploredState::Session;

  static constexpr sim::Key kKey = 0;
  static constexpr std::uint8_t kPutResult = 0x80;  // of a put in a session's results

  std::vector<Step> steps_of(const ExploredState& state) const;
  void add_operations(const ExploredState& state, std::vector<Step>& steps) const;
  void add_messages(const ExploredState& state, std::vector<Step>& steps) const;
  /// Takes the step in `now_`; what it breaks is in `wrong_` then.
  void take(const Step& step);
  void begin(const Step& step);
  template <class Event>
  void run(NodeId node, const Event& event);
  std::string wrong_with(const ExploredState& state) const;
  bool all_done(const ExploredState& state) const;
  static bool is_quiet(const ExploredState& state);
  /// Empty if the sessions' results are sequentially consistent.
  static std::string judged(const std::vector<Session>& sessions);
  static std::string in_words(Timestamp timestamp);
  static std::string in_words(const Flight& flight);

  // What the caches tell.
  void send(const Flight& flight);
  void ended_get(std::size_t session, std::uint8_t value);
  void ended_put(std::size_t session, bool superseded);
  void ended(std::size_t session, std::uint8_t result);  // under SC
  void committed(NodeId node, Timestamp timestamp);

  const ExploreOptions options_;
  const std::vector<NodeId> places_;
  std::vector<std::unique_ptr<Node>> nodes_;
  ExploredState now_;  // in which a step is taken
  std::string wrong_;
  bool telling_ = false;  // what the step ends is told
  std::vector<std::string> told_;
  std::unordered_map<std::string, std::string> verdicts_;  // of SC's histories; nothing depends on its order
};

}  // namespace racksim::cckvs
