// TPC-C's consistency conditions. See conditions.hpp.
#include "models/applications/tpcc/conditions.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace racksim::app::tpcc {

namespace {

/// A condition that must hold of each of many things alike: how many break it, and the first that does.
class Condition {
 public:
  Condition(std::string_view name, std::string_view things) : name_(name), things_(things) {}

  /// `what` makes the text of one that breaks it.
  template <class What>
  void that(bool holds, const What& what) {
    ++of_;
    if (holds) return;
    if (broken_++ == 0) first_ = what();
  }
  void finish(Judge& judge) const {
    judge.that(broken_ == 0, name_, fmt::format("{} of {} {}, first {}", broken_, of_, things_, first_));
  }

 private:
  std::string_view name_, things_;
  std::uint64_t of_ = 0, broken_ = 0;
  std::string first_;
};

std::string printed_district(std::uint64_t district) {
  return fmt::format("district {} of warehouse {}", district % kDistricts, district / kDistricts);
}
std::string printed_order(const Scale& scale, std::uint64_t order) {
  return fmt::format("order {} of {}", order % scale.most_orders(), printed_district(order / scale.most_orders()));
}
std::string printed_customer(const Scale& scale, std::uint64_t customer) {
  return fmt::format("customer {} of {}", customer % scale.customers, printed_district(customer / scale.customers));
}

void of_warehouses(const Books& books, Judge& judge) {
  Condition first("condition 1, W_YTD is the sum of D_YTD", "warehouses");
  Condition eighth("condition 8, W_YTD is the sum of H_AMOUNT", "warehouses");
  for (std::uint64_t w = 0; w < books.warehouses.size(); ++w) {
    const auto& warehouse = books.warehouses[w];
    std::int64_t of_districts = 0;
    for (std::uint64_t d = 0; d < kDistricts; ++d) of_districts += books.districts[Scale::district(w, d)].ytd;
    first.that(warehouse.ytd == of_districts,
               [&] { return fmt::format("warehouse {}: {} and {}", w, warehouse.ytd, of_districts); });
    eighth.that(warehouse.ytd == warehouse.histories,
                [&] { return fmt::format("warehouse {}: {} and {}", w, warehouse.ytd, warehouse.histories); });
  }
  first.finish(judge);
  eighth.finish(judge);
}

void of_districts(const Books& books, Judge& judge) {
  Condition second("condition 2, D_NEXT_O_ID follows the last O_ID and NO_O_ID", "districts");
  Condition third("condition 3, NO_O_ID has no gap", "districts");
  Condition fourth("condition 4, the sum of O_OL_CNT counts the order lines", "districts");
  Condition ninth("condition 9, D_YTD is the sum of H_AMOUNT", "districts");
  Condition eleventh("condition 11, orders are new ones or delivered ones", "districts");
  for (std::uint64_t i = 0; i < books.districts.size(); ++i) {
    const auto& d = books.districts[i];
    const auto says = [i](std::string_view what, auto a, auto b) {
      return fmt::format("{}: {} {} and {}", printed_district(i), what, a, b);
    };
    const bool follows = d.newest_order && d.next_order == *d.newest_order + 1 &&
                         (!d.newest_waiting || d.next_order == *d.newest_waiting + 1);
    second.that(follows, [&] {
      return fmt::format("{}: {}, last order {}, last new-order {}", printed_district(i), d.next_order,
                         d.newest_order ? fmt::format("{}", *d.newest_order) : "none",
                         d.newest_waiting ? fmt::format("{}", *d.newest_waiting) : "none");
    });
    third.that(d.new_orders == 0 || *d.newest_waiting - *d.oldest_waiting + 1 == d.new_orders, [&] {
      return fmt::format("{}: {} from {} to {}", printed_district(i), d.new_orders, *d.oldest_waiting,
                         *d.newest_waiting);
    });
    fourth.that(d.lines_of_orders == d.lines, [&] { return says("sum and count", d.lines_of_orders, d.lines); });
    ninth.that(d.ytd == d.histories, [&] { return says("cents", d.ytd, d.histories); });
    const std::uint64_t delivered = books.scale.delivered() + d.deliveries;
    eleventh.that(d.orders == d.new_orders + delivered, [&] {
      return fmt::format("{}: {} orders, {} new ones, {} delivered", printed_district(i), d.orders, d.new_orders,
                         delivered);
    });
  }
  for (const Condition* each : {&second, &third, &fourth, &ninth, &eleventh}) each->finish(judge);
}

void of_orders(const Books& books, Judge& judge) {
  Condition fifth("condition 5, an order without a carrier is a new-order", "orders");
  Condition sixth("condition 6, O_OL_CNT counts the order's lines", "orders");
  Condition seventh("condition 7, an order's lines have a date if it has a carrier", "orders");
  for (std::uint64_t i = 0; i < books.orders.size(); ++i) {
    const auto& order = books.orders[i];
    if (!order.there && !order.waits && order.lines == 0) continue;
    const bool new_one = order.there && order.carrier == 0;
    fifth.that(new_one == order.waits, [&] {
      return fmt::format("{}: carrier {}, {}", printed_order(books.scale, i),
                         order.there ? fmt::format("{}", order.carrier) : "of no order",
                         order.waits ? "a new-order" : "no new-order");
    });
    sixth.that(order.asked_lines == order.lines, [&] {
      return fmt::format("{}: {} and {}", printed_order(books.scale, i), order.asked_lines, order.lines);
    });
    seventh.that(order.delivered_lines == (order.carrier == 0 ? 0 : order.lines), [&] {
      return fmt::format("{}: carrier {}, {} of {} lines with a date", printed_order(books.scale, i), order.carrier,
                         order.delivered_lines, order.lines);
    });
  }
  for (const Condition* each : {&fifth, &sixth, &seventh}) each->finish(judge);
}

void of_customers(const Books& books, bool last_orders, Judge& judge) {
  Condition tenth("condition 10, C_BALANCE is what was delivered less what was paid", "customers");
  Condition twelfth("condition 12, C_BALANCE and C_YTD_PAYMENT are what was delivered", "customers");
  Condition index("the index of last orders", "customers");
  for (std::uint64_t i = 0; i < books.customers.size(); ++i) {
    const auto& c = books.customers[i];
    tenth.that(c.there && c.balance == c.delivered - c.histories, [&] {
      return fmt::format("{}: {}, {} and {}", printed_customer(books.scale, i), c.balance, c.delivered, c.histories);
    });
    twelfth.that(c.there && c.balance + c.paid == c.delivered, [&] {
      return fmt::format("{}: {}, {} and {}", printed_customer(books.scale, i), c.balance, c.paid, c.delivered);
    });
    index.that(c.last_order == c.last_order_of_index, [&] {
      return fmt::format("{}: {} and {}", printed_customer(books.scale, i), c.last_order_of_index, c.last_order);
    });
  }
  tenth.finish(judge);
  twelfth.finish(judge);
  if (last_orders) index.finish(judge);
}

void of_stocks(const Books& books, Judge& judge) {
  Condition given("stocks, S_YTD is what order lines ask for", "stocks");
  for (std::uint64_t i = 0; i < books.stocks.size(); ++i) {
    given.that(books.stocks[i] == 0, [&] {
      return fmt::format("item {} of warehouse {}: {} more than asked for", i % books.scale.items,
                         i / books.scale.items, books.stocks[i]);
    });
  }
  given.finish(judge);
}

}  // namespace

void judge_conditions(const Books& books, bool last_orders, Judge& judge) {
  of_warehouses(books, judge);
  of_districts(books, judge);
  of_orders(books, judge);
  of_customers(books, last_orders, judge);
  of_stocks(books, judge);
  judge.that(books.strays == 0, "columns", fmt::format("{} rows name what there is not", books.strays));
}

}  // namespace racksim::app::tpcc
