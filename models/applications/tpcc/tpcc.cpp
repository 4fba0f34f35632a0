// TPC-C's options, terminals and mixes. See tpcc.hpp.
#include "models/applications/tpcc/tpcc.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/applications/tpcc/conditions.hpp"
#include "models/applications/tpcc/transactions.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::app::tpcc {

namespace {
/// Of all tables: so many rows are read one by one at the end.
constexpr std::uint64_t kFewKeys = 1'000'000;
}  // namespace

void Tpcc::declare(sim::Parameters& p) {
  p.integer("warehouses", warehouses, 1, 100'000, "warehouses");
  p.integer("divide", divide, 1, 300,
            "customers, their orders, items and stocks are so many times fewer than the standard's; districts are not")
      .published("1 is the standard's; the script of one paper's code has 10");
  p.integer("room", room, 1, 1'000'000,
            "orders, and payments, that each district has room for beside its first. One more ends the run");
  p.choice(
       "mix", mix,
       {{"standard", Mix::standard},
        {"orders-and-payments", Mix::orders_and_payments},
        {"halves", Mix::halves},
        {"updates", Mix::updates},
        {"reads", Mix::reads},
        {"all", Mix::all},
        {"new-order", Mix::new_order},
        {"payment", Mix::payment},
        {"order-status", Mix::order_status},
        {"delivery", Mix::delivery},
        {"stock-level", Mix::stock_level}},
       "NewOrder, Payment, OrderStatus, Delivery, StockLevel: standard 45:43:4:4:4; orders-and-payments 45:43; halves "
       "1:1; updates NewOrder, Payment and Delivery alike; reads OrderStatus and StockLevel alike; all alike; or one "
       "of them alone")
      .varied({Mix::standard, Mix::orders_and_payments, Mix::updates, Mix::all, Mix::payment});
  p.optional_ratio(
      "distribution", distribution,
      "probability with which a line of a NewOrder takes its stock, and a Payment its customer, from another "
      "warehouse; null: the standard's, 0.01 and 0.15");
  p.choice(
      "distribution_of", distribution_of, {{"line", Of::line}, {"transaction", Of::transaction}},
      "what `distribution` is the probability of: that a line or a payment is remote, or that the whole transaction "
      "is another warehouse's");
  p.choice("home", home, {{"own", Home::own}, {"node", Home::node}, {"any", Home::any}},
           "a terminal's warehouse: one of its own, one of those of its node that are its, or any, drawn anew")
      .varied({Home::node, Home::any});
  p.ratio("rollback", rollback, "of the NewOrders, those that ask for an item that there is not, and are rolled back")
      .published("TPC-C §2.4.1.4")
      .varied({0, 0.01, 0.3});
  p.ratio("by_name", by_name, "of the Payments and OrderStatuses, those that name a customer by his last name")
      .published("TPC-C §2.5.1.2")
      .varied({0, 0.6, 1});
  p.choice("deliveries", deliveries, {{"one", Deliveries::one}, {"ten", Deliveries::ten}},
           "whether a Delivery is one transaction, or one for each of the ten districts")
      .varied({Deliveries::one, Deliveries::ten});
  p.ratio(
      "read_ratio", read_ratio,
      "of a transaction's writes, inserts and deletions, those that become reads. Above 0 the consistency conditions "
      "do not hold, and are not judged");
  p.ratio("temporal_locality", temporal_locality,
          "probability that an item of a NewOrder is one of the terminal's last NewOrder")
      .varied({0, 0.5});
}

void Tpcc::check() const {
  if (distribution_of == Of::transaction && !distribution) {
    throw sim::OptionError("distribution", "null", "a probability, with distribution_of: transaction");
  }
}

void Tpcc::check_terminals(unsigned nodes, unsigned threads) const {
  const std::uint64_t terminals = std::uint64_t{nodes} * threads;
  if (home == Home::own && warehouses < terminals) {
    throw sim::OptionError("warehouses", fmt::format("{}", warehouses),
                           fmt::format("{} at least, one for each of {} threads on each of {} nodes, with home: own",
                                       terminals, threads, nodes));
  }
}

const Tpcc::Built& Tpcc::built() const {
  if (!built_ || built_->warehouses != warehouses || built_->divide != divide || built_->room != room) {
    const Scale now = scale();
    built_.emplace(Built{warehouses, divide, room, now, Contents(now)});
  }
  return *built_;
}
const Contents& Tpcc::contents() const {
  return built().contents;
}

std::vector<RowTable> Tpcc::tables() const {
  return built().scale.tables(contents().name_bytes());
}

std::uint64_t Tpcc::most_rows() const {
  constexpr std::uint64_t kNewOrderRows = 3 + 2 * kMostLines, kInserted = 2 + kMostLines;
  constexpr std::uint64_t kDistrictOfDelivery = 4 + kMostLines;
  std::uint64_t most = 0;
  const auto with = [&](Kind kind, std::uint64_t rows) {
    if (has(mix, kind)) most = std::max(most, rows);
  };
  with(Kind::new_order, kNewOrderRows + kInserted + (has(mix, Kind::order_status) ? 1 : 0));
  with(Kind::payment, 5);
  with(Kind::order_status, 4 + kMostLines);
  with(Kind::delivery, kDistrictOfDelivery * (deliveries == Deliveries::one ? kDistricts : 1));
  with(Kind::stock_level, 1 + 2 * kRecentOrders * kMostLines);
  return most;
}

Tpcc::State& Tpcc::state_of(Terminal terminal) {
  while (states_.size() <= terminal.number()) states_.emplace_back();
  return states_[terminal.number()];
}

std::uint64_t Tpcc::draw_home(Terminal terminal, sim::RandomStream& random) const {
  const std::uint64_t terminals = std::uint64_t{terminal.nodes} * terminal.threads;
  switch (home) {
    case Home::own:
      return terminal.number() * warehouses / terminals;
    case Home::any:
      return random.below(warehouses);
    case Home::node:
      break;
  }
  // Of the node's warehouses each thread has every so many-th; with more threads than warehouses some have the same.
  const std::uint64_t first = terminal.node * warehouses / terminal.nodes;
  const std::uint64_t end = std::max(first + 1, (terminal.node + 1) * warehouses / terminal.nodes);
  const std::uint64_t of_node = end - first;
  if (of_node <= terminal.threads) return first + terminal.thread % of_node;
  const std::uint64_t of_thread = (of_node - terminal.thread + terminal.threads - 1) / terminal.threads;
  return first + terminal.thread + random.below(of_thread) * terminal.threads;
}

sim::Task<End> Tpcc::run(Transaction& transaction, Terminal terminal, sim::RandomStream& random) {
  const Built& here = built();
  State& state = state_of(terminal);
  const Setting setting{.scale = here.scale,
                        .name_bytes = here.contents.name_bytes(),
                        .keeps_last_orders = has(mix, Kind::order_status),
                        .date = state.ended + 2};  // behind the load's
  Access access(transaction, read_ratio, random);
  state.asks.reset();
  if (state.delivery) {  // its next district, or the same again
    const DeliveryInput input = *state.delivery;
    co_return co_await delivery(setting, access, input, state.district, state.district + 1);
  }

  const Kind kind = draw_kind(mix, random);
  std::uint64_t warehouse = draw_home(terminal, random);
  Drawing by{.scale = here.scale,
             .remote_line = distribution.value_or(0.01),
             .remote_payment = distribution.value_or(0.15),
             .by_name = by_name,
             .rollback = rollback,
             .locality = temporal_locality};
  if (distribution_of == Of::transaction) {
    if (random.chance(*distribution) && warehouses > 1) warehouse = draw_other(random, warehouses, warehouse);
    by.remote_line = by.remote_payment = 0;
  }
  switch (kind) {
    case Kind::new_order: {
      state.asks = draw_new_order(by, warehouse, state.wares, random);
      co_return co_await new_order(setting, access, *state.asks);
    }
    case Kind::payment: {
      const PaymentInput input = draw_payment(by, warehouse, random);
      co_return co_await payment(setting, access, input);
    }
    case Kind::order_status: {
      const OrderStatusInput input = draw_order_status(by, warehouse, random);
      co_return co_await order_status(setting, access, input);
    }
    case Kind::delivery: {
      const DeliveryInput input = draw_delivery(warehouse, random);
      if (deliveries == Deliveries::ten) state.delivery = input;
      co_return co_await delivery(setting, access, input, 0, deliveries == Deliveries::ten ? 1 : kDistricts);
    }
    case Kind::stock_level: {
      const StockLevelInput input = draw_stock_level(warehouse, random);
      co_return co_await stock_level(setting, access, input);
    }
  }
  co_return End::committed;
}

void Tpcc::ended(Terminal terminal, End) {
  State& state = state_of(terminal);
  ++state.ended;
  if (state.delivery && ++state.district == kDistricts) {
    state.delivery.reset();
    state.district = 0;
  }
  if (!state.asks) return;
  const std::uint64_t wares = state.asks->count - (state.asks->rolls_back ? 1 : 0);
  state.wares.assign(state.asks->lines.begin(), state.asks->lines.begin() + static_cast<std::ptrdiff_t>(wares));
  state.asks.reset();
}

void Tpcc::judge(const Rows& rows, Judge& judge) const {
  if (read_ratio > 0) return;
  std::uint64_t keys = 0;
  for (const RowTable& table : tables()) keys += table.keys;
  const Scale& here = built().scale;
  const Books books = keys <= kFewKeys ? Books::of_all(here, rows) : Books::of_changed(here, contents(), rows);
  judge_conditions(books, has(mix, Kind::order_status), judge);
}

namespace {
const SchemaRegistration<Tpcc> registration("tpcc", "TPC-C: orders, payments and deliveries of warehouses");
}  // namespace

}  // namespace racksim::app::tpcc
