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
// equal, or the home's store alone has the key; what they have is the last put.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocols/cckvs/explored/explore_options.hpp"
#include "protocols/cckvs/explored/explored_state.hpp"
#include "protocols/cckvs/keys/cache.hpp"
#include "sim/exploration/model.hpp"

namespace racksim::cckvs {

class ExploredCaches final : public sim::Model {
 public:
  /// Of a key with this home.
  ExploredCaches(const ExploreOptions& options, NodeId home);
  ~ExploredCaches() override;

  std::string initial() override;
  void expand(std::string_view state, sim::Steps& steps) override;
  std::string step_in_words(std::string_view state, std::size_t step) override;
  std::string state_in_words(std::string_view state) override;

 private:
  class Node;
  friend class Node;
  struct Step {
    enum class Action : std::uint8_t { get, put, request, answer, deliver, lose, duplicate, control, timeout, change };
    Action action;
    std::uint8_t node = 0;  ///< at which it happens
    std::size_t index = 0;  ///< of the session, the message or the control message
  };
  using Session = ExploredState::Session;

  static constexpr sim::Key kKey = 0;
  static constexpr std::uint8_t kPutResult = 0x80;  // of a put in a session's results

  // Which steps there are.
  std::vector<Step> steps_of(const ExploredState& state) const;
  void add_operations(const ExploredState& state, std::vector<Step>& steps) const;
  void add_messages(const ExploredState& state, std::vector<Step>& steps) const;
  void add_hand_over(const ExploredState& state, std::vector<Step>& steps) const;
  void add_timeouts(const ExploredState& state, std::vector<Step>& steps) const;

  // What they do to `now_`; what they break is in `wrong_` then.
  void take_step(const Step& step);
  void begin(const Step& step);
  void begin_without_clients(NodeId node);
  void deliver(const Step& step);
  void deliver_control(const Step& step);
  void deliver_answer(const Step& step);
  template <class Event>
  void run(NodeId node, const Event& event);
  static Stalled operation_of(std::size_t session, const Session& of);

  // What is judged.
  std::string wrong_with(const ExploredState& state) const;
  /// Whether the node's sessions may read its copy.
  bool is_readable(const ExploredState& state, NodeId node) const;
  bool all_done(const ExploredState& state) const;
  bool is_quiet(const ExploredState& state) const;
  /// Whether no message of any kind is under way.
  static bool is_still(const ExploredState& state);
  /// Empty if the sessions' results are sequentially consistent.
  static std::string judged(const std::vector<Session>& sessions);
  static std::string in_words(Timestamp timestamp);
  static std::string in_words(const Flight& flight);
  static std::string in_words(const Control& control);
  std::string copy_in_words(const ExploredState& state, NodeId node) const;

  // What the nodes tell.
  void send(const Flight& flight);
  void send(const Control& control);
  void committed(NodeId node, Timestamp timestamp);
  /// An operation has its result at this node: its session's, or the home.
  void answered(NodeId node, std::size_t session, const Stored& result);
  void ended(std::size_t session, std::uint8_t value);
  void note_result(std::size_t session, std::uint8_t result);  // under SC

  const ExploreOptions options_;
  const ExploredState::Scope scope_;
  const NodeId home_;
  const std::vector<NodeId> session_nodes_;
  std::vector<std::unique_ptr<Node>> nodes_;
  ExploredState now_;  // in which a step is taken
  std::string wrong_;
  bool telling_ = false;  // what the step ends is told
  std::vector<std::string> told_;
  std::unordered_map<std::string, std::string> verdicts_;  // of SC's histories; nothing depends on its order
};

}  // namespace racksim::cckvs
