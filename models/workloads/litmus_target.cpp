// Litmus tests on either service. See litmus_target.hpp.
#include "models/workloads/litmus_target.hpp"

#include <fmt/core.h>

#include <vector>

#include "models/service/key_value_service.hpp"
#include "models/service/memory_service.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

class LitmusMemory final : public LitmusTarget {
 public:
  LitmusMemory(MemoryService& memory, const LitmusProgram& program) : memory_(memory) {
    const Roles& roles = memory.shape().roles;
    for (const LitmusObject& object : program.objects) {
      // By default behind the sessions, which begin at the first node: on nodes without sessions if there are enough.
      const std::size_t turn = (program.sessions.size() + objects_.size()) % roles.memory_nodes;
      const NodeId home = object.home.value_or(static_cast<NodeId>(roles.first_memory_node + turn));
      if (!roles.holds_memory(home)) {
        throw sim::OptionError(
            "program", fmt::format("object {} with its home at node {}, which holds no memory", object.name, home),
            fmt::format("one of the nodes {} to {}", roles.first_memory_node,
                        roles.first_memory_node + roles.memory_nodes - 1));
      }
      objects_.push_back(memory.reserve(memory.shape().block_bytes, {home, true}));
    }
  }

  unsigned session_nodes() const override { return memory_.shape().roles.compute_nodes; }
  OperationSet offers() const override { return memory_.shape().offers; }
  void require_locks(std::uint64_t locks) const override { memory_.require_locks(locks, objects_.size()); }
  sim::Key key_of(std::size_t object) const override { return memory_.object_of(objects_[object]); }
  void warm_up() override {}

  sim::Task<std::optional<LitmusAnswer>> perform(Session session, LitmusRequest request) override {
    const GlobalAddress at = objects_[request.object];
    LitmusAnswer answer;
    switch (request.kind) {
      case sim::OperationKind::read:
        answer.read = co_await memory_.read(session, at);
        break;
      case sim::OperationKind::write:
        answer.written = co_await memory_.write(session, at);
        break;
      case sim::OperationKind::compare_and_swap:
        answer.read = co_await memory_.compare_and_swap(session, at, sim::Value{request.operand});
        if (answer.read == request.operand) answer.written = memory_.newest_value(session);
        break;
      case sim::OperationKind::fetch_and_add:
        answer.read = co_await memory_.fetch_and_add(session, at, request.operand);
        answer.written = answer.read + request.operand;
        break;
      case sim::OperationKind::lock:
        co_await memory_.lock(session, at, LockMode::exclusive);
        break;
      case sim::OperationKind::lock_shared:
        co_await memory_.lock(session, at, LockMode::shared);
        break;
      case sim::OperationKind::unlock:
        co_await memory_.unlock(session, at);
        break;
      default:
        co_await memory_.fence(session);
    }
    co_return answer;
  }

 private:
  MemoryService& memory_;
  std::vector<GlobalAddress> objects_;
};

class LitmusStore final : public LitmusTarget {
 public:
  LitmusStore(KeyValueService& store, const LitmusProgram& program) : store_(store), objects_(program.objects.size()) {
    for (const LitmusObject& object : program.objects) {
      if (!object.home) continue;
      throw sim::OptionError("program", fmt::format("object {} with its home at node {}", object.name, *object.home),
                             "no homes: a key-value service says itself where its keys are");
    }
    ItemSizes sizes;
    sizes.small_share = 1;  // a litmus test is about values, of which small ones do
    store_.describe_items(sizes);
  }

  unsigned session_nodes() const override { return store_.client_nodes(); }
  OperationSet offers() const override { return {sim::OperationKind::read, sim::OperationKind::write}; }
  void require_locks(std::uint64_t) const override {}  // it has none
  sim::Key key_of(std::size_t object) const override { return sim::Key{object}; }
  void warm_up() override {
    std::vector<sim::Key> keys;
    for (std::size_t object = 0; object < objects_; ++object) keys.push_back(sim::Key{object});
    store_.preload(keys);
  }

  sim::Task<std::optional<LitmusAnswer>> perform(Session session, LitmusRequest request) override {
    LitmusAnswer answer;
    if (request.kind == sim::OperationKind::fence) co_return answer;
    const bool reads = request.kind == sim::OperationKind::read;
    std::optional<std::uint64_t> value;
    if (reads) {
      value = co_await store_.get(session, sim::Key{request.object});
    } else {
      value = co_await store_.put(session, sim::Key{request.object});
    }
    if (!value) co_return std::nullopt;
    (reads ? answer.read : answer.written) = *value;
    co_return answer;
  }

 private:
  KeyValueService& store_;
  std::size_t objects_;
};

}  // namespace

std::unique_ptr<LitmusTarget> litmus_target(WorkloadContext& context, const LitmusProgram& program) {
  Service& service = context.protocol.service();
  if (auto* memory = dynamic_cast<MemoryService*>(&service)) return std::make_unique<LitmusMemory>(*memory, program);
  return std::make_unique<LitmusStore>(context.service<KeyValueService>("litmus"), program);
}

}  // namespace racksim::models
