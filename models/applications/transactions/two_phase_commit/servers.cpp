// Calls, and who serves them. See servers.hpp.
#include "models/applications/transactions/two_phase_commit/servers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "models/host/core_wait.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::app::two_phase_commit {

using models::NodeId;

namespace {

/// A thread has one call under way to a node, and another one may have been asked for again.
constexpr models::RpcOptions kCalls{.window = 2, .receives = 512};

}  // namespace

Servers::Servers(models::Rack& rack, std::vector<Participant*> participants, unsigned threads,
                 std::uint32_t least_bytes, const CommitOptions& options)
    : rack_(rack),
      participants_(std::move(participants)),
      options_(options),
      threads_(threads),
      per_node_(threads + static_cast<unsigned>(options.server_threads)),
      mesh_(rack, models::Mesh::Transport::datagram, kCalls) {
  if (least_bytes > rack.options().nic.mtu_bytes) {
    throw sim::OptionError("/rack/nic/mtu", fmt::format("{} bytes", rack.options().nic.mtu_bytes),
                           fmt::format("at least {}, for a call with one row", least_bytes));
  }
  for (NodeId node = 0; node < participants_.size(); ++node) {
    tasks_.push_back(std::make_unique<sim::Scope>(rack.calendar()));
    for (unsigned thread = 0; thread < per_node_; ++thread) {
      models::Core& core =
          thread < threads ? rack.server(node).core(thread) : rack.server(node).core(thread, "transaction_server");
      auto seat =
          std::make_unique<Seat>(rack.calendar(), models::Session{node, static_cast<std::uint16_t>(thread)}, core);
      const unsigned end =
          mesh_.add(node, core, [this, node, thread](const models::RpcEnd::Call& call) { came(node, thread, call); });
      all_.push_back({std::move(seat), end});
    }
  }
  mesh_.connect();
}

std::size_t Servers::running() const {
  std::size_t sum = 0;
  for (const auto& scope : tasks_) sum += scope->running();
  return sum;
}

void Servers::node_crashed(NodeId node) {
  tasks_[node]->cancel_all();
  for (unsigned thread = 0; thread < per_node_; ++thread) seat(node, thread).reset();
}

void Servers::came(NodeId node, unsigned thread, const models::RpcEnd::Call& call) {
  tasks_[node]->spawn(serve(node, thread, call));
}

sim::Task<void> Servers::serve(NodeId node, unsigned thread, models::RpcEnd::Call call) {
  const Thread& own = all_[node * per_node_ + thread];
  co_await models::occupy(own.seat->core(), options_.call_cost);
  const Reply reply = co_await participants_[node]->serve(*own.seat, request_from(call.content));
  ++calls_;
  mesh_.end(own.end).reply(call, {encoded(reply)});
}

sim::Task<Reply> Servers::call_once(unsigned from, unsigned to, const Request& request) {
  models::RpcEnd::Message message{encoded(request)};
  const models::RpcEnd::Patience patience{options_.call_timeout, std::numeric_limits<std::uint32_t>::max()};
  const auto content = co_await mesh_.call(from, to, std::move(message), patience);
  RACKSIM_INVARIANT(content.has_value(), "a call is asked for until it is answered");
  co_return reply_from(*content);
}

sim::Task<Reply> Servers::call(NodeId from, unsigned thread, NodeId to, Request request) {
  const unsigned servers = per_node_ - threads_;
  const unsigned server = servers == 0 ? thread : threads_ + thread % servers;
  const unsigned caller = all_[from * per_node_ + thread].end, callee = all_[to * per_node_ + server].end;
  const std::uint64_t room = rack_.options().nic.mtu_bytes - kRequestBytes;
  const auto bytes = [](const RowImage& row) { return kRowHeaderBytes + row.bytes.size(); };
  std::uint64_t left = 0;
  for (const RowImage& row : request.rows) left += bytes(row);
  while (left > room) {
    Request before{.verb = Verb::stage, .transaction = request.transaction, .row = {}, .rows = {}};
    std::size_t count = 0;
    for (std::uint64_t taken = 0; taken + bytes(request.rows[count]) <= room; ++count) {
      taken += bytes(request.rows[count]);
      left -= bytes(request.rows[count]);
    }
    const auto end = request.rows.begin() + static_cast<std::ptrdiff_t>(count);
    before.rows.assign(std::make_move_iterator(request.rows.begin()), std::make_move_iterator(end));
    request.rows.erase(request.rows.begin(), end);
    Reply reply = co_await call_once(caller, callee, before);
    if (reply.answer != Answer::yes) co_return reply;
  }
  co_return co_await call_once(caller, callee, request);
}

}  // namespace racksim::app::two_phase_commit
