// The parser of litmus tests: recursive descent over single characters. See litmus_program.hpp.
#include "models/workloads/litmus_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

constexpr std::string_view kOperation =
    "an operation: x=1, r0=x, r0=cas(x,0,1), r0=faa(x,1), lock(x), rlock(x), unlock(x) or fence";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_of_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}
/// Registers are called r0, r1, ...; any other word is an object.
bool names_register(std::string_view word) {
  return word.size() > 1 && word[0] == 'r' && std::all_of(word.begin() + 1, word.end(), is_digit);
}
bool is_reserved(std::string_view word) {
  return word == "fence" || word == "cas" || word == "faa" || word == "lock" || word == "rlock" || word == "unlock";
}

/// A text that is read from the left, and refused where it is wrong.
class Reader {
 public:
  Reader(std::string_view text, std::string_view option) : text_(text), option_(option) {}

  std::size_t skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    return at_;
  }
  bool at_end() { return skip_spaces() == text_.size(); }
  bool accept(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// Whether this word stands here, whole; if so it is passed.
  bool accept_word(std::string_view expected) {
    const std::size_t begin = skip_spaces();
    if (word_at(begin) != expected) return false;
    at_ = begin + expected.size();
    return true;
  }
  void expect(char c, std::string_view where) {
    if (!accept(c)) refuse(at_, fmt::format("'{}' {}", c, where));
  }
  /// A word of lower-case letters, digits and '_' that begins with a letter; empty if none stands here.
  std::string_view word() {
    const std::size_t begin = skip_spaces();
    if (begin == text_.size() || !is_letter(text_[begin])) return {};
    while (at_ < text_.size() && is_of_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::uint64_t number(std::uint64_t least, std::uint64_t most, std::string_view what) {
    const std::size_t begin = skip_spaces();
    std::uint64_t value = 0;
    while (at_ < text_.size() && is_digit(text_[at_]) && value <= most) {
      value = value * 10 + static_cast<std::uint64_t>(text_[at_++] - '0');
    }
    if (at_ == begin || value < least || value > most) {
      refuse(begin, fmt::format("{}, a whole number from {} to {}", what, least, most));
    }
    return value;
  }

  /// `names` are those that could stand in this place.
  [[noreturn]] void refuse(std::size_t place, std::string_view expected, std::vector<std::string> names = {}) const {
    const std::string_view word = word_at(place);
    const std::string_view shown = word.empty() ? text_.substr(place, 1) : word.substr(0, 20);
    const std::string found = shown.empty() ? "its end" : fmt::format("'{}'", shown);
    throw sim::OptionError(std::string(option_), fmt::format("{} at character {}", found, place + 1),
                           std::string(expected), {std::string(word), std::move(names)});
  }

 private:
  /// Letters of both cases, digits and '_' from this place on.
  std::string_view word_at(std::size_t place) const {
    std::size_t end = place;
    while (end < text_.size() && (is_of_word(text_[end]) || (text_[end] >= 'A' && text_[end] <= 'Z'))) ++end;
    return text_.substr(std::min(place, text_.size()), end - place);
  }

  std::string_view text_, option_;
  std::size_t at_ = 0;
};

class ProgramParser {
 public:
  explicit ProgramParser(std::string_view text) : reader_(text, "program") {}

  LitmusProgram parse() {
    if (reader_.accept('{')) homes();
    do session();
    while (reader_.accept('|'));
    if (!reader_.at_end()) reader_.refuse(reader_.skip_spaces(), "';' and an operation, '|' and a session, or its end");
    check_homes();
    check_joins();
    return std::move(program_);
  }

 private:
  void homes() {
    do {
      const std::size_t place = reader_.skip_spaces();
      const std::string_view word = reader_.word();
      if (word.empty() || names_register(word) || is_reserved(word)) reader_.refuse(place, "an object such as x");
      if (objects_.count(word) != 0) reader_.refuse(place, "an object that has no home yet");
      reader_.expect('@', "and the object's home");
      program_.objects[object(word)].home = static_cast<NodeId>(reader_.number(0, kMostNodes - 1, "a node"));
      homes_.push_back(place);
    } while (reader_.accept(';'));
    reader_.expect('}', "after the homes of objects");
  }

  /// Objects that have a home are the first ones, and must be used.
  void check_homes() const {
    std::vector<bool> used(program_.objects.size());
    for (const LitmusSession& session : program_.sessions) {
      for (const LitmusOperation& operation : session.operations) {
        if (operation.kind != sim::OperationKind::fence) used[operation.object] = true;
      }
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) names.push_back(program_.objects[i].name);
    }
    for (std::size_t i = 0; i < homes_.size(); ++i) {
      if (!used[i]) reader_.refuse(homes_[i], "an object that the program uses", std::move(names));
    }
  }

  void session() {
    const std::size_t place = reader_.skip_spaces();
    const bool over = !program_.sessions.empty() && program_.sessions.back().at_end;
    const bool at_end = !program_.sessions.empty() && !over && reader_.accept_word("end");
    const std::string name = at_end ? "end" : fmt::format("P{}", program_.sessions.size());
    if (over) reader_.refuse(place, "the program's end behind the session end");
    if (!at_end && !reader_.accept_word(name)) {
      reader_.refuse(place, fmt::format("the session {}", name), {name});
    }
    LitmusSession& session = program_.sessions.emplace_back(LitmusSession{name});
    session.at_end = at_end;
    if (reader_.accept('@')) {
      session.node = static_cast<NodeId>(reader_.number(0, kMostNodes - 1, "a node"));
      if (reader_.accept('/')) session.thread = static_cast<std::uint16_t>(reader_.number(0, 63, "a thread"));
    }
    reader_.expect(':', "before the operations of the session");
    bool joins = false;
    do {
      const std::size_t begin = reader_.skip_spaces();
      program_.sessions.back().operations.push_back(operation());
      if (joins) join(program_.sessions.back(), begin);
      const sim::OperationKind kind = program_.sessions.back().operations.back().kind;
      if (at_end && kind != sim::OperationKind::read) reader_.refuse(begin, "a read, as in the session end");
      check_lock(program_.sessions.back(), begin);
      joins = reader_.accept(',');
    } while (joins || reader_.accept(';'));
    for (const LitmusOperation& taken : held_) {
      reader_.refuse(reader_.skip_spaces(), fmt::format("; unlock({})", program_.objects[taken.object].name));
    }
  }

  /// The session's last operation is one call with the one before it: their words lie side by side.
  void join(LitmusSession& session, std::size_t place) {
    LitmusOperation& last = session.operations.back();
    const LitmusOperation& before = session.operations[session.operations.size() - 2];
    const bool access = last.kind == sim::OperationKind::read || last.kind == sim::OperationKind::write;
    if (!access || last.kind != before.kind)
      reader_.refuse(place, "another read behind a read, or write behind a write");
    last.joins = true;
    std::optional<std::size_t>& behind = program_.objects[last.object].behind;
    for (std::optional<std::size_t> at = before.object; at; at = program_.objects[*at].behind) {
      if (*at == last.object) reader_.refuse(place, "another word of the line");
    }
    const auto taken = [&](const LitmusObject& other) { return other.behind == before.object; };
    const bool fits =
        behind ? behind == before.object : std::none_of(program_.objects.begin(), program_.objects.end(), taken);
    if (!fits || program_.objects[last.object].home) {
      reader_.refuse(place, fmt::format("the word that lies behind {}", program_.objects[before.object].name));
    }
    behind = before.object;
    joined_at_ = place;
  }

  void check_joins() const {
    for (const LitmusObject& object : program_.objects) {
      std::size_t words = 1;
      for (std::optional<std::size_t> at = object.behind; at; at = program_.objects[*at].behind) ++words;
      if (words <= LitmusProgram::kMostJoined) continue;
      reader_.refuse(*joined_at_, fmt::format("words of a line that has at most {}", LitmusProgram::kMostJoined));
    }
    const OperationSet others =
        program_.operations().without({sim::OperationKind::read, sim::OperationKind::write, sim::OperationKind::fence});
    if (joined_at_ && !others.empty()) {
      reader_.refuse(*joined_at_, fmt::format("one word a call, in a program with {}", others.names()));
    }
  }

  /// A session holds one lock of an object at a time, gives back what it holds, and holds none in the end.
  void check_lock(const LitmusSession& session, std::size_t place) {
    const LitmusOperation& last = session.operations.back();
    const auto held =
        std::find_if(held_.begin(), held_.end(), [&](const auto& lock) { return lock.object == last.object; });
    if (last.takes_lock()) {
      if (held != held_.end()) reader_.refuse(place, "a lock that the session does not hold");
      held_.push_back(last);
    } else if (last.kind == sim::OperationKind::unlock) {
      if (held == held_.end()) reader_.refuse(place, "the unlock of a lock that the session holds");
      held_.erase(held);
    } else if (last.kind != sim::OperationKind::read && last.kind != sim::OperationKind::fence && held != held_.end() &&
               held->kind == sim::OperationKind::lock_shared) {
      reader_.refuse(place, "no write under a shared lock");
    }
  }

  LitmusOperation operation() {
    const std::size_t place = reader_.skip_spaces();
    const std::string_view word = reader_.word();
    if (word == "fence") return {sim::OperationKind::fence};
    if (word == "lock" || word == "rlock" || word == "unlock") {
      reader_.expect('(', "and the object");
      const std::size_t locked = operand();
      reader_.expect(')', fmt::format("after {}", word));
      return {word == "lock"    ? sim::OperationKind::lock
              : word == "rlock" ? sim::OperationKind::lock_shared
                                : sim::OperationKind::unlock,
              locked};
    }
    const bool set = !word.empty() && !is_reserved(word) && reader_.accept('=');
    if (!set) reader_.refuse(place, kOperation, {"fence"});
    if (!names_register(word)) {
      const std::size_t written = object(word);
      return {sim::OperationKind::write, written, new_value(written)};
    }
    if (find_register(word)) reader_.refuse(place, "a register that is not set anywhere else");
    LitmusOperation operation = reading();
    operation.into = program_.registers.size();
    program_.registers.push_back({std::string(word), program_.sessions.size() - 1, operation.object});
    return operation;
  }

  /// What stands behind "r0=".
  LitmusOperation reading() {
    const std::size_t place = reader_.skip_spaces();
    const std::string_view word = reader_.word();
    if (word == "cas" || word == "faa") {
      reader_.expect('(', "and the object");
      LitmusOperation operation{sim::OperationKind::fetch_and_add, operand()};
      reader_.expect(',', "after the object");
      if (word == "cas") {
        operation.kind = sim::OperationKind::compare_and_swap;
        operation.expected = expected(operation.object);
        reader_.expect(',', "after what is expected");
        operation.value = new_value(operation.object);
      } else {
        const std::uint64_t left = LitmusProgram::kMostValue - added_[operation.object];
        operation.value = reader_.number(1, left, "what is added");
        added_[operation.object] += operation.value;
      }
      reader_.expect(')', fmt::format("after {}", word));
      return operation;
    }
    if (word.empty() || names_register(word) || is_reserved(word)) {
      reader_.refuse(place, "an object to read, such as x, or cas(...) or faa(...)");
    }
    if (reader_.accept('(')) reader_.refuse(place, "cas(...) or faa(...)", {"cas", "faa"});
    return {sim::OperationKind::read, object(word)};
  }

  std::size_t operand() {
    const std::size_t place = reader_.skip_spaces();
    const std::string_view word = reader_.word();
    if (word.empty() || names_register(word) || is_reserved(word)) reader_.refuse(place, "an object such as x");
    return object(word);
  }

  /// What a compare-and-swap expects. Writes of other sessions get their values as they are made, so that a session
  /// knows those alone that it has read.
  std::optional<std::size_t> expected(std::size_t object) {
    const std::size_t place = reader_.skip_spaces();
    const std::string_view word = reader_.word();
    if (word.empty()) {
      if (!reader_.accept('0')) reader_.refuse(place, "0 for the object's first value, or a register");
      return std::nullopt;
    }
    const auto found = find_register(word);
    if (!found || program_.registers[*found].session != program_.sessions.size() - 1 ||
        program_.registers[*found].object != object) {
      reader_.refuse(place, "a register that this session has read from the same object");
    }
    return found;
  }

  std::uint64_t new_value(std::size_t object) {
    const std::size_t place = reader_.skip_spaces();
    const std::uint64_t value = reader_.number(1, LitmusProgram::kMostValue, "the number of a write");
    auto& taken = written_[object];
    if (std::find(taken.begin(), taken.end(), value) != taken.end()) {
      reader_.refuse(place, fmt::format("a number that no other write of {} has", program_.objects[object].name));
    }
    taken.push_back(value);
    return value;
  }

  std::size_t object(std::string_view name) {
    const auto [place, is_new] = objects_.try_emplace(std::string(name), program_.objects.size());
    if (is_new) program_.objects.push_back({std::string(name)});
    return place->second;
  }

  std::optional<std::size_t> find_register(std::string_view name) const {
    for (std::size_t i = 0; i < program_.registers.size(); ++i) {
      if (program_.registers[i].name == name) return i;
    }
    return std::nullopt;
  }

  Reader reader_;
  LitmusProgram program_;
  std::map<std::string, std::size_t, std::less<>> objects_;
  std::vector<std::size_t> homes_;                             // where each is given, by object
  std::map<std::size_t, std::vector<std::uint64_t>> written_;  // by object
  std::map<std::size_t, std::uint64_t> added_;
  std::vector<LitmusOperation> held_;     // locks of the session
  std::optional<std::size_t> joined_at_;  // where a call of several words stands
};

LitmusOutcome::Condition parse_condition(Reader& reader, const LitmusProgram& program) {
  std::size_t place = reader.skip_spaces();
  const std::string_view word = reader.word();
  const auto found = std::find_if(program.registers.begin(), program.registers.end(),
                                  [&](const LitmusRegister& r) { return r.name == word; });
  if (found == program.registers.end()) {
    std::vector<std::string> names;
    for (const LitmusRegister& one : program.registers) names.push_back(one.name);
    reader.refuse(place, "a register of the program", std::move(names));
  }
  reader.expect('=', "and the register's value");
  place = reader.skip_spaces();
  const std::uint64_t value = reader.number(0, 2 * LitmusProgram::kMostValue, "a value");
  if (!program.can_hold(found->object, value)) {
    reader.refuse(place, fmt::format("0 or the number of a write of {}", program.objects[found->object].name));
  }
  return {static_cast<std::size_t>(found - program.registers.begin()), value};
}

LitmusOutcome parse_outcome(Reader& reader, const LitmusProgram& program) {
  LitmusOutcome outcome;
  do {
    const std::size_t place = reader.skip_spaces();
    const LitmusOutcome::Condition condition = parse_condition(reader, program);
    const auto after = std::lower_bound(outcome.all.begin(), outcome.all.end(), condition.in,
                                        [](const auto& other, std::size_t in) { return other.in < in; });
    if (after != outcome.all.end() && after->in == condition.in) {
      reader.refuse(place, "a register that this outcome has not named yet");
    }
    outcome.all.insert(after, condition);
  } while (reader.accept('&'));
  return outcome;
}

std::string printed(const LitmusOperation& operation, const LitmusProgram& program) {
  using sim::OperationKind;
  if (operation.kind == OperationKind::fence) return "fence";
  const std::string& object = program.objects[operation.object].name;
  const auto into = [&] { return program.registers[operation.into].name; };
  switch (operation.kind) {
    case OperationKind::lock:
      return fmt::format("lock({})", object);
    case OperationKind::lock_shared:
      return fmt::format("rlock({})", object);
    case OperationKind::unlock:
      return fmt::format("unlock({})", object);
    case OperationKind::write:
      return fmt::format("{}={}", object, operation.value);
    case OperationKind::compare_and_swap:
      return fmt::format("{}=cas({},{},{})", into(), object,
                         operation.expected ? program.registers[*operation.expected].name : "0", operation.value);
    case OperationKind::fetch_and_add:
      return fmt::format("{}=faa({},{})", into(), object, operation.value);
    default:
      return fmt::format("{}={}", into(), object);
  }
}

}  // namespace

std::string LitmusProgram::text() const {
  std::string homes;
  for (const LitmusObject& object : objects) {
    if (object.home) homes += fmt::format("{}{}@{}", homes.empty() ? "{" : "; ", object.name, *object.home);
  }
  std::string text = homes.empty() ? "" : homes + "} ";
  for (const LitmusSession& session : sessions) {
    if (&session != &sessions.front()) text += " | ";
    text += session.name;
    if (session.node) text += fmt::format("@{}", *session.node);
    if (session.thread) text += fmt::format("/{}", *session.thread);
    for (const LitmusOperation& operation : session.operations) {
      const bool first = &operation == &session.operations.front();
      text += fmt::format("{} {}", first ? ":" : operation.joins ? "," : ";", printed(operation, *this));
    }
  }
  return text;
}

std::string text_of(std::vector<LitmusOutcome> outcomes, const LitmusProgram& program) {
  std::sort(outcomes.begin(), outcomes.end(), [](const auto& a, const auto& b) { return a.all < b.all; });
  std::string text;
  for (const LitmusOutcome& outcome : outcomes) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", outcome.text(program));
  }
  return text;
}

OperationSet LitmusProgram::operations() const {
  OperationSet all;
  for (const LitmusSession& session : sessions) {
    for (const LitmusOperation& operation : session.operations) all = all.with({operation.kind});
  }
  return all;
}

bool LitmusProgram::joins() const {
  return std::any_of(objects.begin(), objects.end(),
                     [](const LitmusObject& object) { return object.behind.has_value(); });
}

std::uint64_t LitmusProgram::most_locks_held() const {
  std::uint64_t most = 0;
  for (const LitmusSession& session : sessions) {
    std::uint64_t held = 0;
    for (const LitmusOperation& operation : session.operations) {
      if (operation.takes_lock()) most = std::max(most, ++held);
      if (operation.kind == sim::OperationKind::unlock) --held;
    }
  }
  return most;
}

bool LitmusProgram::can_hold(std::size_t object, std::uint64_t value) const {
  if (value == 0) return true;
  for (const LitmusSession& session : sessions) {
    for (const LitmusOperation& operation : session.operations) {
      if (operation.kind == sim::OperationKind::fence || operation.object != object || operation.value == 0) continue;
      if (operation.value == value || operation.kind == sim::OperationKind::fetch_and_add) return true;
    }
  }
  return false;
}

std::string LitmusOutcome::text(const LitmusProgram& program) const {
  std::string text;
  for (const Condition& condition : all) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " & ", program.registers[condition.in].name, condition.value);
  }
  return text;
}

bool LitmusOutcome::holds(const std::vector<std::uint64_t>& values) const {
  return std::all_of(all.begin(), all.end(), [&](const Condition& c) { return values[c.in] == c.value; });
}

LitmusProgram parse_litmus_program(std::string_view text) {
  return ProgramParser(text).parse();
}

std::vector<LitmusOutcome> parse_litmus_outcomes(std::string_view text, const LitmusProgram& program,
                                                 std::string_view option) {
  Reader reader(text, option);
  std::vector<LitmusOutcome> outcomes;
  if (reader.at_end()) return outcomes;
  do outcomes.push_back(parse_outcome(reader, program));
  while (reader.accept(';'));
  if (!reader.at_end()) reader.refuse(reader.skip_spaces(), "'&' and a register, ';' and an outcome, or its end");
  return outcomes;
}

}  // namespace racksim::models
