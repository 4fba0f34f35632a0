// Serving sessions and messages from the cache. See symmetric_cache.hpp.
#include "protocols/cckvs/threads/symmetric_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/host/core_wait.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::cckvs {

struct SymmetricCache::Waiting {
  Waiting(SymmetricCache& owner, const StoreRequest& asked, sim::OperationId number, unsigned on)
      : cache(owner),
        request(asked),
        operation(number),
        thread(on),
        since(owner.shared_.rack.calendar().now()),
        ended(owner.shared_.rack.calendar()) {}
  ~Waiting() {
    if (!listed) return;
    cache.by_operation_.erase(operation);
    (before != nullptr ? before->next : cache.first_) = next;
    (next != nullptr ? next->before : cache.last_) = before;
    --cache.waiting_count_;
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  /// It has not ended at once.
  void list() {
    listed = true;
    before = cache.last_;
    cache.by_operation_[operation] = this;
    (before != nullptr ? before->next : cache.first_) = this;
    cache.last_ = this;
    ++cache.waiting_count_;
  }

  SymmetricCache& cache;
  StoreRequest request;  // becomes the answer
  sim::OperationId operation;
  unsigned thread;
  sim::Time since;
  sim::Signal ended;
  bool over = false, listed = false, moved = false;
  Waiting *before = nullptr, *next = nullptr;
};

SymmetricCache::Writing::Writing(SymmetricCache& owner, unsigned thread, sim::Key key, sim::OperationId cause)
    : cache_(owner), key_(key), is_there_(owner.has(key)) {
  cache_.thread_ = thread;
  cache_.cause_ = cause;
  if (is_there_) before_ = *cache_.cache_.find(key);
}

sim::Duration SymmetricCache::Writing::hold_lock(sim::Duration cost, const models::Core& writer) {
  if (!is_there_) return {};
  Written& written = cache_.written_[key_];
  written.before = before_.value;
  return written.lock.write(cache_.shared_.rack.calendar().now(), cost, writer);
}

sim::Duration SymmetricCache::Writing::hold_lock_if_changed(sim::Duration cost, const models::Core& writer) {
  const Entry* now = cache_.cache_.find(key_);
  if (now != nullptr && now->value == before_.value && now->header == before_.header) return {};
  return hold_lock(cost, writer);
}

SymmetricCache::SymmetricCache(Shared& shared, const CacheOptions& options, NodeId node, sim::CoverageProbe coverage)
    : shared_(shared), options_(options), node_(node), cache_(node, shared.nodes(), options.rules, *this, coverage) {
  for (unsigned thread = 0; thread < shared.options.cache_threads; ++thread) {
    links_.push_back(
        std::make_unique<CacheLinks>(shared, options_, node, thread, static_cast<CacheMessageHandler&>(*this)));
  }
}

const SymmetricCache::Written* SymmetricCache::overlapping(sim::Key key, sim::Duration length,
                                                           const models::Core& reader) const {
  const Written* written = written_.find(key);
  if (written == nullptr) return nullptr;
  return written->lock.written_since(shared_.rack.calendar().now() - length, reader) ? written : nullptr;
}

sim::Task<std::optional<models::Answer>> SymmetricCache::serve(CacheThread& thread, StoreRequest request,
                                                               sim::OperationId operation) {
  const sim::Duration cost = options_.probe_work;
  const bool put = request.put != 0;
  while (!put && shared_.options.seqlocks) {
    const Written* written = overlapping(request.key, cost, thread.core());
    if (written == nullptr) break;
    ++shared_.counters.read_retries.value;
    shared_.coverage.race(races.read_of_cache_meets_write);
    co_await models::occupy(thread.core(), written->lock.free_in(shared_.rack.calendar().now()) + cost);
  }
  // A put of SC returns at once, so whoever puts faster than others take it would pile up updates.
  CacheLinks& links = *links_[thread.thread()];
  while (put && options_.rules.consistency == Consistency::sc && links.has_waiting()) co_await links.sent().wait();
  if (keeper_ != nullptr && !keeper_->uses_copy(request.key)) co_return std::nullopt;
  Waiting waiting(*this, request, operation, thread.thread());
  asking_ = &waiting;
  if (put) {
    Writing writing(*this, thread.thread(), request.key, operation);
    ask(request, operation);
    thread.core().charge(writing.hold_lock(cost, thread.core()));
  } else {
    thread_ = thread.thread();
    cause_ = operation;
    ask(request, operation);
    if (waiting.over && !shared_.options.seqlocks) {
      if (const Written* written = overlapping(request.key, cost, thread.core()))
        waiting.request.other = written->before;
    }
  }
  asking_ = nullptr;
  if (!waiting.over) {
    waiting.list();
    co_await waiting.ended.wait();
    if (waiting.moved) co_return std::nullopt;
    if (!put) co_await models::occupy(thread.core(), cost);  // it looks again
  }
  co_return thread.answer_of(waiting.request, AnsweredBy::cache);
}

void SymmetricCache::ask(const StoreRequest& request, sim::OperationId operation) {
  const Stalled asked{operation, request.put != 0, request.value};
  if (keeper_ == nullptr) return cache_.run(request.key, asked);
  const unsigned thread = thread_;
  keeper_->ask(request.key, asked);
  keeper_->event_ended(request.key, thread);
}

void SymmetricCache::receive(unsigned thread, NodeId from, const CacheMessage& message, sim::OperationId cause) {
  Writing writing(*this, thread, message.key, cause);
  cache_.receive(from, message);
  if (keeper_ != nullptr) keeper_->event_ended(message.key, thread);
  models::Core& core = shared_.rack.server(node_).core(thread);
  core.charge(options_.message_work + writing.hold_lock(options_.message_work, core));
}

void SymmetricCache::send_all(const CacheMessage& message, sim::OperationId put) {
  links_[thread_]->send_to_all(message, put);
}
void SymmetricCache::send(NodeId to, const CacheMessage& message, sim::OperationId put) {
  links_[thread_]->send(to, message, put != 0 ? put : cause_);
}

void SymmetricCache::answered(sim::OperationId get, sim::Key key, sim::Value value) {
  if (!end(get, value) && keeper_ != nullptr) {
    keeper_->ended(get, key, {cache_.find(key)->header.timestamp(), value});
  }
}
void SymmetricCache::returned(sim::OperationId put, sim::Key key, bool superseded) {
  if (superseded) shared_.coverage.race(races.put_loses);
  if (!end(put, 0) && keeper_ != nullptr) {
    const Entry& entry = *cache_.find(key);
    keeper_->ended(put, key, {entry.header.timestamp(), entry.value});
  }
}
void SymmetricCache::stalled(sim::OperationId, sim::Key) {
  ++shared_.counters.stalled.value;
  shared_.coverage.race(races.operation_meets_put);
}

// Of a key that has left the caches what was lost matters no more, only that its place is filled: the timestamp is
// older than any.
CacheMessage SymmetricCache::current(sim::Key key) const {
  const Entry* entry = cache_.find(key);
  const Stored stored = entry == nullptr ? Stored{} : Stored{entry->header.timestamp(), entry->value};
  return {.key = key, .value = stored.value, .timestamp = stored.timestamp};
}

// Whoever has a later timestamp of the key from here or from elsewhere needs this one no more, and whoever has not will
// get it: that of the last put is never outdated. But losers that are acknowledged wait for that.
bool SymmetricCache::is_outdated(MessageClass message, sim::Key key, Timestamp timestamp) const {
  if (!options_.rules.drops_outdated()) return false;
  const Entry* entry = cache_.find(key);
  if (entry == nullptr || entry->header.timestamp() == timestamp) return false;
  if (options_.rules.losers != Rules::Losers::acked || message == MessageClass::update) return true;
  const Work* work = cache_.work(key);
  return message == MessageClass::invalidation &&
         (work == nullptr || std::none_of(work->puts.begin(), work->puts.end(),
                                          [&](const Put& put) { return put.timestamp == timestamp; }));
}

void SymmetricCache::readable(sim::Key key, bool can_be_read) {
  if (!shared_.retransmit_after) return;
  if (can_be_read) {
    unreadable_.erase(key);
    return;
  }
  unreadable_[key] = ++times_unreadable_;
  unreadable_due_.push({key, shared_.rack.calendar().now() + *shared_.retransmit_after, times_unreadable_});
  start_timer();
}

void SymmetricCache::look_for_late() {
  const sim::Time now = shared_.rack.calendar().now();
  while (!unreadable_due_.empty() && unreadable_due_.front().due <= now) {
    const Unreadable late = unreadable_due_.pop();
    const std::uint64_t* since = unreadable_.find(late.key);
    if (since == nullptr || *since != late.since) continue;
    unreadable_due_.push({late.key, now + *shared_.retransmit_after, late.since});
    ++shared_.counters.sent_again.value;
    thread_ = static_cast<unsigned>(late.key % links_.size());
    cause_ = 0;
    cache_.time_out(late.key);
    if (keeper_ != nullptr) keeper_->event_ended(late.key, thread_);
  }
  timer_runs_ = false;
  if (!unreadable_due_.empty()) start_timer();
}

// It looks from time to time: a timer for each key would cost more than it finds sooner.
void SymmetricCache::start_timer() {
  if (std::exchange(timer_runs_, true)) return;
  timer_ = shared_.rack.server(node_).clock().after<&SymmetricCache::look_for_late>(*shared_.retransmit_after, *this);
}

SymmetricCache::Waiting* SymmetricCache::find_waiting(sim::OperationId operation) {
  if (Waiting* const* listed = by_operation_.find(operation)) return *listed;
  return asking_ != nullptr && asking_->operation == operation ? asking_ : nullptr;
}

// None waits if its session has died.
bool SymmetricCache::end(sim::OperationId operation, sim::Value value) {
  Waiting* const found = find_waiting(operation);
  if (found == nullptr) return false;
  Waiting& waiting = *found;
  if (waiting.request.put == 0) waiting.request.value = waiting.request.other = value;
  waiting.over = true;
  waiting.ended.notify_all();
  return true;
}

void SymmetricCache::move_away(sim::OperationId operation) {
  Waiting* const waiting = find_waiting(operation);
  if (waiting == nullptr) return;
  waiting->moved = true;
  waiting->ended.notify_all();
}

// A put waits for whoever has not acknowledged it; what is stalled, for whoever writes the key.
std::string SymmetricCache::waits_for(const Waiting& waiting) const {
  const Work* work = cache_.work(waiting.request.key);
  std::string nodes;
  for (const Put& put : work != nullptr ? work->puts : std::vector<Put>{}) {
    if (put.operation != waiting.operation || put.superseded) continue;
    for (unsigned node = 0; node < shared_.nodes(); ++node) {
      if (node != node_ && !put.acknowledged.test(node))
        nodes += fmt::format("{}node{}", nodes.empty() ? "" : ", ", node);
    }
  }
  if (!nodes.empty()) return nodes;
  const Entry* entry = cache_.find(waiting.request.key);
  return entry == nullptr ? "" : fmt::format("node{}", entry->header.writer);
}

void SymmetricCache::add_waits(std::vector<sim::Wait>& waits) const {
  for (const Waiting* waiting = first_; waiting != nullptr; waiting = waiting->next) {
    waits.push_back(
        {.who = fmt::format("cache thread {} of node{}", waiting->thread, node_),
         .whom = waits_for(*waiting),
         .why = fmt::format("the {} of key {} in the cache, since {:.1f} ns", waiting->request.put != 0 ? "put" : "get",
                            sim::printed_key(waiting->request.key), (waiting->since - sim::Time{}).ns())});
  }
  for (const auto& links : links_) links->add_waits(waits);
}

void SymmetricCache::add_waiting(std::vector<models::Leak>& leaks) const {
  for (const Waiting* waiting = first_; waiting != nullptr; waiting = waiting->next) {
    leaks.push_back({"stuck-request",
                     fmt::format("cache thread {} of node{}: the {} of key {} waits for {}", waiting->thread, node_,
                                 waiting->request.put != 0 ? "put" : "get", sim::printed_key(waiting->request.key),
                                 waits_for(*waiting)),
                     {waiting->request.key, {waiting->operation}}});
  }
}

void SymmetricCache::crash() {
  shared_.rack.calendar().cancel(timer_);
  for (const auto& links : links_) links->crash();
}

}  // namespace racksim::cckvs
