// What TPC-C's rows hold at first (standard §4.3.3), as functions of their keys: nothing is stored of them.
//
// Texts are as long as they may be, in letters that a hash of the row gives. The first orders' customers are a permutation
// of all, which can be turned round: that is how the index of last orders begins.
#pragma once

#include <cstdint>

#include "models/applications/tpcc/columns.hpp"
#include "models/applications/tpcc/random.hpp"
#include "models/applications/tpcc/scale.hpp"

namespace racksim::app::tpcc {

class Contents {
 public:
  static constexpr std::int64_t kFirstPayment = 1000;  ///< of each customer, in cents

  explicit Contents(const Scale& scale);

  /// As Schema::first.
  bool first(Row row, Bytes bytes) const;

  const Names& names() const { return names_; }
  /// Bytes of a row of the index of names: how many customers it has, and each.
  std::uint64_t name_bytes() const { return sizeof(std::uint32_t) * (1 + names_.most()); }

  // Of a first order.
  std::uint64_t customer_of(std::uint64_t district, std::uint64_t order) const {
    return (order * step_ + district) % scale_.customers;
  }
  std::uint64_t order_of(std::uint64_t district, std::uint64_t customer) const {
    return (customer + scale_.customers - district % scale_.customers) % scale_.customers * step_back_ %
           scale_.customers;
  }
  std::uint64_t lines_of(std::uint64_t district, std::uint64_t order) const;

 private:
  void warehouse(std::uint64_t key, Bytes bytes) const;
  void district(std::uint64_t key, Bytes bytes) const;
  void customer(std::uint64_t key, Bytes bytes) const;
  bool history(std::uint64_t key, Bytes bytes) const;
  bool new_order(std::uint64_t key, Bytes bytes) const;
  bool order(std::uint64_t key, Bytes bytes) const;
  bool order_line(std::uint64_t key, Bytes bytes) const;
  bool item(std::uint64_t key, Bytes bytes) const;
  void stock(std::uint64_t key, Bytes bytes) const;
  void customer_name(std::uint64_t key, Bytes bytes) const;

  Scale scale_;
  Names names_;
  std::uint64_t step_, step_back_;  // of the permutation, and its inverse
};

}  // namespace racksim::app::tpcc
