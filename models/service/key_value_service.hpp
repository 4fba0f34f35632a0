// The key-value service: what an application thread of a key-value store sees (StarCache §3.3, ccKVS §4).
//
// The face records histories (service.hpp) and counts operations by who answered them (answer_labels.hpp). Items are
// described, not stored: a size that follows from the key, and a value that stands for the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "models/service/answer_labels.hpp"
#include "models/service/client_behaviour.hpp"
#include "models/service/item_parts.hpp"
#include "models/service/operation_set.hpp"
#include "models/service/service.hpp"
#include "sim/kernel/task.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::models {

/// How large items are: keys all alike, values of two sizes, chosen for each key by a hash of it (StarCache §5.1), and
/// by which draw, so that several placements of the same items can be compared.
struct ItemSizes {
  std::uint32_t key_bytes = 16;
  std::uint32_t small_value_bytes = 64;
  std::uint32_t large_value_bytes = 1024;
  double small_share = 0.12;  ///< of the keys
  /// Which keys are small and, in stores that place keys by a hash, which server has which key follow from it alone: 0
  /// for the hash as it is.
  std::uint64_t placement_seed = 0;
  /// Sizes of their own that keys have, where a trace gives them; null for none.
  std::shared_ptr<const sim::FlatMap<std::uint32_t>> of_keys = {};

  std::uint32_t value_bytes(sim::Key key) const;
};

/// What an operation came to.
struct Answer {
  bool given = false;  ///< false: nobody has answered in time, and the client has given up
  sim::Key key = 0;
  sim::Value value = 0;   ///< of a get
  bool absent = false;    ///< of a get: there is no such item, as before anybody put it
  ItemParts parts;        ///< of a get: what the packets that made up the answer held
  std::size_t label = 0;  ///< who answered, in the protocol's list of labels
};

/// A key-value store. Implemented by protocols, used by workloads. A session may have any number of operations under
/// way, and have them carried out at another node than its own: then the thread of its number there does it.
class KeyValueService : public Service {
 public:
  static constexpr std::string_view kWhat = "a key-value service";

  /// Clients are the first `client_nodes` nodes. `labels`: of who answers, at least one.
  KeyValueService(sim::Calendar& calendar, sim::EventLog& event_log, sim::Metrics& metrics, unsigned client_nodes,
                  unsigned threads_per_node, const std::vector<AnswerLabel>& labels, unsigned sessions_per_thread = 1);

  /// Gets an item; returns its value, or nothing if it gives up.
  sim::Task<std::optional<sim::Value>> get(Session session, sim::Key key) { return get(session, key, session.node); }
  /// The same at a node: in the record it is the session's, and a crash of that node ends it.
  sim::Task<std::optional<sim::Value>> get(Session session, sim::Key key, NodeId at);
  /// Gives an item a new value; returns it, or nothing if it gives up: then the item may have got it, may still do so,
  /// or never.
  sim::Task<std::optional<sim::Value>> put(Session session, sim::Key key) { return put(session, key, session.node); }
  /// The same at a node.
  sim::Task<std::optional<sim::Value>> put(Session session, sim::Key key, NodeId at);
  /// Has a key hold nothing, as before anybody put it. Ends with whether it was carried out; if not, it gives up as a put
  /// does. Only if `offers` has it.
  sim::Task<bool> erase(Session session, sim::Key key, NodeId at);
  sim::Task<bool> erase(Session session, sim::Key key) { return erase(session, key, session.node); }
  virtual OperationSet offers() const { return {sim::OperationKind::read, sim::OperationKind::write}; }

  /// Tells the sizes of all items, before the run. Throws std::runtime_error when the store cannot hold such items.
  void describe_items(const ItemSizes& sizes);
  /// Tells what clients will do, before the run; who is not told may take them to be pinned. Throws sim::OptionError,
  /// about an option of the workload, when the store cannot keep its promises to such clients.
  void describe_clients(const ClientBehaviour& clients) { do_describe_clients(clients); }
  /// Tells the most popular keys, hottest first, before the run: what a cache may begin with.
  /// By default each of them is asked for, coldest first, by sessions in turn.
  virtual void preload(std::span<const sim::Key> hottest);

  unsigned client_nodes() const { return client_nodes_; }
  /// The bytes of the item's value.
  std::uint64_t bytes_of(const sim::OperationView& begun) const override;

 protected:
  /// `place` says who carries it out: the session that asks, or the one of its thread and number at another node. Whose
  /// operation it is tells its number (Service::session_of), but for those of the warm-up.
  virtual sim::Task<Answer> do_get(Session place, sim::Key key, sim::OperationId operation) = 0;
  virtual sim::Task<Answer> do_put(Session place, sim::Key key, sim::Value value, sim::OperationId operation) = 0;
  virtual sim::Task<Answer> do_erase(Session place, sim::Key key, sim::OperationId operation);
  virtual void do_describe_items(const ItemSizes& sizes) = 0;
  /// The bytes of a value that a key has got. By default they follow from the key.
  virtual std::uint32_t value_bytes(sim::Key key, sim::Value value) const {
    static_cast<void>(value);
    return sizes_.value_bytes(key);
  }
  const ItemSizes& sizes() const { return sizes_; }
  /// By default all clients are served alike.
  virtual void do_describe_clients(const ClientBehaviour& clients) { static_cast<void>(clients); }
  /// An answer has come to a request that is over. `key` is the one that it is about.
  void repeated_answer(Session session, sim::Key key);

 private:
  sim::Task<void> warm(Session session, sim::Key key);
  /// Returns what was read or written, nothing if it was given up.
  std::optional<sim::Value> finish(Session session, const PendingOperation& begun, const Answer& answer);
  void judge_parts(Session session, const PendingOperation& begun, const Answer& answer);

  unsigned client_nodes_;
  ItemSizes sizes_;
  sim::Counter &given_up_, &repeated_, &answered_, &begun_in_window_, &lost_of_window_;
  AnswerTally tally_;
};

}  // namespace racksim::models
