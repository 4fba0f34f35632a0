// TPC-C's twelve consistency conditions (standard §3.3.2), judged from all rows at the end, and two facts of ours: what
// stocks have given out is what order lines ask for, and the index of last orders points at them, if it is kept.
//
// Rows are told apart by their columns, never by their keys: a row whose columns name no warehouse, district, order or
// customer is a fact of its own ("columns").
#pragma once

#include "models/applications/judge.hpp"
#include "models/applications/tpcc/books.hpp"

namespace racksim::app::tpcc {

/// `last_orders`: the index of last orders is kept.
void judge_conditions(const Books& books, bool last_orders, Judge& judge);

}  // namespace racksim::app::tpcc
