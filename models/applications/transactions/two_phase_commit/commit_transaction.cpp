// Reads, promises and decisions. See commit_transaction.hpp.
#include "models/applications/transactions/two_phase_commit/commit_transaction.hpp"

#include <algorithm>
#include <utility>

#include "sim/kernel/waiting.hpp"

namespace racksim::app::two_phase_commit {

using models::LockMode;
using models::NodeId;

CommitTransaction::CommitTransaction(Partitions& partitions, Client& client)
    : StoredTransaction(partitions.context(), client),
      partitions_(partitions),
      seat_(partitions.servers().seat(client.node(), client.thread())),
      log_(partitions.logs().at(client.node())),
      locks_(partitions.locks(client.node())) {}

sim::Task<void> CommitTransaction::start(bool again) {
  if (!again) voted_down_ = 0;
  const std::uint64_t terminal = std::uint64_t{client().node()} * partitions_.context().threads + client().thread();
  id_ = transaction_id(terminal, ++attempts_);
  others_.clear();
  syncs_ = in_turn_ = 0;
  prepared_ = false;
  co_return;
}

void CommitTransaction::voted_down() {
  voted_down_ = static_cast<std::uint8_t>(std::min(voted_down_ + 1, 255));
  throw Aborted{AbortReason::vote};
}

void CommitTransaction::lock_here(const RowCopy& copy) {
  if (is_read_only(copy.row)) return;
  const LockMode mode = copy.intent == Intent::update ? LockMode::exclusive : LockMode::shared;
  if (!locks_.try_lock(copy.row, mode, id_)) throw Aborted{AbortReason::lock};
}

sim::Task<void> CommitTransaction::load_here(std::span<RowCopy* const> copies) {
  co_await seat_.wait_for_turn();
  const Seat::Turn turn(seat_);
  co_await load_all(copies);
}

sim::Task<void> CommitTransaction::fetch(RowCopy& copy) {
  if (copy.fetched && partitions_.node_of(copy.row, client().node()) == client().node()) {
    lock_here(copy);  // what it shared it has now alone: nobody has changed it
    co_return;
  }
  RowCopy* const one = &copy;
  co_await fetch_all(std::span(&one, 1));
}

sim::Task<void> CommitTransaction::fetch_all(std::span<RowCopy* const> copies) {
  const std::vector<RowCopy*> all(copies.begin(), copies.end());
  const NodeId here = client().node();
  for (std::size_t i = 0; i < all.size();) {
    const NodeId node = partitions_.node_of(all[i]->row, here);
    std::size_t end = i + 1;
    while (end < all.size() && all[end]->row.table == all[i]->row.table &&
           all[end]->row.key == all[i]->row.key + (end - i) && partitions_.node_of(all[end]->row, here) == node) {
      ++end;
    }
    const auto group = std::span(all).subspan(i, end - i);
    if (node == here) {
      for (const RowCopy* copy : group) lock_here(*copy);
      co_await load_here(group);
    } else {
      co_await fetch_from(node, group);
    }
    i = end;
  }
}

sim::Task<void> CommitTransaction::fetch_from(NodeId node, std::span<RowCopy* const> copies) {
  const bool known =
      std::any_of(others_.begin(), others_.end(), [node](const Other& other) { return other.node == node; });
  if (!known) others_.push_back({node});
  Request read = request(Verb::read);
  read.first = !known;
  read.doublings = voted_down_;
  read.row = copies.front()->row;
  read.count = static_cast<std::uint32_t>(copies.size());
  const bool updates =
      std::any_of(copies.begin(), copies.end(), [](const RowCopy* copy) { return copy->intent == Intent::update; });
  read.mode = updates ? LockMode::exclusive : LockMode::shared;
  const Reply reply = co_await partitions_.servers().call(client().node(), client().thread(), node, std::move(read));
  if (reply.answer == Answer::no) throw Aborted{AbortReason::lock};
  if (reply.answer == Answer::gone) voted_down();
  if (reply.answer == Answer::unavailable) throw Aborted{AbortReason::unavailable};
  auto from = reply.image.begin();
  for (RowCopy* copy : copies) {
    std::copy_n(from, copy->slot.size(), copy->slot.begin());
    from += static_cast<std::ptrdiff_t>(copy->slot.size());
  }
}

std::vector<RowImage> CommitTransaction::deal_out() {
  std::vector<RowImage> own;
  for (const RowCopy* copy : writes()) {
    const NodeId node = partitions_.node_of(copy->row, client().node());
    const auto other =
        std::find_if(others_.begin(), others_.end(), [node](const Other& one) { return one.node == node; });
    (other == others_.end() ? own : other->rows).push_back({copy->row, copy->slot});
  }
  return own;
}

sim::Task<void> CommitTransaction::log_here(std::uint64_t bytes) {
  ++syncs_;
  ++in_turn_;
  return log_.durable(log_.append(bytes));
}

sim::Task<void> CommitTransaction::collect_promises() {
  for (std::size_t i = 0; i < others_.size();) {
    Request prepare = request(Verb::prepare);
    prepare.rows = std::move(others_[i].rows);
    const Reply reply =
        co_await partitions_.servers().call(client().node(), client().thread(), others_[i].node, std::move(prepare));
    syncs_ += reply.syncs;
    in_turn_ += reply.syncs;
    if (reply.answer == Answer::only_read) {
      others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(i));
    } else if (reply.answer == Answer::yes) {
      ++i;
    } else {
      ++partitions_.counters().votes_against.value;
      voted_down();
    }
  }
}

sim::Task<void> CommitTransaction::decide(NodeId node, Verb verb) {
  const Reply reply = co_await partitions_.servers().call(client().node(), client().thread(), node, request(verb));
  syncs_ += reply.syncs;
}

sim::Task<void> CommitTransaction::decide_all(Verb verb, std::vector<RowImage> own) {
  std::vector<sim::Task<void>> all;
  for (const Other& other : others_) all.push_back(decide(other.node, verb));
  all.push_back(store_all(partitions_.clock(client().node()), partitions_.images(), seat_, own));
  co_await sim::gather(std::move(all));
  locks_.release(id_);
}

sim::Task<void> CommitTransaction::finish() {
  const std::uint64_t count = others_.size();
  const bool wrote = !writes().empty();
  std::vector<RowImage> own = deal_out();
  if (count > 0) {
    if (wrote) {
      co_await log_here(kLogEntryBytes + bytes_of(own));
      prepared_ = true;
    }
    co_await collect_promises();
  }
  if (wrote) co_await log_here(kLogEntryBytes + (count > 0 ? 0 : bytes_of(own)));
  co_await decide_all(Verb::commit, std::move(own));
  if (count > 0) {
    ++partitions_.counters().distributed.value;
    partitions_.counters().participants.value += count;
  }
  partitions_.logs().committed(syncs_, in_turn_);
}

sim::Task<void> CommitTransaction::undo() {
  if (prepared_) log_.append(kLogEntryBytes);
  return decide_all(Verb::abort, {});
}

}  // namespace racksim::app::two_phase_commit
