// Growing sets of linearizations. See register_linearizations.hpp.
#include "sim/checkers/register_linearizations.hpp"

#include <algorithm>
#include <stdexcept>

namespace racksim::sim::checkers {

RegisterLinearizations::RegisterLinearizations(std::uint8_t initial) {
  pending_.fill(kIdle);
  orders_.emplace_back().value = initial;
}

void RegisterLinearizations::begin_read(std::size_t session) {
  pending_[session] = kReads;
  for (Order& order : orders_) order.seen[session] = std::uint32_t{1} << order.value;
  std::sort(orders_.begin(), orders_.end());
}

void RegisterLinearizations::begin_write(std::size_t session, std::uint8_t value) {
  pending_[session] = value;
}

void RegisterLinearizations::take(Order& order, std::size_t session) const {
  order.value = pending_[session];
  order.taken = static_cast<std::uint8_t>(order.taken | 1u << session);
  for (std::size_t reader = 0; reader < kSessions; ++reader) {
    if (pending_[reader] == kReads) order.seen[reader] |= std::uint32_t{1} << order.value;
  }
}

void RegisterLinearizations::extend(const Order& order, std::size_t last, std::vector<Order>& results) const {
  for (std::size_t session = 0; session < kSessions; ++session) {
    if (!is_pending_write(session) || (order.taken >> session & 1) != 0) continue;
    Order next = order;
    take(next, session);
    if (session == last) {
      results.push_back(next);
    } else {
      extend(next, last, results);
    }
  }
}

bool RegisterLinearizations::end_read(std::size_t session, std::uint8_t value) {
  std::vector<Order> results;
  for (const Order& order : orders_) {
    if ((order.seen[session] >> value & 1) != 0) {
      results.push_back(order);
      continue;
    }
    for (std::size_t writer = 0; writer < kSessions; ++writer) {
      if (pending_[writer] == value) extend(order, writer, results);
    }
  }
  for (Order& order : results) order.seen[session] = 0;
  orders_.swap(results);
  end(session);
  return !orders_.empty();
}

bool RegisterLinearizations::end_write(std::size_t session) {
  std::vector<Order> results;
  for (const Order& order : orders_) {
    if ((order.taken >> session & 1) != 0) {
      results.push_back(order);
    } else {
      extend(order, session, results);
    }
  }
  for (Order& order : results) order.taken = static_cast<std::uint8_t>(order.taken & ~(1u << session));
  orders_.swap(results);
  end(session);
  return !orders_.empty();
}

// An order is left out if another explains all that it does: the same, and pending reads may return more.
void RegisterLinearizations::end(std::size_t session) {
  pending_[session] = kIdle;
  std::sort(orders_.begin(), orders_.end());
  orders_.erase(std::unique(orders_.begin(), orders_.end()), orders_.end());
  const auto covers = [](const Order& more, const Order& less) {
    if (more.value != less.value || more.taken != less.taken || more == less) return false;
    for (std::size_t reader = 0; reader < kSessions; ++reader) {
      if ((less.seen[reader] & ~more.seen[reader]) != 0) return false;
    }
    return true;
  };
  std::vector<Order> kept;
  for (const Order& order : orders_) {
    if (std::none_of(orders_.begin(), orders_.end(), [&](const Order& other) { return covers(other, order); })) {
      kept.push_back(order);
    }
  }
  orders_.swap(kept);
}

void RegisterLinearizations::encode(std::string& bytes) const {
  for (const std::uint8_t pending : pending_) bytes += static_cast<char>(pending);
  if (orders_.size() > 0xff) throw std::length_error("more than 255 linearizations");
  bytes += static_cast<char>(orders_.size());
  for (const Order& order : orders_) {
    bytes += static_cast<char>(order.value);
    bytes += static_cast<char>(order.taken);
    for (std::size_t reader = 0; reader < kSessions; ++reader) {
      if (pending_[reader] != kReads) continue;
      for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(order.seen[reader] >> shift & 0xff);
    }
  }
}

RegisterLinearizations RegisterLinearizations::decode(std::string_view& bytes) {
  std::size_t at = 0;
  const auto next = [&] { return static_cast<std::uint8_t>(bytes[at++]); };
  RegisterLinearizations set;
  for (std::uint8_t& pending : set.pending_) pending = next();
  set.orders_.assign(next(), {});
  for (Order& order : set.orders_) {
    order.value = next();
    order.taken = next();
    for (std::size_t reader = 0; reader < kSessions; ++reader) {
      if (set.pending_[reader] != kReads) continue;
      for (unsigned shift = 0; shift < 32; shift += 8) order.seen[reader] |= std::uint32_t{next()} << shift;
    }
  }
  bytes.remove_prefix(at);
  return set;
}

}  // namespace racksim::sim::checkers
