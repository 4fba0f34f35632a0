// Applications of the packet generator. See packet_generator.hpp.
#include "models/switch/packet_generator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "models/packets/addressing.hpp"
#include "p4model/language/generated_packet.hpp"

namespace racksim::models {

namespace {

/// Whose packets they are, by their serials; no server has this number.
constexpr NodeId kGeneratorNode = 0xfffc;
constexpr std::uint64_t kMostCount = 65'536;

/// A packet's first bits as they come off the wire; what is behind its headers counts as zeros.
std::uint32_t first_32_bits(const p4::Packet& packet) {
  std::uint64_t bits = 0;
  unsigned missing = 32;
  for (std::size_t h = 0; h < packet.header_count() && missing > 0; ++h) {
    const auto& layout = packet.layout(h);
    for (std::size_t f = 0; f < layout.count && missing > 0; ++f) {
      const unsigned width = layout.fields[f].bits, taken = std::min(width, missing);
      bits = bits << taken | (packet.word(h, f) & p4::mask_of(width)) >> (width - taken);
      missing -= taken;
    }
  }
  return static_cast<std::uint32_t>(bits << missing);
}

}  // namespace

void PacketGenerator::start(const GeneratorApp& app) {
  const auto refuse = [&](const std::string& what) {
    throw std::runtime_error(fmt::format("generator application {}: {}", app.app, what));
  };
  if (app.app >= GeneratorApp::kMostApps) refuse(fmt::format("0 to {} are possible", GeneratorApp::kMostApps - 1));
  for (const auto count : {app.batches, app.packets}) {
    if (count == 0 || count > kMostCount)
      refuse(fmt::format("{} batches or packets, 1 to {} are possible", count, kMostCount));
  }
  const auto of_batch = app.packet_gap * static_cast<std::int64_t>(app.packets - 1);
  const auto in_all = app.batch_gap * static_cast<std::int64_t>(app.batches - 1) + of_batch;
  if (app.batches > 1 && app.batch_gap < of_batch) refuse("a batch begins before the one before it has ended");
  if (app.period && (*app.period <= in_all || app.period->ps() == 0))
    refuse("it fires again before its packets are sent");
  if (app.trigger != GeneratorApp::Trigger::time && app.period) refuse("it fires by its trigger, and has no period");
  if (app.match & ~app.mask)
    refuse(fmt::format("the match {:#x} has bits that its mask {:#x} leaves out", app.match, app.mask));
  if (!lane_) lane_ = context_.calendar.add_lane("switch/packet_generator");
  auto& running = running_.emplace_back();
  running.app = app;
  looks_ = looks_ || app.trigger == GeneratorApp::Trigger::recirculation;
  if (app.trigger == GeneratorApp::Trigger::time) fire(running, 0, app.first);
}

void PacketGenerator::fire(Running& running, std::uint32_t key, sim::Time when) {
  running.busy = true;
  running.key = key;
  running.fired = when;
  running.batch = running.packet = 0;
  context_.calendar.at<&PacketGenerator::send>(when, *lane_, *this, &running);
}

void PacketGenerator::port_went_down(unsigned pipe, unsigned port) {
  for (auto& running : running_) {
    if (running.app.trigger != GeneratorApp::Trigger::port_down || running.app.pipe != pipe) continue;
    if (!running.busy) {
      fire(running, port, context_.calendar.now());
    } else if (std::find(running.waiting.begin(), running.waiting.end(), port) == running.waiting.end()) {
      running.waiting.push_back(port);
    }
  }
}

void PacketGenerator::came_round(unsigned pipe, const p4::Packet& packet) {
  if (sending_) return;
  const std::uint32_t bits = first_32_bits(packet);
  for (auto& running : running_) {
    const auto& app = running.app;
    if (app.trigger != GeneratorApp::Trigger::recirculation || app.pipe != pipe || running.busy) continue;
    if ((bits & app.mask) == app.match) fire(running, bits & 0xff'ffff, context_.calendar.now());
  }
}

void PacketGenerator::end(Running& running) {
  running.busy = false;
  if (running.waiting.empty()) return;
  const auto port = running.waiting.front();
  running.waiting.pop_front();
  fire(running, port, context_.calendar.now() + running.app.packet_gap);
}

void PacketGenerator::send(Running* running) {
  const GeneratorApp& app = running->app;
  auto packet = context_.packets.make();
  const bool timed = app.trigger == GeneratorApp::Trigger::time;
  packet->push(p4::GeneratedPacket{.pipe = app.pipe,
                                   .app = app.app,
                                   .key_msb = running->key >> 16,
                                   .batch = timed ? running->batch : running->key & 0xffff,
                                   .packet = running->packet});
  for (std::size_t h = 0; h < app.packet->header_count(); ++h) {
    std::array<std::uint64_t, p4::HeaderLayout::kMaxFields> words{};
    app.packet->read_words(h, words.data());
    packet->push_words(app.packet->layout(h), words.data());
  }
  packet->payload_bytes = app.packet->payload_bytes;
  packet->content = app.packet->content;
  packet->serial = packet_serial(kGeneratorNode, ++serial_);
  context_.accounting.create();
  if (++running->packet == app.packets) {
    running->packet = 0;
    if (++running->batch == app.batches) {
      running->batch = 0;
      if (app.period) running->fired = running->fired + *app.period;
    }
  }
  const bool fires_again = running->batch != 0 || running->packet != 0 || app.period;
  if (fires_again) {
    const auto next = running->fired + app.batch_gap * static_cast<std::int64_t>(running->batch) +
                      app.packet_gap * static_cast<std::int64_t>(running->packet);
    context_.calendar.at<&PacketGenerator::send>(next, *lane_, *this, running);
  } else {
    end(*running);
  }
  sending_ = true;
  sink_.receive(std::move(packet), first_port_ + app.pipe);
  sending_ = false;
}

}  // namespace racksim::models
