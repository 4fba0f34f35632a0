// TPC-C's Payment (standard §2.5.2).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "models/applications/tpcc/transactions.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::app::tpcc {

namespace {

/// Puts who has paid what where before what is noted of a customer of bad credit, whose oldest notes fall off the end.
void note(Record<Customer>& customer, const PaymentInput& input) {
  const std::array<std::uint64_t, 6> paid{customer.get(Customer::id),
                                          customer.get(Customer::district),
                                          customer.get(Customer::warehouse),
                                          input.district % kDistricts,
                                          input.warehouse,
                                          static_cast<std::uint64_t>(input.amount)};
  std::byte* const notes = customer.bytes().data() + Customer::data;
  std::memmove(notes + sizeof paid, notes, Customer::kDataBytes - sizeof paid);
  std::memcpy(notes, paid.data(), sizeof paid);
}

}  // namespace

sim::Task<std::uint64_t> find_customer(const Setting& setting, Access& access, const CustomerChoice& choice) {
  if (!choice.by_name) co_return choice.customer;
  std::vector<std::byte> row(setting.name_bytes);
  const std::span<std::byte> bytes(row);
  co_await access.read(setting.scale.name_row(choice.district, choice.name), bytes);
  const auto count = get(std::span<const std::byte>(bytes), Column<std::uint32_t>{0});
  const std::uint64_t middle = (std::uint64_t{count} + 1) / 2;  // from 1, behind the count
  co_return get(std::span<const std::byte>(bytes), Column<std::uint32_t>{middle * sizeof(std::uint32_t)});
}

sim::Task<End> payment(const Setting& setting, Access& access, const PaymentInput& input) {
  const Scale& scale = setting.scale;
  Record<Warehouse> warehouse;
  const Grip of_warehouse = co_await access.take(Scale::warehouse_row(input.warehouse), warehouse);
  warehouse.add(Warehouse::ytd, input.amount);
  co_await access.write(of_warehouse, warehouse);

  Record<District> district;
  const Grip of_district = co_await access.take(Scale::district_row(input.district), district);
  const std::uint32_t number = district.get(District::next_history);
  if (number >= scale.most_histories()) {
    throw sim::OptionError("room", fmt::format("{}, and a district that has taken so many payments", scale.room),
                           "more");
  }
  district.put(District::next_history, number + 1);
  district.add(District::ytd, input.amount);
  co_await access.write(of_district, district);

  const std::uint64_t id = co_await find_customer(setting, access, input.customer);
  Record<Customer> customer;
  const Grip of_customer = co_await access.take(scale.customer_row(input.customer.district, id), customer);
  customer.add(Customer::balance, -input.amount);
  customer.add(Customer::paid, input.amount);
  customer.add(Customer::payments, 1U);
  if (customer.get(Customer::credit)[0] == 'B') note(customer, input);
  co_await access.write(of_customer, customer);

  Record<History> history;
  history.put(History::customer, static_cast<std::uint32_t>(id));
  history.put(History::customer_district, static_cast<std::uint32_t>(input.customer.district % kDistricts));
  history.put(History::customer_warehouse, static_cast<std::uint32_t>(input.customer.district / kDistricts));
  history.put(History::district, static_cast<std::uint32_t>(input.district % kDistricts));
  history.put(History::warehouse, static_cast<std::uint32_t>(input.warehouse));
  history.put(History::date, setting.date);
  history.put(History::amount, input.amount);
  // The names of warehouse and district, with four spaces between them.
  std::byte* const data = history.bytes().data() + History::data;
  std::memset(data, ' ', 24);
  std::memcpy(data, warehouse.bytes().data() + Warehouse::name, 10);
  std::memcpy(data + 14, district.bytes().data() + District::name, 10);
  co_await access.insert(scale.history_row(input.district, number), history);
  co_return End::committed;
}

}  // namespace racksim::app::tpcc
