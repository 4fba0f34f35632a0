// The memory servers of a rack as SELCC and SEL use them: memory that is registered, lines in it, each behind its latch
// word, and nobody at work (SELCC §3). Compute nodes reach them by queue pairs alone.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "models/rack/rack.hpp"
#include "models/service/memory_service.hpp"
#include "models/service/protocol.hpp"
#include "protocols/latched_memory/latch_word.hpp"
#include "protocols/latched_memory/line_data.hpp"
#include "protocols/latched_memory/line_layout.hpp"

namespace racksim::latched_memory {

/// The shape of a memory service over lines of disaggregated memory, with objects of 8 bytes and latches as locks.
/// Throws sim::OptionError when the rack or the line does not fit: nodes of both roles, fewer cores than application
/// threads and `other_threads`, a line that is no power of two.
models::MemoryShape disaggregated_shape(const models::ProtocolContext& context, std::uint64_t line_bytes,
                                        unsigned other_threads);
/// The same with caches of so many frames, a handler and an evictor: at least a frame for each thread.
models::MemoryShape cached_shape(const models::ProtocolContext& context, std::uint64_t line_bytes,
                                 std::uint32_t frames);
/// Throws sim::OptionError when there are more compute nodes than a latch word has bits.
void require_bits(const models::ProtocolContext& context);

/// Throws std::invalid_argument for a call that does not go with the latch that the session's thread holds of the line:
/// to unlock what it does not hold, to latch it twice, to write to it under a shared latch.
void check_latch(sim::OperationKind kind, models::Session session, sim::Key line, std::optional<models::LockMode> held);

/// Sees what verbs do to lines, at the instant at which memory does it.
class LineObserver {
 public:
  /// An atomic of a compute node has been carried out on a line's word.
  virtual void word_changed(NodeId from, sim::Key line, LatchWord before, LatchWord after) {
    static_cast<void>(from);
    static_cast<void>(line);
    static_cast<void>(before);
    static_cast<void>(after);
  }
  /// One on an object has.
  virtual void object_changed(sim::Key object, const models::AtomicUpdate& update) {
    static_cast<void>(object);
    static_cast<void>(update);
  }
  /// A WRITE of these objects has landed.
  virtual void written(sim::Key line, ObjectRange objects) {
    static_cast<void>(line);
    static_cast<void>(objects);
  }

 protected:
  ~LineObserver() = default;
};

/// A core of a compute node, and queue pairs to all memory servers whose completions it polls.
struct Endpoint {
  models::Core* core = nullptr;
  models::CompletionQueue* queue = nullptr;
  std::vector<models::ReliableConnection*> to_memory{};  ///< by memory server
};

class MemoryServers final : public LineLayout {
 public:
  /// Registers the memory of all memory servers.
  MemoryServers(models::Rack& rack, const models::MemoryService& memory);
  ~MemoryServers();
  MemoryServers(const MemoryServers&) = delete;
  MemoryServers& operator=(const MemoryServers&) = delete;

  std::size_t size() const { return servers_.size(); }
  /// Opens a queue pair of a compute node to each server, in their order; completions go to `queue`.
  std::vector<models::ReliableConnection*> connect(models::Nic& nic, models::CompletionQueue& queue);

  /// Connects the queue pairs of a compute node anew, after it has come back.
  void reconnect(NodeId node);

  /// Where the line's word, and an object of it, lie for verbs.
  models::RemoteAddress remote(sim::Key line) const { return {address_of(line), key_of(line)}; }
  models::RemoteAddress remote(sim::Key line, std::uint16_t object) const {
    return {address_of(line, object), key_of(line)};
  }
  models::Memory& memory_of(sim::Key line) const { return rack_.server(memory_.home_of(line)).nic().memory(); }
  LatchWord word_of(sim::Key line) const { return LatchWord(memory_of(line).word(address_of(line))); }
  /// For warming up: copies a line from memory, or some objects of one to it, of which memory has no more than the copy.
  void load(sim::Key line, LineData& into) const { into.load(memory_of(line), address_of(line, 0), line_bytes()); }
  void store(sim::Key line, const LineData& data, ObjectRange range) const {
    data.write_back(range, memory_of(line), address_of(line, 0));
  }
  void prefetch(sim::Key line) const { memory_of(line).prefetch(address_of(line), stored_bytes()); }
  void set_word(sim::Key line, std::uint64_t bits) { memory_of(line).set_word(address_of(line), bits); }

  void watch(LineObserver& observer) { observers_.push_back(&observer); }

  /// Calls `word(line, LatchWord)` and `object(object, value)` for all that is not 0, in no particular order.
  template <class Word, class Object>
  void visit(Word&& word, Object&& object) const {
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      const NodeId server = node_of(i);
      rack_.server(server).nic().memory().visit_words([&](std::uint64_t address, std::uint64_t value) {
        const sim::Key line = line_at(server, address);
        const std::uint64_t offset = address % stored_bytes();
        if (offset < kWordBytes) {
          word(line, LatchWord(value));
        } else {
          object(object_of(line, index_at(offset)), sim::Value{value});
        }
      });
    }
  }
  /// A verb to a memory server in words, and the line that it is about.
  std::optional<models::PacketDescription> describe(const p4::Packet& packet) const;
  /// Folds all words and objects into the run hash.
  void record_final_state(sim::EventLog& event_log, sim::Source source, sim::Time now) const;

 private:
  class Server;

  /// The ends of a connection, at a compute node and at a server.
  struct Pair {
    NodeId node, server;
    models::ReliableConnection *here, *there;
  };

  NodeId node_of(std::size_t server) const {
    return static_cast<NodeId>(memory_.shape().roles.first_memory_node + server);
  }
  std::uint32_t key_of(sim::Key line) const;

  models::Rack& rack_;
  const models::MemoryService& memory_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<LineObserver*> observers_;
  std::vector<Pair> pairs_;
};

/// What oracles ask of a protocol whose lines have latch words.
class LatchedMemory {
 public:
  virtual MemoryServers& memory_servers() = 0;
  /// Whether each node's part of a word is 0 or 1 at every instant, so that it tells who holds the line.
  virtual bool words_are_decodable() const = 0;
  /// Whether a node holds, gives, takes or releases a line.
  virtual bool has_part_in(NodeId node, sim::Key line) const = 0;
  /// Whether a node is dead, so that others may take its part of words away, or take its place.
  virtual bool is_lost(NodeId node) const {
    static_cast<void>(node);
    return false;
  }

 protected:
  ~LatchedMemory() = default;
};

}  // namespace racksim::latched_memory
