// FlowCC explored: one block, two requesters, and a switch of two ways between which and its home the block moves.
// `racksim explore flowcc-migration` runs it.
//
// All that decides is what a rack runs: the requesters' event runners, the cache agents' responders, the home's
// directory with its migrations, and the compiled LCF program, pass by pass. Here are only what lies between them, and
// the applications:
//
//   * A packet may pass any other, be lost or doubled. A WRITE of a block arrives once, when it likes.
//   * A pass of the switch is one step, and the second pass of a packet another: passes of other packets come between.
//     Packets that come again by one port keep their order (the chassis does so: rule M6), unless told otherwise.
//   * A requester begins an event when it likes, of the kinds that make sense of its copy then. One that is refused is
//     over: that an application tries again is another event.
//   * The shadow node is any: hints to remove the block come at any instant. An epoch may end at any instant, and the
//     block is hot then. Other blocks take the places that are free, and give them up.
//   * A timeout is due when nothing is under way. Before that it is spurious, of which there are so many.
//
// Judged are:
//   * single writer: beside a dirty copy there is none (SWMR);
//   * data value: each copy that can be read has the last write;
//   * in the switch the block is in at most one way, and the lock of a free place is 0;
//   * at most one owner would grant a request;
//   * at rest owner and home agree who owns the block, metadata and copies agree, memory has the last write unless a
//     dirty copy has it, and no lock, score or migration is left;
//   * every state leads to one at rest.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocols/flowcc/explored/explore_options.hpp"
#include "protocols/flowcc/rules/counters.hpp"
#include "protocols/flowcc/rules/coverage.hpp"
#include "protocols/flowcc/rules/messages.hpp"
#include "protocols/flowcc/rules/migration_counters.hpp"
#include "protocols/flowcc/rules/provider.hpp"
#include "protocols/flowcc/switch/lone_switch.hpp"
#include "sim/exploration/archive.hpp"
#include "sim/exploration/model.hpp"
#include "sim/metrics/metrics.hpp"

namespace racksim::flowcc {

/// What is under way.
struct ExploredFlight {
  enum class Type : std::uint8_t {
    to_switch,   ///< a packet, before its first pass
    to_node,     ///< a packet, behind the switch
    data,        ///< a WRITE of the block into the buffer of an event
    write_back,  ///< a WRITE of the block home
  };
  Type type{};
  NodeId from = 0;          ///< kSwitch of what the switch sends
  NodeId to = 0;            ///< unless it is for the switch
  FlowCcHeader header{};    ///< of a WRITE: whose and of which event it is
  std::uint64_t again = 0;  ///< what the first pass has given to the second
  BlockData data{};         ///< of a WRITE

  static constexpr NodeId kSwitch = 9;
  static constexpr std::size_t kPathBytes = 3;  ///< type, from, to: they come first
  bool is_write() const { return type == Type::data || type == Type::write_back; }
  template <class Archive>
  void archive(Archive& archive);
  std::string encoded() const;
  static ExploredFlight decoded(const std::string& bytes);
  std::string in_words() const;
};

class ExploredBlock final : public sim::Model {
 public:
  explicit ExploredBlock(const ExploreOptions& options);
  ~ExploredBlock() override;

  std::string initial() override;
  void expand(std::string_view state, sim::Steps& steps) override;
  std::size_t look(std::string_view state, sim::Steps& said) override;
  void take(std::string_view state, std::size_t step, sim::Steps& steps) override;
  std::string step_in_words(std::string_view state, std::size_t step) override;
  std::string state_in_words(std::string_view state) override;

 private:
  class Requester;
  class Home;
  friend class Requester;
  friend class Home;

  struct Step {
    enum class Action : std::uint8_t {
      begin,    ///< an event of a type
      send,     ///< its request, for which it had to wait
      deliver,  ///< what is under way
      again,    ///< the second pass of a packet
      lose,
      duplicate,
      request_timeout,
      unlock_timeout,  ///< of a slot
      move_timeout,
      add,      ///< an epoch ends
      remove,   ///< a hint
      foreign,  ///< a way is taken by another block, or given up by it
    };
    Action action;
    std::size_t index = 0;  ///< of the requester, of what is under way, or of the way
    std::size_t slot = 0;
    MessageType type{};
  };
  /// How often what is bounded has happened.
  struct Counts {
    std::uint8_t adds = 0, removes = 0, foreign = 0, losses = 0, duplicates = 0, timeouts = 0;
  };

  static constexpr std::uint64_t kForeign = 0x55;  // in a TAG array: another block
  static constexpr unsigned kThreads = 2;
  /// Those of the threads and of the home agents.
  unsigned requester_numbers() const { return kThreads + options_.nodes(); }
  Tag tag() const { return Tag{std::uint64_t{options_.home()} << kHomeShift}; }
  static constexpr unsigned kHomeShift = 8;

  // The state: in the parts, and here.
  void load(std::string_view state) {
    sim::StateReader reader(state);
    archive(reader);
  }
  const std::string& saved() {
    writer_.clear();
    archive(writer_);
    return writer_.bytes();
  }
  template <class Archive>
  void archive(Archive& archive);

  // Which steps there are (explored_steps.cpp).
  void list_steps();
  void add_events();
  void add_flights();
  void add_again();
  void add_timeouts();
  void add_migrations();
  bool is_still() const { return flights_.empty() && again_.empty(); }

  // What they do; what they break is in `wrong_` then.
  void run(const Step& step);
  void act(const Step& step);
  void note_timeout() {
    if (!is_still()) ++counts_.timeouts;
  }
  void begin(Requester& requester, MessageType type);
  void go_on(Requester& requester);
  void complete(Requester& requester);
  void deliver(const ExploredFlight& flight);
  void pass(const ExploredFlight& flight, bool again);
  // Another home's ADD and CLEAR, each in no time.
  void change_way(std::size_t way) {
    const std::string array = "TAG" + std::to_string(way + 1);
    switch_.write(array, 0, switch_.read(array, 0) == 0 ? kForeign : 0);
  }
  void send(const ExploredFlight& flight) {
    insert(flights_, flight, options_.network == ExploreOptions::Network::unordered);
  }
  void send_data(NodeId from, const FlowCcHeader& request, const BlockData& block);
  static void insert(std::vector<std::string>& list, const ExploredFlight& flight, bool unordered);

  // What is judged (explored_judgement.cpp).
  std::string wrong_here() const;
  std::string wrong_with_copies() const;
  std::string wrong_with_places() const;
  bool at_rest() const;
  std::string wrong_at_rest() const;
  GlobalMetadata metadata_of_copies() const;
  std::uint64_t in_way(const char* array, std::size_t way) const;
  bool is_in(std::size_t way) const;
  std::optional<std::size_t> way() const;

  std::string in_words(const Step& step) const;

  const ExploreOptions options_;
  sim::Metrics metrics_;
  Counters counters_{metrics_};
  MigrationCounters migration_counters_{metrics_};
  const CoverageMarks coverage_;
  const ProviderOrders providers_;
  LoneSwitch switch_;
  std::vector<std::unique_ptr<Requester>> requesters_;
  std::unique_ptr<Home> home_;
  std::vector<std::string> flights_;  // encoded; in the order of their encodings, or if need be of their sending
  std::vector<std::string> again_;    // packets before their second pass; the same
  sim::Value memory_ = 0;             // the block's value at its home
  std::uint32_t memory_version_ = 0;
  sim::Value last_ = 0;  // the last write
  Counts counts_;

  std::string initial_;
  std::string looked_at_;  // the state whose steps are listed
  std::vector<Step> steps_;
  std::string wrong_;
  std::vector<LeftPacket> left_;
  sim::StateWriter writer_;
};

}  // namespace racksim::flowcc
