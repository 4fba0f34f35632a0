// Litmus tests on either service. See litmus_target.hpp.
#include "models/workloads/litmus_target.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
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
    if (program.joins()) check_room(program);
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
      objects_.push_back(object.behind ? GlobalAddress{} : memory.reserve(memory.shape().block_bytes, {home, true}));
    }
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      std::size_t first = i;
      std::uint64_t words = 0;
      for (; program.objects[first].behind; first = *program.objects[first].behind) ++words;
      if (words > 0) objects_[i] = {objects_[first].value + words * MemoryService::kWordBytes};
    }
    in_bytes_ = program.joins();
    if (in_bytes_) memory.keep_bytes();
  }

  unsigned session_nodes() const override { return memory_.shape().roles.compute_nodes; }
  OperationSet offers() const override { return memory_.shape().offers; }
  void require_locks(std::uint64_t locks) const override { memory_.require_locks(locks, objects_.size()); }
  sim::Key key_of(std::size_t object) const override { return memory_.object_of(objects_[object]); }
  void warm_up() override {}

  sim::Task<std::optional<LitmusAnswer>> perform(Session session, LitmusRequest request) override {
    const GlobalAddress at = objects_[request.object];
    LitmusAnswer answer;
    if (in_bytes_ && sim::accesses_memory(request.kind)) {
      co_await access_words(session, request, answer);
      co_return answer;
    }
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
  using Words = std::array<std::uint64_t, LitmusProgram::kMostJoined>;

  void check_room(const LitmusProgram& program) const {
    if (memory_.shape().block_bytes >= sizeof(Words)) return;
    throw sim::OptionError("program", fmt::format("{}, with words of one block", program.text()),
                           fmt::format("one without them, where blocks have {} bytes", memory_.shape().block_bytes));
  }

  /// A call that reads or writes numbers, each write's a new one.
  sim::Task<void> access_words(Session session, LitmusRequest request, LitmusAnswer& answer) {
    Words words{};
    const GlobalAddress at = objects_[request.object];
    if (request.kind == sim::OperationKind::write) {
      answer.written = numbers_ + 1;
      for (std::size_t i = 0; i < request.words; ++i) words[i] = ++numbers_;
      co_await memory_.store(session, at, std::as_bytes(std::span(words).first(request.words)));
      co_return;
    }
    co_await memory_.load(session, at, std::as_writable_bytes(std::span(words).first(request.words)));
    answer.read = words[0];
    std::copy(words.begin() + 1, words.end(), answer.read_behind.begin());
  }

  MemoryService& memory_;
  std::vector<GlobalAddress> objects_;
  bool in_bytes_ = false;
  std::uint64_t numbers_ = 0;  // that have been written
};

class LitmusStore final : public LitmusTarget {
 public:
  LitmusStore(KeyValueService& store, const LitmusProgram& program) : store_(store), objects_(program.objects.size()) {
    if (program.joins()) {
      throw sim::OptionError("program", fmt::format("{}, with words of one block", program.text()),
                             "one word a call: a key-value service has no blocks");
    }
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
