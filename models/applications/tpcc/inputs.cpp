// Inputs of TPC-C's transactions. See inputs.hpp.
#include "models/applications/tpcc/inputs.hpp"

#include <algorithm>

#include "models/applications/tpcc/random.hpp"

namespace racksim::app::tpcc {

namespace {

std::uint64_t draw_district(std::uint64_t warehouse, sim::RandomStream& random) {
  return Scale::district(warehouse, random.below(kDistricts));
}

CustomerChoice draw_choice(const Drawing& by, std::uint64_t district, sim::RandomStream& random) {
  CustomerChoice choice{.district = district, .customer = 0, .by_name = random.chance(by.by_name), .name = 0};
  if (choice.by_name) {
    choice.name = draw_name(random, by.scale.names);
  } else {
    choice.customer = draw_customer(random, by.scale.customers);
  }
  return choice;
}

/// An item, and which warehouse has it.
Ware draw_ware(const Drawing& by, std::uint64_t warehouse, const std::vector<Ware>& last, sim::RandomStream& random) {
  if (by.locality > 0 && random.chance(by.locality) && !last.empty()) return last[random.below(last.size())];
  const bool remote = random.chance(by.remote_line) && by.scale.warehouses > 1;
  const std::uint64_t supplier = remote ? draw_other(random, by.scale.warehouses, warehouse) : warehouse;
  return {draw_item(random, by.scale.items), supplier};
}

}  // namespace

std::uint64_t draw_other(sim::RandomStream& random, std::uint64_t warehouses, std::uint64_t warehouse) {
  const std::uint64_t drawn = random.below(warehouses - 1);
  return drawn < warehouse ? drawn : drawn + 1;
}

NewOrderInput draw_new_order(const Drawing& by, std::uint64_t warehouse, const std::vector<Ware>& last,
                             sim::RandomStream& random) {
  NewOrderInput input{};
  input.warehouse = warehouse;
  input.district = draw_district(warehouse, random);
  input.customer = draw_customer(random, by.scale.customers);
  input.count = kFewestLines + random.below(kMostLines - kFewestLines + 1);
  input.rolls_back = random.chance(by.rollback);
  for (std::uint64_t i = 0; i < input.count; ++i) {
    const auto taken = [&](const Ware& ware) {
      return std::any_of(input.lines.begin(), input.lines.begin() + static_cast<std::ptrdiff_t>(i),
                         [&](const NewOrderInput::Line& line) { return line.item == ware.item; });
    };
    Ware ware = draw_ware(by, warehouse, last, random);
    // Of a last order that was shorter not all items can be had again.
    for (int tries = 0; taken(ware); ++tries) {
      static const std::vector<Ware> kNone;
      ware = draw_ware(by, warehouse, tries < 100 ? last : kNone, random);
    }
    input.lines[i] = {ware, 1 + random.below(10)};
  }
  if (input.rolls_back) input.lines[input.count - 1].item = by.scale.items;
  return input;
}

PaymentInput draw_payment(const Drawing& by, std::uint64_t warehouse, sim::RandomStream& random) {
  const std::uint64_t district = draw_district(warehouse, random);
  std::uint64_t of_customer = district;
  if (random.chance(by.remote_payment) && by.scale.warehouses > 1) {
    of_customer = draw_district(draw_other(random, by.scale.warehouses, warehouse), random);
  }
  const CustomerChoice customer = draw_choice(by, of_customer, random);
  return {.warehouse = warehouse,
          .district = district,
          .customer = customer,
          .amount = 100 + static_cast<std::int64_t>(random.below(499'901))};
}

OrderStatusInput draw_order_status(const Drawing& by, std::uint64_t warehouse, sim::RandomStream& random) {
  return {draw_choice(by, draw_district(warehouse, random), random)};
}

DeliveryInput draw_delivery(std::uint64_t warehouse, sim::RandomStream& random) {
  return {.warehouse = warehouse, .carrier = static_cast<std::uint32_t>(1 + random.below(10))};
}

StockLevelInput draw_stock_level(std::uint64_t warehouse, sim::RandomStream& random) {
  return {.warehouse = warehouse,
          .district = draw_district(warehouse, random),
          .threshold = static_cast<std::uint32_t>(10 + random.below(11))};
}

}  // namespace racksim::app::tpcc
