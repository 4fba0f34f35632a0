#include "p4model/language/meter.hpp"

namespace racksim::p4 {

std::string_view name_of(Colour colour) {
  return colour == Colour::green ? "green" : colour == Colour::yellow ? "yellow" : "red";
}

std::string_view name_of(MeterUnit unit) {
  return unit == MeterUnit::packets ? "packets" : "bytes";
}

std::string_view name_of(CounterUnit unit) {
  return unit == CounterUnit::packets ? "packets" : unit == CounterUnit::bytes ? "bytes" : "packets and bytes";
}

}  // namespace racksim::p4
