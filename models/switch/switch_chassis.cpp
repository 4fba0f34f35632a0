// Wiring the parts of the switch. See switch_chassis.hpp.
#include "models/switch/switch_chassis.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "models/switch/idle_passes.hpp"

namespace racksim::models {

SwitchChassis::SwitchChassis(RackContext& context, const SwitchOptions& options, SwitchName name)
    : context_(context),
      options_(options),
      name_(std::move(name)),
      sources_(context.event_log, name_),
      counters_{context.metrics, name_.text},
      timing_(options_),
      ports_(options_),
      wires_down_(options_.ports),
      power_(context, sources_.power),
      stepped_(context.calendar, timing_, name_),
      digests_(context, options_),
      generator_(context, *this, ports_.recirculation_port(0)),
      parts_{.name = name_,
             .context = context,
             .options = options_,
             .timing = timing_,
             .ports = ports_,
             .power = power_,
             .stepped = stepped_,
             .counters = counters_,
             .digests = digests_,
             .observers = observers_},
      egress_(parts_, sources_.traffic_manager),
      idle_(std::make_unique<IdlePasses>(parts_, egress_)) {
  for (unsigned number = 0; number < ports_.pipes(); ++number) {
    auto& pipe = *pipes_.emplace_back(std::make_unique<SwitchPipe>(parts_, egress_, number));
    egress_.add_pipe(pipe.state());
    ports_.add_loopback(context, name_, *this);
    idle_->add_pipe(pipe);
  }
}

SwitchChassis::~SwitchChassis() = default;

void SwitchChassis::load(std::shared_ptr<const p4::Program> program) {
  if (packets_held() != 0) throw std::logic_error("a program cannot be loaded while packets are in the switch");
  if (ports_.size() > program->no_port()) {
    throw p4::ProgramError(
        fmt::format("program '{}' names at most {} ports, by {} bits; the switch has {}, with those of "
                    "recirculation and control CPU",
                    program->name(), program->no_port(), program->port_bits(), ports_.size()));
  }
  program_ = std::make_shared<const p4::LoadedProgram>(std::move(program), options_.pipe);
  boot();
}

void SwitchChassis::boot() {
  power_.count_boot();
  for (auto& pipe : pipes_) {
    pipe->state().boot(program_);
    if (options_.passes == PassMode::interpreted) pipe->state().pipeline().interpret();
  }
  const p4::Pipeline& pipeline = pipes_.front()->state().pipeline();
  timing_.use(pipeline);
  egress_.use(pipeline);
  idle_->use();
}

void SwitchChassis::start_generator(const GeneratorApp& app) {
  // What it looks at must be events.
  if (app.trigger == GeneratorApp::Trigger::recirculation) idle_->look_at_all();
  generator_.start(app);
}

void SwitchChassis::carrier_changed(unsigned port, bool up) {
  if (!ports_.is_front(port)) return;
  if (up) {
    --wires_down_[port];
  } else if (wires_down_[port]++ == 0) {
    generator_.port_went_down(pipe_of(port), port);
  }
}

void SwitchChassis::receive(p4::PacketRef&& packet, unsigned port) {
  if (generator_.looks_at_recirculation() && ports_.recirculates(port)) [[unlikely]]
    generator_.came_round(pipe_of(port), *packet);
  pipes_[ports_.pipe_of(port)]->receive(std::move(packet), port);
}

void SwitchChassis::access(unsigned pipe, SlotAccess& access) {
  ++counters_.control_slots.value;
  pipes_.at(pipe)->access(access);
}

void SwitchChassis::add_pass_observer(PassObserver& observer) {
  idle_->materialize();  // what it may want to see must be events
  observers_.push_back(&observer);
}

void SwitchChassis::settle() {
  idle_->settle();
  stepped_.finish();
}

std::uint64_t SwitchChassis::events_skipped() const {
  return idle_->events();
}

const TrafficManager& SwitchChassis::traffic_manager() {
  settle();
  idle_->materialize();
  return egress_.traffic_manager();
}

void SwitchChassis::announce_power_loss(sim::Time from) {
  idle_->materialize();  // what is lost then must be events
  power_.announce(from);
}

void SwitchChassis::power_off() {
  for (auto& pipe : pipes_) pipe->power_off();
  ports_.set_loopbacks_up(false);
}

void SwitchChassis::power_on(sim::Time from, const std::function<void()>& configure) {
  power_.withdraw(from);
  ports_.set_loopbacks_up(true);
  if (context_.calendar.now() >= power_.off_from()) return;
  boot();
  egress_.forget();
  configure();
  for (const auto& [pipe, access] : power_.take_held()) pipes_[pipe]->access(*access);
}

void SwitchChassis::set_recirculation_up(unsigned pipe, bool up) {
  idle_->set_recirculation_up(up);
  ports_.loopback(pipe).set_up(up);
}

void SwitchChassis::set_pipe_up(unsigned pipe, bool up) {
  idle_->set_recirculation_up(up);
  ports_.set_pipe_up(pipe, up);
  pipes_.at(pipe)->set_up(up);
}

void SwitchChassis::shuffle_resubmits(unsigned pipe, sim::Duration most) {
  pipes_.at(pipe)->shuffle_resubmits(most);
}

std::uint64_t SwitchChassis::packets_held() const {
  std::uint64_t held = egress_.held().all() + ports_.in_loopbacks() + idle_->packets();
  for (const auto& pipe : pipes_) held += pipe->held().all();
  return held;
}

std::uint64_t SwitchChassis::packets_circulating() const {
  std::uint64_t circulating = egress_.held().circulating() + ports_.in_loopbacks() + idle_->packets();
  for (const auto& pipe : pipes_) circulating += pipe->held().circulating();
  return circulating;
}

sim::CellBalance SwitchChassis::buffer_balance() const {
  auto balance = egress_.traffic_manager().buffer_balance(context_.calendar.now());
  balance.of_packets += idle_->cells();
  return balance;
}

sim::CellBalance SwitchChassis::queue_balance() const {
  auto balance = egress_.traffic_manager().queue_balance(context_.calendar.now());
  balance.of_packets += idle_->cells();
  return balance;
}

}  // namespace racksim::models
