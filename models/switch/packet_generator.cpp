// Applications of the packet generator. See packet_generator.hpp.
#include "models/switch/packet_generator.hpp"

#include <fmt/core.h>

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
  if (!lane_) lane_ = context_.calendar.add_lane("switch/packet_generator");
  auto& running = running_.emplace_back();
  running.app = app;
  running.fired = app.first;
  context_.calendar.at<&PacketGenerator::send>(app.first, *lane_, *this, &running);
}

void PacketGenerator::send(Running* running) {
  const GeneratorApp& app = running->app;
  auto packet = context_.packets.make();
  packet->push(
      p4::GeneratedPacket{.pipe = app.pipe, .app = app.app, .batch = running->batch, .packet = running->packet});
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
  }
  sink_.receive(std::move(packet), first_port_ + app.pipe);
}

}  // namespace racksim::models
