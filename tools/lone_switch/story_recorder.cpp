// From what observers are told to texts. See story_recorder.hpp.
#include "tools/lone_switch/story_recorder.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sim/oracles/oracle.hpp"
#include "tools/json/input_error.hpp"
#include "tools/lone_switch/field_values.hpp"

namespace racksim::tools {
namespace {

std::vector<HeaderStory> headers_of(const p4::Packet& packet) {
  std::vector<HeaderStory> headers;
  for (std::size_t h = 0; h < packet.header_count(); ++h) {
    const auto& layout = packet.layout(h);
    auto& header = headers.emplace_back();
    header.name = layout.name;
    for (std::size_t f = 0; f < layout.count; ++f) {
      const auto& field = layout.fields[f];
      header.fields.emplace_back(
          field.name, value_text(fmt::format("{}.{}", layout.name, field.name), field.bits, packet.word(h, f)));
    }
  }
  return headers;
}

std::string copy_of(p4::MirrorKind kind) {
  if (kind == p4::MirrorKind::none) return "";
  return kind == p4::MirrorKind::ingress ? "ingress" : "egress";
}

/// The payload's bytes where somebody gave them, zeros else.
std::vector<std::uint8_t> bytes_of(const p4::Packet& packet) {
  auto bytes = packet.byte_image();
  const auto payload = packet.content.bytes();
  if (payload.size() == packet.payload_bytes) {
    std::transform(payload.begin(), payload.end(), bytes.end() - static_cast<std::ptrdiff_t>(payload.size()),
                   [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  }
  return bytes;
}

}  // namespace

StoryRecorder::StoryRecorder(models::RackContext& context, models::SwitchChassis& chassis, const p4::Program& program)
    : context_(context), chassis_(chassis), program_(program) {}

std::size_t StoryRecorder::begins(const p4::Packet& packet, const std::string& name, unsigned port) {
  const auto number = packets_.size();
  numbers_[packet.serial] = number;
  begin(packet, name, port);
  return number;
}

void StoryRecorder::begin(const p4::Packet& packet, const std::string& name, unsigned port) {
  packets_.push_back({.name = name,
                      .port = port,
                      .arrival = context_.calendar.now(),
                      .frame_bytes = packet.frame_bytes(),
                      .headers = headers_of(packet)});
}

void StoryRecorder::knows_wire(unsigned port, sim::Source source) {
  wires_.emplace_back(source, port);
}

std::vector<PacketStory> StoryRecorder::take() {
  for (auto& packet : packets_) {
    std::stable_sort(packet.events.begin(), packet.events.end(),
                     [](const StoryEvent& a, const StoryEvent& b) { return a.at < b.at; });
  }
  return std::move(packets_);
}

PacketStory& StoryRecorder::story_of(const p4::Packet& packet) {
  const auto [found, is_new] = numbers_.try_emplace(packet.serial, packets_.size());
  // The switch's own packets are first seen when they begin a pass.
  if (is_new) begin(packet, "generated", packet_ == &packet ? pass_.port : 0);
  return packets_[found->second];
}

void StoryRecorder::add(const p4::Packet& packet, sim::Time at, decltype(StoryEvent::what) what) {
  keep();
  story_of(packet).events.push_back({at, std::move(what)});
}

void StoryRecorder::keep() {
  if (++kept_ <= kMostKept) return;
  throw InputError("racksim switch", "PACKETS",
                   fmt::format("more than {} steps by {}", kMostKept, sim::printed(context_.calendar.now())),
                   "fewer, since each is kept to be printed: fewer packets, or an earlier \"until\"");
}

void StoryRecorder::on_wire(const p4::Packet& packet, const models::WirePassage& passage) {
  const auto wire = std::find_if(wires_.begin(), wires_.end(),
                                 [&](const auto& known) { return known.first.index == passage.wire.index; });
  add(packet, passage.start,
      DepartureStory{.port = wire->second,
                     .recirculates = wire->second >= chassis_.options().ports,
                     .arrival = passage.arrival,
                     .frame_bytes = packet.frame_bytes(),
                     .headers = headers_of(packet),
                     .bytes = bytes_of(packet)});
}

void StoryRecorder::dropped(const p4::Packet& packet, sim::Source where, sim::Time at, models::DropReason reason) {
  add(packet, at, DropStory{context_.event_log.name(where), std::string(to_string(reason))});
}

void StoryRecorder::digest_arrived(unsigned pipe, const p4::Digest& digest) {
  keep();
  auto& story = digests_.emplace_back();
  story.at = context_.calendar.now();
  story.pipe = pipe;
  story.name = digest.what->name;
  for (std::size_t i = 0; i < digest.values.size(); ++i) {
    const auto field = digest.what->fields[i];
    story.values.emplace_back(program_.info(field).name, text_of(field, digest.values[i]));
  }
}

void StoryRecorder::before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) {
  packet_ = &packet;
  begin_ = context_.calendar.now();
  pass_ = {.gress = p4::Gress::ingress,
           .pipe = chassis_.pipe_of(metadata.port),
           .port = metadata.port,
           .resubmitted = metadata.resubmitted};
  story_of(packet);
}

void StoryRecorder::after_ingress(const p4::Packet& packet, const p4::IngressMetadata&, const p4::Verdict& verdict) {
  end_pass(packet, outcome_of(verdict));
}

void StoryRecorder::before_egress(const p4::Packet& packet, const p4::EgressMetadata& metadata, sim::Time at) {
  packet_ = &packet;
  begin_ = at;
  pass_ = {.gress = p4::Gress::egress,
           .pipe = chassis_.pipe_of(metadata.port),
           .port = metadata.port,
           .rid = metadata.rid,
           .copy = copy_of(packet.mirror_kind)};
}

void StoryRecorder::after_egress(const p4::Packet& packet, const p4::EgressMetadata&, bool kept) {
  end_pass(packet, kept ? fmt::format("to the wire of port {}", pass_.port) : "dropped");
}

void StoryRecorder::end_pass(const p4::Packet& packet, std::string outcome) {
  pass_.outcome = std::move(outcome);
  add(packet, begin_, std::move(pass_));
}

void StoryRecorder::parsed(p4::Gress, std::size_t headers, bool rejected) {
  for (std::size_t i = 0; i < headers; ++i) pass_.parsed.emplace_back(packet_->layout(i).name);
  pass_.rejected = rejected;
}

void StoryRecorder::node_begins(const p4::ProgramNode& node) {
  node_ = &node;
  const auto* table = node.control->table;
  if (!table || !table->keys.empty() || !table->miss_action) return;
  auto& ran = step(StageStep::Type::action, table->name);
  ran.action = table->miss_action->name;
  ran.data = named_data(*table->miss_action, table->miss_values);
}

void StoryRecorder::decided(bool holds) {
  step(StageStep::Type::gateway, node_->name).yes = holds;
}

void StoryRecorder::looked_up(const p4::TableLookup& lookup) {
  if (lookup.table->keys.empty()) return;
  auto& found = step(StageStep::Type::lookup, lookup.table->name);
  found.yes = lookup.hit;
  for (std::size_t i = 0; i < lookup.key.size(); ++i) {
    const auto field = lookup.table->keys[i].field;
    found.values.emplace_back(program_.info(field).name, text_of(field, lookup.key[i]));
  }
  if (!lookup.action) return;
  found.action = lookup.action->name;
  found.data = named_data(*lookup.action, lookup.data);
}

void StoryRecorder::register_used(const p4::RegisterUse& use) {
  const auto& width = use.array->width;
  auto& access = step(StageStep::Type::access, use.array->name);
  if (use.action) access.action = use.action->name;
  access.index = use.index;
  access.before = register_text(width.bits, width.pair, use.before);
  access.after = register_text(width.bits, width.pair, use.after);
  if (use.output) access.output = register_text(width.bits, false, *use.output);
}

void StoryRecorder::metered(const p4::MeterUse& use) {
  auto& marking = step(StageStep::Type::meter, use.meter->name);
  marking.index = use.index;
  marking.before = name_of(use.before);
  marking.after = name_of(use.after);
}

void StoryRecorder::counted(const p4::CounterUse& use) {
  auto& counting = step(StageStep::Type::count, use.counter->name);
  counting.index = use.index;
  const auto unit = use.counter->unit;
  if (unit != p4::CounterUnit::bytes) counting.after = fmt::format("{} packets", use.after.packets);
  if (unit != p4::CounterUnit::packets) {
    counting.after += fmt::format("{}{} bytes", counting.after.empty() ? "" : ", ", use.after.bytes);
  }
}

void StoryRecorder::field_changed(p4::FieldRef field, std::optional<std::uint64_t> before,
                                  std::optional<std::uint64_t> after) {
  auto& change = step(StageStep::Type::change, program_.info(field).name);
  change.before = before ? text_of(field, *before) : "unset";
  change.after = after ? text_of(field, *after) : "unset";
}

StageStep& StoryRecorder::step(StageStep::Type type, std::string name) {
  keep();
  pass_.steps.push_back({.stage = stage_, .type = type, .name = std::move(name)});
  return pass_.steps.back();
}

std::string StoryRecorder::text_of(p4::FieldRef field, std::uint64_t value) const {
  const auto& info = program_.info(field);
  return value_text(info.name, info.bits, value);
}

std::string StoryRecorder::outcome_of(const p4::Verdict& verdict) const {
  if (verdict.resubmit) return fmt::format("resubmitted with {}", value_text("", 64, verdict.resubmit_data));
  if (verdict.dropped()) return "dropped";
  std::string text;
  const auto add_part = [&](std::string part) { text += (text.empty() ? "" : " and ") + std::move(part); };
  const auto port = verdict.ucast_port;
  if (port != p4::Verdict::kNone) add_part(fmt::format("to port {}", port));
  for (const auto group : {verdict.mcast_a, verdict.mcast_b}) {
    if (group != p4::Verdict::kNone) add_part(fmt::format("to multicast group {}", group));
  }
  if (verdict.l2_exclusion != p4::Verdict::kNone) {
    text += fmt::format(", without the ports of exclusion {}", verdict.l2_exclusion);
  }
  return text;
}

}  // namespace racksim::tools
