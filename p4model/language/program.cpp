// The builder's side of a program: names are unique, widths are sane; all else is checked when the program is loaded.
#include "p4model/language/program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace racksim::p4 {

std::string_view name_of(Gress gress) {
  return gress == Gress::ingress ? "ingress" : "egress";
}

namespace {

void collect(const Condition::Node& node, std::vector<FieldRef>& out) {
  const auto add = [&](FieldRef field) {
    if (std::none_of(out.begin(), out.end(), [&](FieldRef f) { return f.id == field.id; })) out.push_back(field);
  };
  if (node.op == Condition::Node::Operator::compare) {
    add(node.left);
    if (node.right.source == Operand::Source::field) add(node.right.field());
    return;
  }
  collect(*node.first, out);
  if (node.second) collect(*node.second, out);
}

/// Names are unique among what is of one sort.
template <class Named>
void require_new(const Named& existing, std::string_view name, std::string_view program, std::string_view what) {
  for (const auto& item : existing) {
    if (item.name == name) throw ProgramError(fmt::format("program '{}': {} '{}' exists twice", program, what, name));
  }
}

/// Adds one behind those there are; where they are numbered, with the next number.
template <class Named>
auto& add_new(Named& existing, std::string name, std::string_view program, std::string_view what) {
  require_new(existing, name, program, what);
  auto& added = existing.emplace_back();
  added.name = std::move(name);
  if constexpr (requires { added.id; }) added.id = static_cast<std::uint32_t>(existing.size() - 1);
  return added;
}

}  // namespace

std::vector<FieldRef> Condition::fields() const {
  std::vector<FieldRef> out;
  collect(root(), out);
  return out;
}

bool Table::in_tcam() const {
  return std::any_of(keys.begin(), keys.end(), [](const Key& key) { return key.kind != MatchKind::exact; });
}

bool Table::by_prefix() const {
  const auto others = std::count_if(keys.begin(), keys.end(), [](const Key& key) {
    return key.kind != MatchKind::exact && key.kind != MatchKind::lpm;
  });
  return in_tcam() && others == 0;
}

std::vector<Action*> Table::all_actions() const {
  std::vector<Action*> all;
  const auto add = [&](Action* action) {
    if (action && std::find(all.begin(), all.end(), action) == all.end()) all.push_back(action);
  };
  for (auto* action : actions) add(action);
  for (const auto& entry : entries) add(entry.action);
  add(miss_action);
  return all;
}

ControlNode& Block::apply(Table& table) {
  auto& node = nodes_.emplace_back(*program_);
  node.table = &table;
  return node;
}

ControlNode& Block::apply(Action& action) {
  return apply(program_->table(action.name).default_action(action));
}

ControlNode& Block::if_(Condition condition) {
  auto& node = nodes_.emplace_back(*program_);
  node.condition = std::move(condition);
  return node;
}

Program::Program(std::string name, std::string doc, unsigned port_bits) : name_(std::move(name)), doc_(std::move(doc)) {
  const auto add = [&](const char* field, unsigned bits, FieldKind kind, bool in_ingress, bool in_egress) {
    return add_hardware_field(field, bits, kind, in_ingress, in_egress);
  };
  auto& i = intrinsics_;
  i.ingress_port = add("ingress_port", port_bits, FieldKind::input, true, false);
  i.resubmit_flag = add("resubmit_flag", 1, FieldKind::input, true, false);
  i.resubmit_data = add("resubmit_data", 64, FieldKind::input, true, false);
  i.egress_port = add("egress_port", port_bits, FieldKind::input, false, true);
  i.egress_rid = add("egress_rid", 16, FieldKind::input, false, true);
  i.packet_length = add("packet_length", 16, FieldKind::input, false, true);
  i.ucast_egress_port = add("ucast_egress_port", port_bits, FieldKind::output, true, false);
  i.mcast_grp_a = add("mcast_grp_a", 16, FieldKind::output, true, false);
  i.mcast_grp_b = add("mcast_grp_b", 16, FieldKind::output, true, false);
  i.rid = add("rid", 16, FieldKind::output, true, false);
  i.l2_exclusion_id = add("l2_exclusion_id", port_bits, FieldKind::output, true, false);
  i.drop = add("drop", 1, FieldKind::output, true, true);
  i.resubmit = add("resubmit", 1, FieldKind::output, true, false);
  i.resubmit_value = add("resubmit_value", 64, FieldKind::output, true, false);
}

void Program::resubmit_bits(unsigned bits) {
  if (bits == 0 || bits > 64) {
    throw ProgramError(fmt::format("program '{}': {} bits of resubmit data; 1 to 64 are possible", name_, bits));
  }
  fields_[intrinsics_.resubmit_data.id].bits = fields_[intrinsics_.resubmit_value.id].bits = bits;
}

FieldRef Program::add_hardware_field(const char* field, unsigned bits, FieldKind kind, bool in_ingress,
                                     bool in_egress) {
  FieldInfo info{.name = field, .bits = bits, .kind = kind, .in_ingress = in_ingress, .in_egress = in_egress};
  return add_field(std::move(info));
}

const Program::MirrorFields& Program::mirror() {
  if (!mirror_) {
    mirror_ = {.session = add_hardware_field("mirror_session", 10, FieldKind::output, true, true),
               .values = {},
               .kind = add_hardware_field("mirror_kind", 2, FieldKind::input, false, true),
               .data = {}};
    for (std::size_t i = 0; i < kMirrorWords; ++i) {
      const auto number = i == 0 ? std::string() : fmt::format("_{}", i);
      const auto value = "mirror_value" + number, data = "mirror_data" + number;
      mirror_->values[i] = add_hardware_field(value.c_str(), 64, FieldKind::output, true, true);
      mirror_->data[i] = add_hardware_field(data.c_str(), 64, FieldKind::input, false, true);
    }
  }
  return *mirror_;
}

const Program::SelectionFields& Program::selection() {
  if (!selection_) {
    constexpr auto kOut = FieldKind::output;
    selection_ = {.level1_hash = add_hardware_field("level1_mcast_hash", 13, kOut, true, false),
                  .level2_hash = add_hardware_field("level2_mcast_hash", 13, kOut, true, false),
                  .l1_exclusion_id = add_hardware_field("level1_exclusion_id", 16, kOut, true, false)};
  }
  return *selection_;
}

const Program::ClockFields& Program::clock() {
  if (!clock_) {
    constexpr auto kIn = FieldKind::input;
    clock_ = {.arrived = add_hardware_field("ingress_mac_tstamp", 48, kIn, true, false),
              .ingress_began = add_hardware_field("ingress_global_tstamp", 48, kIn, true, false),
              .enqueued = add_hardware_field("enq_tstamp", 18, kIn, false, true),
              .waited = add_hardware_field("deq_timedelta", 18, kIn, false, true),
              .queue_cells = add_hardware_field("enq_qdepth", 19, kIn, false, true),
              .egress_began = add_hardware_field("egress_global_tstamp", 48, kIn, false, true)};
  }
  return *clock_;
}

FieldRef Program::digest_type() {
  if (!digest_type_) digest_type_ = add_hardware_field("digest_type", 3, FieldKind::output, true, false);
  return *digest_type_;
}

void Program::digest(unsigned type, std::string digest_name, std::vector<FieldRef> fields) {
  require_new(digests_, digest_name, name_, "digest");
  std::vector<unsigned> bytes;
  for (const auto field : fields) bytes.push_back((info(field).bits + 7) / 8);
  digests_.push_back(
      {.type = type, .name = std::move(digest_name), .fields = std::move(fields), .field_bytes = std::move(bytes)});
}

FieldRef Program::verify_checksum(Gress gress, std::string flag, std::vector<FieldRef> fields) {
  const bool in = gress == Gress::ingress;
  const auto result = add_hardware_field(flag.c_str(), 1, FieldKind::input, in, !in);
  checksums_.push_back(
      {.operation = ChecksumUnit::Operation::verify, .gress = gress, .result = result, .fields = std::move(fields)});
  return result;
}

FieldRef Program::checksum_residual(Gress gress, std::string residual, FieldRef checksum,
                                    std::vector<FieldRef> fields) {
  const bool in = gress == Gress::ingress;
  const auto result = add_hardware_field(residual.c_str(), 16, FieldKind::input, in, !in);
  fields.insert(fields.begin(), checksum);
  checksums_.push_back(
      {.operation = ChecksumUnit::Operation::residual, .gress = gress, .result = result, .fields = std::move(fields)});
  return result;
}

void Program::update_checksum(Gress gress, FieldRef checksum, std::vector<FieldRef> fields,
                              std::optional<FieldRef> when, bool zeros_as_ones) {
  checksums_.push_back({.operation = ChecksumUnit::Operation::update,
                        .gress = gress,
                        .result = checksum,
                        .fields = std::move(fields),
                        .when = when,
                        .zeros_as_ones = zeros_as_ones});
}

FieldRef Program::add_field(FieldInfo info) {
  require_new(fields_, info.name, name_, "field");
  if (info.bits == 0 || info.bits > 64) {
    throw ProgramError(
        fmt::format("program '{}': field '{}' has {} bits; 1 to 64 are possible", name_, info.name, info.bits));
  }
  fields_.push_back(std::move(info));
  return {static_cast<std::uint16_t>(fields_.size() - 1)};
}

FieldRef Program::field(std::string field_name, unsigned bits) {
  FieldInfo info{.name = std::move(field_name), .bits = bits, .kind = FieldKind::metadata};
  return add_field(std::move(info));
}

std::size_t Program::header(const HeaderLayout& layout, std::vector<std::uint64_t> defaults) {
  const auto found =
      std::find_if(headers_.begin(), headers_.end(), [&](const HeaderUse& use) { return use.layout == &layout; });
  if (found != headers_.end()) return static_cast<std::size_t>(found - headers_.begin());
  const auto number = static_cast<int>(headers_.size());
  const std::string prefix(layout.name);
  HeaderUse use{&layout, {}, {}, std::move(defaults)};
  FieldInfo validity{.name = prefix + ".isValid", .bits = 1, .kind = FieldKind::validity, .header = number};
  use.validity = add_field(std::move(validity));
  for (std::size_t i = 0; i < layout.count; ++i) {
    FieldInfo member{.name = prefix + "." + std::string(layout.fields[i].name),
                     .bits = layout.fields[i].bits,
                     .kind = FieldKind::header,
                     .header = number,
                     .member = static_cast<int>(i)};
    use.members.push_back(add_field(std::move(member)));
  }
  headers_.push_back(std::move(use));
  return headers_.size() - 1;
}

FieldRef Program::header_member(const HeaderLayout& layout, std::size_t member) {
  return used(layout).members.at(member);
}

const Program::HeaderUse& Program::used(const HeaderLayout& layout) const {
  return *std::find_if(headers_.begin(), headers_.end(), [&](const HeaderUse& use) { return use.layout == &layout; });
}

FieldRef Program::header_member(const HeaderLayout& layout, std::string_view member) {
  for (std::size_t i = 0; i < layout.count; ++i) {
    if (layout.fields[i].name == member) return header_member(layout, i);
  }
  throw ProgramError(fmt::format("program '{}': header '{}' has no field '{}'", name_, layout.name, member));
}

ParserState& Program::add_state(Gress gress, std::string state_name, std::size_t header) {
  auto& states = parsers_[static_cast<std::size_t>(gress)].states;
  auto& state = add_new(states, std::move(state_name), name_, "parser state");
  state.header = static_cast<int>(header);
  return state;
}

const ValueSet& Program::value_set(std::string set_name, unsigned bits, std::uint64_t size) {
  auto& set = add_new(value_sets_, std::move(set_name), name_, "value set");
  set.bits = bits;
  set.size = size;
  return set;
}

RegisterArray& Program::register_array(std::string array_name, Width width, std::uint64_t size) {
  auto& array = add_new(arrays_, std::move(array_name), name_, "register array");
  array.width = width;
  array.size = size;
  return array;
}

Meter& Program::meter(std::string meter_name, MeterUnit unit, std::uint64_t size) {
  auto& meter = add_new(meters_, std::move(meter_name), name_, "meter");
  meter.unit = unit;
  meter.size = size;
  return meter;
}

Meter& Program::direct_meter(std::string meter_name, MeterUnit unit, const Table& table) {
  auto& made = meter(std::move(meter_name), unit, 0);
  made.direct = &table;
  return made;
}

Counter& Program::counter(std::string counter_name, CounterUnit unit, std::uint64_t size) {
  auto& counter = add_new(counters_, std::move(counter_name), name_, "counter");
  counter.unit = unit;
  counter.size = size;
  return counter;
}

Counter& Program::direct_counter(std::string counter_name, CounterUnit unit, const Table& table) {
  auto& made = counter(std::move(counter_name), unit, 0);
  made.direct = &table;
  return made;
}

HashRef Program::hash(std::string hash_name, std::vector<FieldRef> fields, unsigned bits, CrcKind kind) {
  require_new(hashes_, hash_name, name_, "hash");
  hashes_.push_back({.name = std::move(hash_name), .fields = std::move(fields), .bits = bits, .kind = kind});
  return {static_cast<std::uint16_t>(hashes_.size() - 1)};
}

Action& Program::action(std::string action_name) {
  return add_new(actions_, std::move(action_name), name_, "action");
}

Table& Program::table(std::string table_name) {
  return add_new(tables_, std::move(table_name), name_, "table");
}

}  // namespace racksim::p4
