// Latch words at every instant, from the atomics that memory servers carry out: what each node has added to a line's
// word, and whom the word names.
//
// The word is the sum of what nodes have contributed. Nobody's part of it may ever be negative, for then a borrow from
// the id makes a false owner, or none; nor may two nodes be owners. A reader may have its bit in it twice, once from a
// failed attempt and once by its owner's hand, only while undoing is not waited for: the sum carries, and the word can
// only be decoded when the undo has landed. With `undo: "waited"` each part is 0 or 1 at every instant, which is what
// recovery will rest on, and the id is 0 or that of a node that holds, gives or takes the line.
#include <fmt/core.h>

#include <map>
#include <memory>
#include <vector>

#include "models/service/oracle_entry.hpp"
#include "protocols/selcc/selcc.hpp"

namespace racksim::selcc {

namespace {

class LatchWordsOracle final : public sim::Oracle, WordObserver {
 public:
  explicit LatchWordsOracle(Selcc& selcc, const sim::Calendar& calendar)
      : Oracle("latch-words"), selcc_(selcc), calendar_(calendar) {
    selcc.watch_words(*this);
  }

 private:
  /// What each compute node has contributed to a word.
  struct Parts {
    std::vector<int> readers, owners;
  };

  /// What the warm-up has left, before a line's first atomic, can be decoded.
  Parts& parts_of(sim::Key line, LatchWord before) {
    Parts& parts = lines_[line];
    if (parts.readers.empty()) {
      parts.readers.resize(selcc_.compute_nodes());
      parts.owners.resize(selcc_.compute_nodes());
      if (before.names_owner()) ++parts.owners[before.owner()];
      before.for_each_reader([&](NodeId reader) { ++parts.readers[reader]; });
    }
    return parts;
  }

  void changed(NodeId from, sim::Key line, LatchWord before, LatchWord after) override {
    if (before == after) return;
    Parts& parts = parts_of(line, before);
    if (!account(parts, from, before, after)) {
      return report(line, fmt::format("node {} has turned {:#x} into {:#x}, which no operation does", from,
                                      before.bits(), after.bits()));
    }
    int owners = 0;
    for (NodeId node = 0; node < selcc_.compute_nodes(); ++node) {
      owners += parts.owners[node];
      const int reads = parts.readers[node];
      if (reads < 0 || parts.owners[node] < 0) {
        report(line,
               fmt::format("node {} has taken more from the word, now {:#x}, than it had added", node, after.bits()));
      } else if (reads > 1 && selcc_.options().undo == Undo::waited) {
        report(line, fmt::format("node {} has its bit {} times in the word, now {:#x}", node, reads, after.bits()));
      }
    }
    if (owners > 1) report(line, fmt::format("{} nodes own the line, whose word is {:#x}", owners, after.bits()));
    if (selcc_.options().undo != Undo::waited || !after.names_owner()) return;
    const NodeId owner = after.owner();
    if (owner < selcc_.compute_nodes() && selcc_.node(owner).has_part_in(line)) return;
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
    // What a handover adds may look like an id, as that from node 0 to node 1 does.
    if (before.free() && added == id) return ++owns, true;
    if (added == LatchWord::minus(id)) return --owns, true;
    if (added == id - bit) return ++owns, --reads, true;
    for (NodeId other = 0; other < selcc_.compute_nodes(); ++other) {
      if (added == LatchWord::hand_over(from, other)) return --owns, ++parts.owners[other], true;
      if (added == LatchWord::share(from, other)) return --owns, ++reads, ++parts.readers[other], true;
    }
    return false;
  }

  void report(sim::Key line, std::string what) {
    violated(calendar_.now(), fmt::format("line {}: {}", sim::printed_key(line), what),
             {selcc_.first_object(line), {}});
  }

  Selcc& selcc_;
  const sim::Calendar& calendar_;
  std::map<std::uint64_t, Parts> lines_;
};

const sim::Registration<models::OracleEntry> latch_words({
    .name = "latch-words",
    .doc = "no node takes more from a latch word of SELCC than it has added, and none has two owners",
    .attach = models::OracleEntry::AttachWhen::if_promised,
    .make = [](models::OracleContext& context) -> std::shared_ptr<sim::Oracle> {
      auto* selcc = dynamic_cast<Selcc*>(&context.protocol());
      if (selcc == nullptr) throw sim::OptionError("latch-words", "a protocol without latch words", "selcc");
      return std::make_shared<LatchWordsOracle>(*selcc, context.rack().calendar());
    },
});

}  // namespace

}  // namespace racksim::selcc
