// What accesses of SELCC cost (SELCC §4, §5; Table 1): an attempt is an atomic, with the READ of the line where the node
// has none, and an invalidation to each holder that the word names; each of those is answered once, by a flag or by the
// line.
#include "models/packets/addressing.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/latched_memory/line_messages.hpp"
#include "protocols/selcc/selcc.hpp"

namespace racksim::selcc {

namespace {

using latched_memory::LineMessage;

enum class ToNode : std::size_t {
  invalidation = static_cast<std::size_t>(LineMessage::count),
  answer,
  busy,
  gone,
  line,
  confirmation
};

}  // namespace

void Selcc::messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const {
  const auto add = [&](auto message) { messages.push_back({static_cast<std::size_t>(message), packet.operation}); };
  const auto* bth = packet.find<models::Bth>();
  if (bth == nullptr) return;
  if (models::is_send(static_cast<models::RcOpcode>(bth->opcode))) return add(ToNode::invalidation);
  const auto verb = latched_memory::line_message_of(packet);
  if (!verb) return;
  const bool to_memory = shape().roles.holds_memory(models::node_of_ipv4(packet.get<p4::Ipv4>().dst));
  if (verb != LineMessage::write || to_memory) return add(*verb);
  // A line comes with its answer in front.
  if (!packet.content.holds<Answer>()) return add(ToNode::line);
  switch (packet.content.as<Answer>().verdict) {
    case Verdict::landed:
      return add(ToNode::confirmation);
    case Verdict::busy:
      return add(ToNode::busy);
    case Verdict::gone:
      return add(ToNode::gone);
    default:
      return add(ToNode::answer);
  }
}

models::CostTable Options::costs(const models::RackOptions&) const {
  models::CostTable table{.messages = latched_memory::line_messages(),
                          .rows = latched_memory::rows_of_verbs(line_bytes + latched_memory::LineLayout::kWordBytes)};
  for (const char* name : {"INVALIDATE", "answer", "BUSY", "GONE", "line with an answer", "confirmation"})
    table.messages.emplace_back(name);
  table.rows.push_back({.what = "an invalidation is answered once",
                        .section = "§5.1",
                        .cost = "sent answer + sent BUSY + sent GONE + sent line with an answer",
                        .per = "sent INVALIDATE",
                        .least = await_answer ? 1U : 0U});
  if (await_answer) {
    table.rows.push_back({.what = "and whoever asks waits for all answers",
                          .section = "§5.1",
                          .cost = "selcc.answers.unasked",
                          .per = "sent INVALIDATE",
                          .least = 0,
                          .most = 0,
                          .of_each = false});
  }
  table.rows.push_back({.what = "who gives a line tells that the word has changed",
                        .section = "ours",
                        .cost = "sent confirmation",
                        .per = "sent line with an answer",
                        .least = confirm ? 1U : 0U,
                        .most = confirm ? 1U : 0U});
  table.rows.push_back({.what = "a miss reads the line, and again only after an answer or its own traces",
                        .section = "§4",
                        .cost = "sent READ",
                        .per = "selcc.misses.shared + selcc.misses.modified + selcc.misses.upgrade + sent INVALIDATE + "
                               "selcc.own_traces",
                        .least = 0,
                        .of_each = false});
  table.rows.push_back(
      {.what = "an atomic acquires, gives up or gives on, takes back what failed, or tries again after an answer",
       .section = "§4, §5.1",
       .cost = "sent CAS + sent FAA",
       .per = "selcc.misses.shared + selcc.misses.modified + selcc.misses.upgrade + "
              "selcc.evictions.shared + selcc.evictions.modified + selcc.answers.given + "
              "selcc.answers.released + selcc.yields + selcc.undone + selcc.own_traces + "
              "2 selcc.upgrade_fallbacks + sent INVALIDATE + swaps + additions",
       .least = 0,
       .of_each = false});
  table.rows.push_back(latched_memory::row_of_tries(try_attempts));
  table.rows.push_back({.what = "what is dirty is written once",
                        .section = "§4",
                        .cost = "sent WRITE",
                        .per = "selcc.flushes",
                        .of_each = false});
  if (writes_return_early()) return table;  // before they have asked
  const auto add = [&](const char* state, const char* what, const char* section, const char* cost, std::uint64_t times,
                       const char* per = "operations") {
    table.rows.push_back(models::row_of(state, what, section, cost, times, times, per));
  };
  const char *atomics = "sent CAS + sent FAA", *asked = "sent INVALIDATE";
  for (const char* hit : {"reads that hit", "writes that hit"})
    add(hit, "is of the node alone", "§4.1", "sent CAS + sent FAA + sent READ + sent READ of a word + sent INVALIDATE",
        0);
  for (const char* access : {"reads of what nobody has", "reads of what others share", "writes of what nobody has"}) {
    add(access, "an atomic takes the latch", "§4", atomics, 1);
    add(access, "the line is read with it", "§4", "sent READ", 1);
    add(access, "nobody is in the way", "§4", asked, 0);
  }
  // Where the invalidations that an agent keeps are too many, it is tried again.
  for (const char* access : {"reads of what another owns", "writes of what another owns"})
    add(access, "the owner is asked", "§5.1", asked, 1, "operations + sent BUSY");
  table.rows.push_back(models::row_of("reads of what another owns", "an atomic finds out, another takes the bit away",
                                      "§5.1", atomics, 2, 3, "operations + sent BUSY"));
  add("writes of what another owns", "an atomic finds out, and one gives the line on", "§5.1", atomics, 1,
      "2 operations + sent BUSY");
  // A sharer's answer may overtake the atomic that takes its bit away, behind others of its queue pair: it is found in the
  // word once more, and asked in vain. That is rare, or else somebody is asked too early, or who never had the line.
  for (const char* access : {"upgrades", "writes of what others share"}) {
    add(access, "each other sharer is asked", "§5.1", asked, 1, "other holders + sent BUSY + sent GONE");
    table.rows.push_back(
        models::row_of_many(access, "hardly ever in vain", "§5.1", "4 sent GONE", 0, 1, "other holders + sent BUSY"));
  }
  const char* given_up = "an atomic finds out, each sharer gives up, and an atomic acquires";
  table.rows.push_back(models::row_of("writes of what others share", given_up, "§5.1", atomics, 1,
                                      models::CostRow::kAny, "2 operations + sent BUSY + other holders"));
  table.rows.push_back(models::row_of("writes of what others share", "or tries again", "§5.1", atomics, 0, 1,
                                      "2 operations + sent BUSY + other holders + sent GONE"));
  return table;
}

}  // namespace racksim::selcc
