// What accesses of SEL cost: an attempt is an atomic and a READ, a release an atomic behind the WRITE of what has been
// changed; two atomics an access where nobody is in the way (SELCC §2).
#include "protocols/latched_memory/line_messages.hpp"
#include "protocols/sel/sel.hpp"

namespace racksim::sel {

void Sel::messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const {
  if (const auto message = latched_memory::line_message_of(packet)) {
    messages.push_back({static_cast<std::size_t>(*message), packet.operation});
  }
}

models::CostTable Options::costs(const models::RackOptions&) const {
  models::CostTable table{.messages = latched_memory::line_messages(),
                          .rows = latched_memory::rows_of_verbs(line_bytes + latched_memory::LineLayout::kWordBytes)};
  table.rows.push_back(latched_memory::row_of_tries(try_attempts));
  if (!latch || !undo) return table;
  // In n attempts: a read 2 n FAA and n READ, a write n CAS, n READ and an FAA; half of these for locks and unlocks.
  table.rows.push_back({.what = "an attempt is an atomic and a READ, a reader takes its bit away, a writer its id",
                        .section = "§2",
                        .cost = "sent FAA + 2 sent CAS + shared locks",
                        .per = "2 sent READ + writes + unlocks",
                        .least = 0});
  table.rows.push_back({.what = "all parts are taken away",
                        .section = "§2",
                        .cost = "sent FAA + 2 sent CAS + shared locks + shared try-locks",
                        .per = "2 sent READ + unlocks",
                        .most = models::CostRow::kAny});
  table.rows.push_back({.what = "who finds the line latched tries again, and nobody else",
                        .section = "§2",
                        .cost = "sent READ",
                        .per = "reads + writes + locks + shared locks + try-locks + shared try-locks + sel.retries",
                        .least = 0,
                        .of_each = false});
  table.rows.push_back({.what = "what is changed is written once",
                        .section = "§2",
                        .cost = "sent WRITE",
                        .per = "writes + unlocks",
                        .least = 0});
  table.rows.push_back({.what = "and no more of the line than that",
                        .section = "§2",
                        .cost = "bytes of WRITE",
                        .per = "sent WRITE",
                        .least = 8 + models::kIcrcBytes,
                        .most = line_bytes + models::kIcrcBytes});
  table.rows.push_back(
      models::row_of("reads of what nobody has", "takes the latch and gives it back", "§2", "sent FAA", 2, 2));
  table.rows.push_back(
      models::row_of("writes of what nobody has", "takes the latch, and adds its id away", "§2", "sent FAA", 1, 1));
  table.rows.push_back(models::row_of("writes of what nobody has", "at once", "§2", "sent CAS", 1, 1));
  for (const char* access : {"reads of what nobody has", "writes of what nobody has"})
    table.rows.push_back(models::row_of(access, "reads the line once", "§2", "sent READ", 1, 1));
  return table;
}

}  // namespace racksim::sel
