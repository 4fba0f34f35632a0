// See trace_target.hpp.
#include "models/workloads/trace/trace_target.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/service/key_value_service.hpp"
#include "models/service/memory_service.hpp"
#include "models/store/own_store.hpp"
#include "models/workloads/trace/trace_options.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

using Kind = sim::OperationKind;

class TraceStore final : public TraceTarget {
 public:
  TraceStore(WorkloadContext& context, const TraceOptions& options)
      : own_(context.rack, context.protocol.service(), options.store,
             {.keys = options.key_space, .sessions_per_thread = 1, .erases = true}),
        store_(own_.store() != nullptr ? *own_.store() : context.service<KeyValueService>("trace")),
        options_(options) {
    if (store_.client_nodes() == 0) {
      throw sim::OptionError("/rack/nodes", "a store without client nodes", "a node that sends requests");
    }
    store_.describe_clients({.routing = ClientRouting::pinned, .one_at_a_time = !is_open()});
  }

  unsigned session_nodes() const override { return store_.client_nodes(); }
  OperationSet offers() const override { return store_.offers(); }
  bool one_at_a_time() const override { return false; }
  Service* own_service() override { return own_.service(); }
  std::shared_ptr<sim::Oracle> oracle() override { return own_.oracle(); }
  std::uint64_t room() const override { return options_.key_space; }
  std::optional<TraceRefusal> refusal(const TraceStep& step) const override {
    if (step.key < options_.key_space) return std::nullopt;
    return TraceRefusal{fmt::format("key {}", step.key),
                        fmt::format("one below the option \"key_space\", {}", options_.key_space)};
  }

  void describe(std::shared_ptr<const ValueSizes> sizes, std::uint32_t largest) override {
    const auto value = std::max(static_cast<std::uint32_t>(options_.value), sizes ? largest : 0);
    ItemSizes items{.key_bytes = static_cast<std::uint32_t>(options_.key_bytes),
                    .small_value_bytes = static_cast<std::uint32_t>(options_.value),
                    .large_value_bytes = value,
                    .small_share = 1,
                    .placement_seed = 0,
                    .of_keys = std::move(sizes)};
    store_.describe_items(items);
  }

  sim::Task<void> perform(Session session, const TraceStep& step) override {
    if (step.kind == Kind::write) {
      co_await store_.put(session, sim::Key{step.key});
    } else if (step.kind == Kind::erase) {
      co_await store_.erase(session, sim::Key{step.key});
    } else {
      co_await store_.get(session, sim::Key{step.key});
    }
  }

  void warm(Session, const TraceStep& step) override {
    std::size_t& place = places_[step.key];
    if (place == 0) {
      asked_.push_back({step.key, 0});
      place = asked_.size();
    }
    ++asked_[place - 1].times;
  }
  void end_warming() override {
    std::stable_sort(asked_.begin(), asked_.end(), [](const Asked& a, const Asked& b) { return a.times > b.times; });
    std::vector<sim::Key> hottest;
    hottest.reserve(asked_.size());
    for (const Asked& asked : asked_) hottest.push_back(sim::Key{asked.key});
    if (!hottest.empty()) store_.preload(hottest);
    asked_ = {};
    places_ = {};
  }

  bool holds_locks(Session) const override { return false; }
  sim::Task<void> give_back(Session) override { co_return; }
  void node_crashed(NodeId node) override { own_.node_crashed(node); }
  bool takes_back(NodeId node) const override { return own_.store() == nullptr || store_.takes_back(node); }
  bool uses(sim::Key key) const override {
    return own_.store() != nullptr ? own_.holds(key) : key < options_.key_space;
  }
  std::string used_keys() const override {
    if (own_.store() != nullptr) return "a block of the store's table";
    return fmt::format("a key from 0x0 to {:#x}", options_.key_space - 1);
  }

 private:
  struct Asked {
    std::uint64_t key;
    std::uint64_t times;
  };
  bool is_open() const { return options_.loop == TraceOptions::Loop::open; }

  OwnStore own_;
  KeyValueService& store_;
  TraceOptions options_;
  std::vector<Asked> asked_;          // in the head, in the order of first sight
  sim::FlatMap<std::size_t> places_;  // of their keys there, from 1 on
};

class TraceMemory final : public TraceTarget {
 public:
  TraceMemory(Rack& rack, MemoryService& memory, const TraceOptions& options)
      : memory_(memory),
        roles_(memory.shape().roles),
        keying_(options.keys),
        block_bytes_(memory.shape().block_bytes),
        object_bytes_(memory.shape().object_bytes),
        unit_bytes_(options.unit),
        slot_bytes_(options.slot > 0 ? options.slot : block_bytes_),
        threads_(static_cast<unsigned>(options.threads)),
        left_out_(rack.metrics().counter("trace.unheld", "unlocks", "left out, of what their session did not hold")),
        no_room_(rack.metrics().counter("trace.allocations_refused", "operations",
                                        "allocations for which there was no room, and frees that had to wait")),
        held_(roles_.compute_nodes * threads_) {
    if (slot_bytes_ % block_bytes_ != 0) {
      throw sim::OptionError("slot", fmt::format("{} bytes", slot_bytes_),
                             fmt::format("a multiple of the protocol's block, {} bytes", block_bytes_));
    }
    slots_of_home_ = options.memory / slot_bytes_ / roles_.memory_nodes;
    if (slots_of_home_ == 0) {
      throw sim::OptionError("memory", fmt::format("{} bytes", options.memory),
                             fmt::format("at least {} at each of {} homes", slot_bytes_, roles_.memory_nodes));
    }
    for (unsigned i = 0; i < roles_.memory_nodes; ++i) {
      const auto home = static_cast<NodeId>(roles_.first_memory_node + i);
      first_.push_back(memory.reserve(bytes_of_home(), {home, true}));
    }
  }

  unsigned session_nodes() const override { return roles_.compute_nodes; }
  OperationSet offers() const override { return memory_.shape().offers; }
  bool one_at_a_time() const override { return true; }
  std::uint64_t room() const override { return slots_of_home_ * first_.size(); }

  std::optional<TraceRefusal> refusal(const TraceStep& step) const override {
    if (step.kind == Kind::allocate && step.size == 0) return TraceRefusal{"an allocation of 0 bytes", "a size"};
    if (!is_about_key(step.kind) || keying_ != TraceKeying::given) return std::nullopt;
    const std::uint64_t unit = unit_of(step.kind);
    const bool is_address = step.key <= ~std::uint64_t{0} / unit;
    const GlobalAddress address{step.key * unit};
    if (is_address && holds(address) && end_at(address) - address.value >= bytes_of(step)) return std::nullopt;
    const char* what = unit_bytes_ > 0 ? "unit" : is_about_block(step.kind) ? "block" : "object";
    return TraceRefusal{
        fmt::format("{} {:#x} and {} bytes", what, step.key, bytes_of(step)),
        fmt::format(
            "what is reserved by the option \"memory\": {}s of {} bytes, node * {:#x} + index, with nodes from {} "
            "to {} and indices below {:#x}",
            what, unit, (std::uint64_t{1} << GlobalAddress::kOffsetBits) / unit, roles_.first_memory_node,
            roles_.first_memory_node + roles_.memory_nodes - 1, (first_[0].offset() + bytes_of_home()) / unit)};
  }
  void describe(std::shared_ptr<const ValueSizes>, std::uint32_t) override {}

  sim::Task<void> perform(Session session, const TraceStep& step) override {
    const GlobalAddress address = address_of(step);
    const std::uint64_t bytes = bytes_of(step);
    Held& held = held_[index_of(session)];
    switch (step.kind) {
      case Kind::read:
        held.read = co_await memory_.read(session, address, bytes);
        break;
      case Kind::write:
        co_await memory_.write(session, address, bytes);
        break;
      case Kind::compare_and_swap:
        co_await memory_.compare_and_swap(session, address, held.read);
        break;
      case Kind::fetch_and_add:
        co_await memory_.fetch_and_add(session, address, kAdded);
        break;
      case Kind::fence:
        co_await memory_.fence(session);
        break;
      case Kind::unlock:
        co_await unlock(session, held, address, bytes);
        break;
      case Kind::allocate:
        co_await allocate(session, held, step.size);
        break;
      case Kind::free:
        co_await free(session, held);
        break;
      default:
        co_await lock(session, held, step.kind, address, bytes);
    }
  }

  void warm(Session session, const TraceStep& step) override {
    if (!sim::accesses_memory(step.kind)) return;
    const std::uint64_t end = address_of(step).value + bytes_of(step);
    for (std::uint64_t at = address_of(step).value; at < end; at += block_bytes_) {
      warming_.push_back({session, {at}, step.kind != Kind::read});
    }
    if (warming_.size() < kBatch) return;
    memory_.warm_accesses(warming_);
    warming_.clear();
  }
  void end_warming() override {
    memory_.warm_accesses(warming_);
    warming_ = {};
  }

  bool holds_locks(Session session) const override { return !held_[index_of(session)].locks.empty(); }
  sim::Task<void> give_back(Session session) override {
    std::vector<sim::Key>& locks = held_[index_of(session)].locks;
    while (!locks.empty()) {
      const sim::Key block = locks.back();
      locks.pop_back();
      co_await memory_.unlock(session, start_of(block));
    }
  }
  void node_crashed(NodeId node) override {
    for (unsigned thread = 0; node < roles_.compute_nodes && thread < threads_; ++thread) {
      held_[index_of({node, static_cast<std::uint16_t>(thread)})] = {};
    }
  }
  bool takes_back(NodeId node) const override { return memory_.takes_back(node); }

  bool uses(sim::Key key) const override {
    return holds({key.number() * block_bytes_}) || holds({key.number() * object_bytes_});
  }
  std::string used_keys() const override {
    return fmt::format("a block or word of what is reserved: {} bytes at each of the nodes {} to {}", bytes_of_home(),
                       roles_.first_memory_node, roles_.first_memory_node + roles_.memory_nodes - 1);
  }

 private:
  /// What a session has: locks, allocations, the oldest first, and the value that it has read last.
  struct Held {
    std::vector<sim::Key> locks = {};
    std::deque<GlobalAddress> allocations = {};
    sim::Value read = sim::kNeverWritten;
  };
  static constexpr std::size_t kBatch = 64;
  /// What fetch-and-adds add stays apart from the values that writes give (Service::next_value).
  static constexpr std::uint64_t kAdded = std::uint64_t{1} << 55;

  static bool is_about_block(Kind kind) { return sim::requests_lock(kind) || kind == Kind::unlock; }
  static bool is_about_key(Kind kind) { return sim::accesses_memory(kind) || is_about_block(kind); }

  /// The bytes that given keys count in.
  std::uint64_t unit_of(Kind kind) const {
    return unit_bytes_ > 0 ? unit_bytes_ : is_about_block(kind) ? block_bytes_ : object_bytes_;
  }
  std::uint64_t bytes_of_home() const { return slots_of_home_ * slot_bytes_; }
  std::size_t index_of(Session session) const { return session.node * threads_ + session.thread; }
  GlobalAddress start_of(sim::Key block) const { return {block.number() * block_bytes_}; }
  bool holds(GlobalAddress address) const {
    if (!roles_.holds_memory(address.home())) return false;
    const GlobalAddress first = first_[address.home() - roles_.first_memory_node];
    return address.value >= first.value && address.value - first.value < bytes_of_home();
  }
  /// Behind what is reserved at the address' home, which holds it.
  std::uint64_t end_at(GlobalAddress address) const {
    return first_[address.home() - roles_.first_memory_node].value + bytes_of_home();
  }

  GlobalAddress address_of(const TraceStep& step) const {
    if (!is_about_key(step.kind)) return {};
    if (keying_ == TraceKeying::given) return {step.key * unit_of(step.kind)};
    return {first_[step.key % first_.size()].value + step.key / first_.size() * slot_bytes_};
  }
  std::uint64_t bytes_of(const TraceStep& step) const {
    const std::uint64_t least = is_about_block(step.kind) ? 1 : MemoryService::kWordBytes;
    const std::uint64_t bytes = std::max<std::uint64_t>(step.size, least);
    return keying_ == TraceKeying::given ? bytes : std::min(bytes, slot_bytes_);
  }

  sim::Task<void> lock(Session session, Held& held, Kind kind, GlobalAddress address, std::uint64_t bytes) {
    const sim::Key first = memory_.block_of(address), last = memory_.block_of({address.value + bytes - 1});
    for (const sim::Key block : held.locks) {
      if (block < first || last < block) continue;
      throw TraceRefusal{
          fmt::format("a {} of block {:#x}, which the session holds", sim::to_string(kind), block.number()),
          "one that it has given back"};
    }
    const LockMode mode = sim::is_shared(kind) ? LockMode::shared : LockMode::exclusive;
    bool granted = true;
    if (kind == Kind::try_lock || kind == Kind::try_lock_shared) {
      granted = co_await memory_.try_lock(session, address, mode, bytes);
    } else {
      co_await memory_.lock(session, address, mode, bytes);
    }
    for (std::uint64_t block = first.number(); granted && block <= last.number(); ++block) {
      held.locks.push_back(sim::Key{block});
    }
  }
  sim::Task<void> unlock(Session session, Held& held, GlobalAddress address, std::uint64_t bytes) {
    const std::uint64_t last = memory_.block_of({address.value + bytes - 1}).number();
    for (std::uint64_t block = memory_.block_of(address).number(); block <= last; ++block) {
      const auto lock = std::find(held.locks.begin(), held.locks.end(), sim::Key{block});
      if (lock == held.locks.end()) {
        ++left_out_.value;
        continue;
      }
      held.locks.erase(lock);
      co_await memory_.unlock(session, start_of(sim::Key{block}));
    }
  }
  sim::Task<void> allocate(Session session, Held& held, std::uint64_t bytes) {
    const AllocationHint hint;
    try {
      const GlobalAddress address = co_await memory_.allocate(session, bytes, hint);
      held.allocations.push_back(address);
    } catch (const std::bad_alloc&) {
      ++no_room_.value;
    }
  }
  sim::Task<void> free(Session session, Held& held) {
    if (held.allocations.empty()) {
      ++no_room_.value;
      co_return;
    }
    const GlobalAddress address = held.allocations.front();
    held.allocations.pop_front();
    try {
      co_await memory_.free(session, address);
    } catch (const std::invalid_argument&) {  // not now
      ++no_room_.value;
      held.allocations.push_back(address);
    }
  }

  MemoryService& memory_;
  Roles roles_;
  TraceKeying keying_;
  std::uint64_t block_bytes_, object_bytes_, unit_bytes_, slot_bytes_;
  std::uint64_t slots_of_home_ = 0;
  unsigned threads_;
  sim::Counter &left_out_, &no_room_;
  std::vector<GlobalAddress> first_;  // by home
  std::vector<Held> held_;            // by session
  std::vector<MemoryService::WarmAccess> warming_;
};

}  // namespace

std::unique_ptr<TraceTarget> trace_target(WorkloadContext& context, const TraceOptions& options) {
  Service& service = context.protocol.service();
  auto* memory = dynamic_cast<MemoryService*>(&service);
  if (memory != nullptr && options.target == TraceOptions::Target::protocol) {
    return std::make_unique<TraceMemory>(context.rack, *memory, options);
  }
  return std::make_unique<TraceStore>(context, options);
}

}  // namespace racksim::models
