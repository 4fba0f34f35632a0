#include "tests/write_through/write_through.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "models/host/core_wait.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/simgrid/engine.hpp"

namespace racksim::write_through {

namespace {

const sim::Registration<models::ProtocolEntry> registration({
    .name = "write-through",
    .doc = "a directory with write-through caches, for tests",
    .make_options = [] { return std::make_shared<Options>(); },
    .tolerates = {"drop", "duplicate", "hold", "noise", "unplugged"},
});

models::MemoryShape shape_of(const models::ProtocolContext& context, const Options& options) {
  const auto nodes = static_cast<unsigned>(context.rack.nodes());
  return {.nodes = nodes,
          .roles = context.rack.options().roles.of(nodes),
          .threads_per_node = context.threads_per_node,
          .block_bytes = options.block_bytes,
          .offers = models::kLocks.with(models::kAtomics).with({sim::OperationKind::fence}),
          .writes_return_early = options.store_buffer != StoreBuffer::none};
}

constexpr std::uint32_t kControlBytes = 32;

}  // namespace

WriteThrough::WriteThrough(models::ProtocolContext& context, const Options& options)
    : MemoryService(context.rack.calendar(), context.rack.event_log(), context.rack.metrics(),
                    shape_of(context, options)),
      rack_(context.rack),
      options_(options),
      mesh_(context.rack, models::Mesh::Transport::reliable),
      final_source_(context.rack.event_log().add_source("write-through")),
      heartbeats_(context.rack.metrics().counter("heartbeats", "beats", "Heartbeats of the nodes' actors.")) {
  nodes_.resize(rack_.nodes());
  for (models::NodeId id = 0; id < rack_.nodes(); ++id) {
    Node& node = nodes_[id];
    node.serving = std::make_unique<sim::Scope>(calendar());
    const auto invalidate_from = [this, id](models::NodeId holder, sim::Key block, sim::OperationId operation) {
      return invalidate(id, holder, block, operation);
    };
    node.home = std::make_unique<Home>(calendar(), *this, invalidate_from, options_.await_invalidations);
    // The core behind those of the application's threads.
    mesh_.add(id, rack_.server(id).core(context.threads_per_node),
              [this, id](const models::RpcEnd::Call& call) { nodes_[id].serving->spawn(answer(id, call)); });
  }
  mesh_.connect();
  if (options_.defect == Defect::observer) rack_.event_log().attach(*this);
  buffers_.resize(sessions());
  for (std::size_t i = 0; i < sessions(); ++i) threads_.emplace_back(*this, session_number(i));
  for (models::NodeId id = 0; id < rack_.nodes(); ++id) make_buffers(id);
}

void WriteThrough::make_buffers(models::NodeId node) {
  for (std::size_t i = 0; i < sessions(); ++i) {
    if (session_number(i).node != node) continue;
    buffers_[i] = std::make_unique<SessionBuffer>(
        calendar(), options_.buffer_entries, options_.store_buffer == StoreBuffer::in_order,
        [this, node](SessionBuffer::Write write) -> sim::Task<void> {
          const Request request{.opcode = Opcode::write, .block = write.block, .value = write.value};
          co_await call(node, home_of(write.block), request, write.operation);
        },
        options_.defect == Defect::buffer);
  }
}

void WriteThrough::fail_soon(const char* who) const {
  if (rack_.calendar().now() >= sim::Time{} + 50_us) throw std::runtime_error(fmt::format("a defect in {}", who));
}

void WriteThrough::add_actors(sim::Engine& engine, std::span<const sim::HostId> nodes) {
  if (options_.defect == Defect::actor) {
    engine.add_actor("defect", nodes.front(), [this](sim::Engine::Actor& actor) {
      actor.sleep(50_us);
      fail_soon("an actor");
    });
  }
  if (options_.heartbeat == sim::Duration{}) return;
  const auto beat = [this](sim::Engine::Actor& actor) {
    for (;;) {
      actor.sleep(options_.heartbeat);
      ++heartbeats_.value;
    }
  };
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    engine.add_actor(fmt::format("heartbeat of node {}", node), nodes[node], beat, sim::Engine::Restart::with_host);
  }
}

void WriteThrough::node_crashed(models::NodeId node) {
  sessions_died(node);
  nodes_[node].cache.clear();
  nodes_[node].serving->cancel_all();
  make_buffers(node);
  for (const Node& other : nodes_) {
    other.home->node_crashed(node, options_.free_locks,
                             [this](models::Session holder, sim::Key block) { unlock_for_dead(holder, block); });
  }
}

/// Ends with the answer, or when the holder is found to have crashed, which leaves it no copy.
sim::Task<void> WriteThrough::invalidate(models::NodeId home, models::NodeId holder, sim::Key block,
                                         sim::OperationId operation) {
  constexpr models::RpcEnd::Patience kBetweenLooks{100_us, 1};
  const std::uint32_t incarnation = rack_.server(holder).incarnation();
  const Request request{.opcode = Opcode::invalidate, .block = block};
  const models::RpcEnd::Message message{models::Content::of(request), kControlBytes, operation};
  while (lives(holder, incarnation)) {
    const auto answer = co_await mesh_.call(home, holder, message, kBetweenLooks);
    if (answer) break;
  }
}

sim::Task<Reply> WriteThrough::call(models::NodeId from, models::NodeId to, Request request,
                                    sim::OperationId operation) {
  const bool data = request.opcode == Opcode::write;
  request.incarnation = rack_.server(from).incarnation();
  const models::RpcEnd::Message message{models::Content::of(request),
                                        kControlBytes + (data ? static_cast<std::uint32_t>(options_.block_bytes) : 0),
                                        operation};
  const models::RpcEnd::Patience patience{1_s, 1};
  const auto reply = co_await mesh_.call(from, to, message, patience);
  if (!reply) throw std::logic_error(fmt::format("node {} has not answered node {}", to, from));
  co_return reply->as<Reply>();
}

sim::Task<void> WriteThrough::answer(models::NodeId at, models::RpcEnd::Call call) {
  const Request request = call.content.as<Request>();
  Reply reply;
  if (request.opcode == Opcode::invalidate) {
    nodes_[at].cache.erase(request.block);
  } else if (request.opcode == Opcode::allocate) {
    reply.value = sim::Value{allocator().allocate(request.block, {at, true}).value};
  } else if (request.opcode == Opcode::free) {
    allocator().free({request.block});
  } else {
    const auto from = static_cast<models::NodeId>(mesh_.caller(at, call));
    if (!lives(from, request.incarnation)) co_return;
    reply = co_await nodes_[at].home->serve(request, from, call.operation);
  }
  const bool data = request.opcode == Opcode::read;
  const models::RpcEnd::Message message{models::Content::of(reply),
                                        kControlBytes + (data ? static_cast<std::uint32_t>(options_.block_bytes) : 0),
                                        call.operation};
  mesh_.end(at).reply(call, message);
  if (request.opcode < Opcode::allocate) nodes_[at].home->answered(request);
}

models::MemoryPort& WriteThrough::port(models::Session session) {
  return threads_[index_of(session)];
}

sim::Task<Reply> WriteThrough::Thread::call(Request request, sim::OperationId operation) {
  return protocol_.call(session_.node, protocol_.home_of(request.block), request, operation);
}

sim::Task<void> WriteThrough::Thread::read(models::MemoryAccess access, std::span<sim::Value> values,
                                           sim::OperationId operation) {
  const sim::Key block = access.first;
  sim::Value& value = values.front();
  co_await models::occupy(core(), protocol_.options_.local_access);
  if (const auto own = co_await buffer().forward(block)) {
    value = *own;
    co_return;
  }
  auto& cache = protocol_.nodes_[session_.node].cache;
  if (const auto copy = cache.find(block); copy != cache.end()) {
    value = sim::Value{copy->second};
    co_return;
  }
  const Request request{.opcode = Opcode::read, .block = block};
  const Reply reply = co_await call(request, operation);
  cache[block] = value = reply.value;
}

sim::Task<void> WriteThrough::Thread::write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) {
  const sim::Key block = access.first;
  co_await models::occupy(core(), protocol_.options_.local_access);
  if (protocol_.options_.defect == Defect::task) protocol_.fail_soon("a task");
  const SessionBuffer::Write write{block, value, operation};
  co_await buffer().push(write);
  if (protocol_.options_.store_buffer == StoreBuffer::none) co_await buffer().drain();
}

sim::Task<sim::Value> WriteThrough::Thread::compare_and_swap(sim::Key block, sim::Value expected, sim::Value desired,
                                                             sim::OperationId operation) {
  co_await buffer().drain();
  const Request request{.opcode = Opcode::swap, .block = block, .value = desired, .expected = expected};
  co_return (co_await call(request, operation)).value;
}

sim::Task<sim::Value> WriteThrough::Thread::fetch_and_add(sim::Key block, std::uint64_t operand,
                                                          sim::OperationId operation) {
  co_await buffer().drain();
  const Request request{.opcode = Opcode::add, .block = block, .value = sim::Value{operand}};
  co_return (co_await call(request, operation)).value;
}

sim::Task<void> WriteThrough::Thread::fence(sim::OperationId) {
  return buffer().drain();
}

sim::Task<void> WriteThrough::Thread::lock(sim::Key block, models::LockMode mode, sim::OperationId operation) {
  co_await buffer().drain();
  const Request request{.opcode = Opcode::lock, .mode = mode, .block = block, .session = session_};
  co_await call(request, operation);
}

sim::Task<bool> WriteThrough::Thread::try_lock(sim::Key block, models::LockMode mode, sim::OperationId operation) {
  co_await buffer().drain();
  const Request request{.opcode = Opcode::try_lock, .mode = mode, .block = block, .session = session_};
  co_return (co_await call(request, operation)).granted;
}

sim::Task<void> WriteThrough::Thread::unlock(sim::Key block, sim::OperationId operation) {
  co_await buffer().drain();
  const Request request{.opcode = Opcode::unlock, .block = block, .session = session_};
  co_await call(request, operation);
}

sim::Task<models::GlobalAddress> WriteThrough::Thread::allocate(models::MemoryAllocator&, std::uint64_t bytes,
                                                                const models::AllocationHint& hint,
                                                                sim::OperationId operation) {
  const models::NodeId home = hint.home.value_or(protocol_.shape().roles.first_memory_node);
  const Request request{.opcode = Opcode::allocate, .block = sim::Key{bytes}};
  const Reply reply = co_await protocol_.call(session_.node, home, request, operation);
  co_return models::GlobalAddress{reply.value};
}

sim::Task<void> WriteThrough::Thread::free(models::MemoryAllocator&, models::GlobalAddress address,
                                           sim::OperationId operation) {
  const Request request{.opcode = Opcode::free, .block = sim::Key{address.value}};
  co_await protocol_.call(session_.node, address.home(), request, operation);
}

void WriteThrough::show_state(sim::StateVisitor& visitor) const {
  for (models::NodeId id = 0; id < nodes_.size(); ++id) {
    nodes_[id].home->visit([&](sim::Key block, sim::Value value) {
      if (value != 0) visitor.home(block, value);
    });
    for (const auto& [block, value] : nodes_[id].cache) {
      visitor.copy(sim::Key{block}, sim::Holder::node(id), sim::Value{value}, sim::CopyState::clean);
    }
  }
}

bool WriteThrough::quiescent() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return node.serving->running() == 0 && node.home->quiescent(); }) &&
         std::all_of(buffers_.begin(), buffers_.end(), [](const auto& buffer) { return buffer->empty(); });
}

std::vector<models::Leak> WriteThrough::leaks() const {
  std::vector<models::Leak> leaks;
  for (const Node& node : nodes_) {
    for (const sim::Key block : node.home->locked()) {
      leaks.push_back({"leaked-lock", fmt::format("block {} is locked", sim::printed_key(block)), {block, {}}});
    }
  }
  return leaks;
}

void WriteThrough::record_final_state() {
  for (models::NodeId id = 0; id < nodes_.size(); ++id) {
    nodes_[id].home->visit([&](sim::Key block, sim::Value value) {
      event_log().record(sim::Observed::final_state, final_source_, calendar().now(), sim::OperationId{id}, block,
                         value);
    });
  }
}

std::optional<models::PacketDescription> WriteThrough::describe(const p4::Packet& packet) const {
  static constexpr const char* kNames[] = {"READ",    "WRITE",  "SWAP",     "ADD",  "LOCK",
                                           "TRYLOCK", "UNLOCK", "ALLOCATE", "FREE", "INVALIDATE"};
  models::PacketDescription description;
  if (packet.content.holds<Request>()) {
    const auto request = packet.content.as<Request>();
    description.label = kNames[static_cast<std::size_t>(request.opcode)];
    description.key = request.block;
  } else if (packet.content.holds<Reply>()) {
    description.label = fmt::format("REPLY {}", packet.content.as<Reply>().value);
  } else {
    return std::nullopt;
  }
  return description;
}

std::unique_ptr<models::Protocol> Options::build(models::ProtocolContext& context) const {
  return std::make_unique<WriteThrough>(context, *this);
}

}  // namespace racksim::write_through
