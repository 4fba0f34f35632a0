// A directory protocol of the simplest kind: caches hold clean copies, every write goes to the block's home, which
// takes all copies away before it changes memory (Censier and Feautrier, "A New Solution to Coherence Problems in
// Multicache Systems", IEEE Trans. on Computers C-27(12), 1978, without its private-modified state). Homes also hold
// locks and carry out atomic operations. All messages are calls over reliable connections, one connection between two
// nodes: a copy that a home sends cannot be overtaken by the invalidation that follows it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "models/rack/mesh.hpp"
#include "tests/write_through/home.hpp"
#include "tests/write_through/options.hpp"
#include "tests/write_through/session_buffer.hpp"

namespace racksim::write_through {

class WriteThrough final : public models::Protocol, public models::MemoryService, private sim::Observer {
 public:
  WriteThrough(models::ProtocolContext& context, const Options& options);

  models::Service& service() override { return *this; }
  void show_state(sim::StateVisitor& visitor) const override;
  /// Each node has an actor that beats, if it is to: it dies with its node and returns with it.
  void add_actors(sim::Engine& engine, std::span<const sim::HostId> nodes) override;
  /// All homes know of a crash at once, as from a perfect failure detector. They forget the node's copies, carry out
  /// nothing that its dead incarnation has asked, and free its locks in its sessions' names. What only its buffers held
  /// is lost. A home's own crash is not in the design: whoever needs it waits for ever.
  void node_crashed(models::NodeId node) override;
  void node_restarted(models::NodeId node) override { mesh_.rejoin(node); }
  bool quiescent() const override;
  std::vector<models::Leak> leaks() const override;
  void record_final_state() override;
  std::optional<models::PacketDescription> describe(const p4::Packet& packet) const override;

 protected:
  models::MemoryPort& port(models::Session session) override;

 private:
  /// An application thread, as the memory service asks it.
  class Thread final : public models::MemoryPort {
   public:
    Thread(WriteThrough& protocol, models::Session session) : protocol_(protocol), session_(session) {}
    sim::Task<void> read(models::MemoryAccess access, std::span<sim::Value> values,
                         sim::OperationId operation) override;
    sim::Task<void> write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) override;
    sim::Task<sim::Value> compare_and_swap(sim::Key block, sim::Value expected, sim::Value desired,
                                           sim::OperationId operation) override;
    sim::Task<sim::Value> fetch_and_add(sim::Key block, std::uint64_t operand, sim::OperationId operation) override;
    sim::Task<void> fence(sim::OperationId operation) override;
    sim::Task<void> lock(sim::Key block, models::LockMode mode, sim::OperationId operation) override;
    sim::Task<bool> try_lock(sim::Key block, models::LockMode mode, sim::OperationId operation) override;
    sim::Task<void> unlock(sim::Key block, sim::OperationId operation) override;
    sim::Task<models::GlobalAddress> allocate(models::MemoryAllocator& allocator, std::uint64_t bytes,
                                              const models::AllocationHint& hint, sim::OperationId operation) override;
    sim::Task<void> free(models::MemoryAllocator& allocator, models::GlobalAddress address,
                         sim::OperationId operation) override;

   private:
    SessionBuffer& buffer() { return *protocol_.buffers_[protocol_.index_of(session_)]; }
    models::Core& core() { return protocol_.rack_.server(session_.node).core(session_.thread); }
    /// A call of its node to the home of a block.
    sim::Task<Reply> call(Request request, sim::OperationId operation);

    WriteThrough& protocol_;
    models::Session session_;
  };

  struct Node {
    std::map<std::uint64_t, std::uint64_t> cache;  // block to value
    std::unique_ptr<Home> home;
    std::unique_ptr<sim::Scope> serving;
  };

  void observe(const sim::Observation&) override { fail_soon("an observer"); }
  /// Throws once it is late enough, in the name of the part of this protocol that has the defect.
  void fail_soon(const char* who) const;
  void make_buffers(models::NodeId node);
  bool lives(models::NodeId node, std::uint32_t incarnation) const {
    return rack_.server(node).is_on() && rack_.server(node).incarnation() == incarnation;
  }
  sim::Task<void> invalidate(models::NodeId home, models::NodeId holder, sim::Key block, sim::OperationId operation);
  sim::Task<Reply> call(models::NodeId from, models::NodeId to, Request request, sim::OperationId operation);
  sim::Task<void> answer(models::NodeId at, models::RpcEnd::Call call);

  models::Rack& rack_;
  Options options_;
  models::Mesh mesh_;
  sim::Source final_source_;
  sim::Counter& heartbeats_;
  std::vector<Node> nodes_;
  std::vector<std::unique_ptr<SessionBuffer>> buffers_;  // by session
  std::vector<Thread> threads_;                          // by session
};

}  // namespace racksim::write_through
