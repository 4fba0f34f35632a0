// Latch words at every instant, from the atomics that memory servers carry out: what each node has added to a line's
// word, and whom the word names.
//
// The word is the sum of what nodes have contributed. Nobody's part of it may ever be negative, for then a borrow from
// the id makes a false owner, or none; nor may two nodes be owners. A reader may have its bit in it twice, once from a
// failed attempt and once by its owner's hand, only while undoing is not waited for: the sum carries, and the word can
// only be decoded when the undo has landed. With `undo: "waited"` each part is 0 or 1 at every instant, which is what
// recovery will rest on, and the id is 0 or that of a node that holds, gives or takes the line.
//
// Memory: some 200 bytes a line of whose word the parts cannot be told, which is while something is under way about it;
// of all others none.
#include <fmt/core.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "models/service/oracle_entry.hpp"
#include "protocols/latched_memory/memory_servers.hpp"

namespace racksim::latched_memory {

namespace {

class LatchWordsOracle final : public sim::Oracle, LineObserver {
 public:
  LatchWordsOracle(LatchedMemory& memory, unsigned compute_nodes, const sim::Calendar& calendar)
      : Oracle("latch-words", "word"), memory_(memory), nodes_(compute_nodes), calendar_(calendar) {
    memory.memory_servers().watch(*this);
  }

 private:
  /// What each compute node has contributed to a word.
  struct Parts {
    std::vector<int> readers, owners;
  };

  /// What the warm-up has left, before a line's first atomic, can be decoded, and so can what was forgotten.
  Parts& parts_of(sim::Key line, LatchWord before) {
    if (const auto known = lines_.find(line); known != lines_.end()) return known->second;
    Parts& parts = spare_.empty() ? lines_[line] : place_spare(line);
    parts.readers.assign(nodes_, 0);
    parts.owners.assign(nodes_, 0);
    if (before.names_owner()) ++parts.owners[before.owner()];
    before.for_each_reader([&](NodeId reader) { ++parts.readers[reader]; });
    return parts;
  }

  /// The memory of a line that was forgotten, for another.
  Parts& place_spare(sim::Key line) {
    auto node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = line;
    return lines_.insert(std::move(node)).position->second;
  }

  /// Whether parts_of would make the same of the word.
  bool are_told_by(LatchWord word, const Parts& parts) const {
    std::uint64_t sum = 0, owners = 0;
    for (NodeId node = 0; node < nodes_; ++node) {
      const auto reads = static_cast<std::uint64_t>(parts.readers[node]);
      const auto owns = static_cast<std::uint64_t>(parts.owners[node]);
      if (reads > 1 || owns > 1) return false;
      sum += reads * LatchWord::shared(node) + owns * LatchWord::modified(node);
      owners += owns;
    }
    return owners <= 1 && LatchWord(sum) == word;
  }

  void word_changed(NodeId from, sim::Key line, LatchWord before, LatchWord after) override {
    if (before == after) return;
    count_judged();
    Parts& parts = parts_of(line, before);
    judge(parts, from, line, before, after);
    if (are_told_by(after, parts)) spare_.push_back(lines_.extract(line));
  }

  void judge(Parts& parts, NodeId from, sim::Key line, LatchWord before, LatchWord after) {
    if (!account(parts, from, before, after)) {
      return report(line, fmt::format("node {} has turned {:#x} into {:#x}, which no operation does", from,
                                      before.bits(), after.bits()));
    }
    int owners = 0;
    for (NodeId node = 0; node < nodes_; ++node) {
      owners += parts.owners[node];
      const int reads = parts.readers[node];
      if (reads < 0 || parts.owners[node] < 0) {
        report(line,
               fmt::format("node {} has taken more from the word, now {:#x}, than it had added", node, after.bits()));
      } else if (reads > 1 && memory_.words_are_decodable()) {
        report(line, fmt::format("node {} has its bit {} times in the word, now {:#x}", node, reads, after.bits()));
      }
    }
    if (owners > 1) report(line, fmt::format("{} nodes own the line, whose word is {:#x}", owners, after.bits()));
    if (!memory_.words_are_decodable() || !after.names_owner()) return;
    const NodeId owner = after.owner();
    if (owner < nodes_ && memory_.has_part_in(owner, line)) return;
    report(line, fmt::format("the word {:#x} names node {}, which neither holds the line nor takes or gives it",
                             after.bits(), owner));
  }

  /// Adds what a node's operation has added to the parts; false if there is no such operation.
  bool account(Parts& parts, NodeId from, LatchWord before, LatchWord after) const {
    const std::uint64_t added = after.bits() - before.bits(), bit = LatchWord::shared(from),
                        id = LatchWord::modified(from);
    int &reads = parts.readers[from], &owns = parts.owners[from];
    if (added == bit) return ++reads, true;
    if (added == LatchWord::minus(bit)) return --reads, true;
    // What is done about the dead may look like a handover, which only an owner does.
    if (memory_.words_are_decodable() && account_for_dead(parts, from, before, after)) return true;
    // What a handover adds may look like an id, as that from node 0 to node 1 does.
    if (before.free() && added == id) return ++owns, true;
    if (added == LatchWord::minus(id)) return --owns, true;
    if (added == id - bit) return ++owns, --reads, true;
    for (NodeId other = 0; other < nodes_; ++other) {
      if (added == LatchWord::hand_over(from, other)) return --owns, ++parts.owners[other], true;
      if (added == LatchWord::share(from, other)) return --owns, ++reads, ++parts.readers[other], true;
    }
    return false;
  }

  /// What recovery does with the parts of dead nodes: takes them away, or puts one's own in the place of an owner.
  bool account_for_dead(Parts& parts, NodeId from, LatchWord before, LatchWord after) const {
    std::uint64_t dead = 0;
    for (NodeId node = 0; node < nodes_; ++node) {
      if (memory_.is_lost(node)) dead |= LatchWord::shared(node);
    }
    const std::uint64_t gone = before.readers() & ~after.readers(), come = after.readers() & ~before.readers();
    const bool owner_is_dead = before.names_owner() && before.owner() < nodes_ && memory_.is_lost(before.owner());
    const bool owner_stays =
        before.names_owner() == after.names_owner() && (!after.names_owner() || before.owner() == after.owner());
    const bool claimed = owner_is_dead && gone == 0 &&
                         ((come == 0 && after.names_owner() && after.owner() == from) ||
                          (come == LatchWord::shared(from) && !after.names_owner()));
    const bool taken_out = come == 0 && (gone & ~dead) == 0 && (owner_stays || (owner_is_dead && !after.names_owner()));
    if (dead == 0 || (!claimed && !taken_out)) return false;
    LatchWord(gone).for_each_reader([&](NodeId node) { --parts.readers[node]; });
    if (come != 0) ++parts.readers[from];
    if (!owner_stays) --parts.owners[before.owner()];
    if (!owner_stays && after.names_owner()) ++parts.owners[from];
    return true;
  }

  void report(sim::Key line, std::string what) {
    violated(calendar_.now(), fmt::format("line {}: {}", sim::printed_key(line), what),
             {memory_.memory_servers().object_of(line, 0), {}});
  }

  LatchedMemory& memory_;
  NodeId nodes_;  // that compute
  const sim::Calendar& calendar_;
  std::map<std::uint64_t, Parts> lines_;
  std::vector<std::map<std::uint64_t, Parts>::node_type> spare_;
};

const sim::Registration<models::OracleEntry> latch_words({
    .name = "latch-words",
    .doc = "no node takes more from a line's latch word than it has added, and no line has two owners",
    .attach = models::OracleEntry::AttachWhen::if_promised,
    .make = [](models::OracleContext& context) -> std::shared_ptr<sim::Oracle> {
      auto* memory = dynamic_cast<LatchedMemory*>(&context.protocol());
      if (memory == nullptr) throw sim::OptionError("latch-words", "a protocol without latch words", "selcc or sel");
      const models::Rack& rack = context.rack();
      return std::make_shared<LatchWordsOracle>(*memory, rack.options().roles.of(rack.nodes()).compute_nodes,
                                                context.rack().calendar());
    },
});

}  // namespace

}  // namespace racksim::latched_memory
