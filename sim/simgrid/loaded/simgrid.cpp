// SimGrid with a resource model that asks the engine. See bridge.hpp, and engine.cpp for what SimGrid does to models.
#include <signal.h>

#include <simgrid/Exception.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>

#include "sim/kernel/sanitizer.hpp"
#include "sim/simgrid/bridge.hpp"

namespace racksim::sim {

namespace {

namespace sg = simgrid;

// The control actor's host. No server may have this name.
constexpr const char* kControlHost = "(engine)";

// AddressSanitizer takes the unwinding of a stack that it does not know for an overflow. Debian's SimGrid does not
// announce the stacks of its default contexts, and every actor that is killed unwinds one; those of threads are known.
//
// Starts SimGrid with arguments of its own: it would act on the program's --help, and takes SIGINT for itself. One that
// comes meanwhile waits for whoever the program has it handled by.
sg::s4u::Engine& start_simgrid() {
  std::vector<std::string> arguments = {"racksim", "--log=root.thresh:error", "--cfg=surf/precision:1e-13"};
  if (kUnderAddressSanitizer) arguments.emplace_back("--cfg=contexts/factory:thread");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  auto argc = static_cast<int>(arguments.size());
  sigset_t interrupt, mask;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, &mask);
  struct sigaction handling {};
  sigaction(SIGINT, nullptr, &handling);
  signal(SIGINT, SIG_DFL);
  sg::s4u::Engine* engine = sg::s4u::Engine::get_instance(&argc, argv.data());
  sigaction(SIGINT, &handling, nullptr);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  return *engine;
}

class Semaphore final : public SimGrid::Gate {
 public:
  void wait() override { semaphore_->acquire(); }
  void release() override { semaphore_->release(); }

 private:
  sg::s4u::SemaphorePtr semaphore_ = sg::s4u::Semaphore::create(0);
};

// SimGrid keeps the model until the process ends, so it must not touch what is driven once that has gone.
class Bridge final : public SimGrid, public sg::kernel::resource::Model {
 public:
  explicit Bridge(Driven& driven)
      : Model("racksim"),
        engine_(start_simgrid()),
        driven_(&driven),
        zone_(sg::s4u::create_full_zone("racksim")),
        control_host_(zone_->create_host(kControlHost, 1e9)),
        control_gate_(sg::s4u::Semaphore::create(0)) {}
  sg::s4u::Engine& engine() { return engine_; }

  bool next_occurring_event_is_idempotent() override { return false; }
  double next_occurring_event(double bound) override {
    return driven_ == nullptr ? -1.0 : driven_->run_for(sg::s4u::Engine::get_clock(), bound);
  }
  // The calendar has no actions for SimGrid to update.
  void update_actions_state(double, double) override {}

  std::unique_ptr<Gate> make_gate() override { return std::make_unique<Semaphore>(); }
  bool add_host(const std::string& name) override {
    if (sg::s4u::Host::by_name_or_null(name) != nullptr) return false;
    hosts_.push_back(zone_->create_host(name, 1e9));
    return true;
  }
  bool is_on(std::uint32_t host) const override { return hosts_.at(host)->is_on(); }
  void turn_on(std::uint32_t host) override { hosts_.at(host)->turn_on(); }
  void turn_off(std::uint32_t host) override { hosts_.at(host)->turn_off(); }

  void begin(double backstop) override {
    zone_->seal();
    sg::s4u::Actor::create("control", control_host_, [this, backstop] { control_gate_->acquire_timeout(backstop); });
  }
  void add_actor(const std::string& name, std::uint32_t host, std::function<void()> body, bool restarts) override;
  void run() override { engine_.run(); }
  void end() override { control_gate_->release(); }
  void let_go() override {
    driven_ = nullptr;
    control_gate_.reset();
  }

 private:
  sg::s4u::Engine& engine_;
  Driven* driven_;
  sg::s4u::NetZone* zone_;
  sg::s4u::Host* control_host_;
  sg::s4u::SemaphorePtr control_gate_;
  std::vector<sg::s4u::Host*> hosts_;
};

void Bridge::add_actor(const std::string& name, std::uint32_t host, std::function<void()> body, bool restarts) {
  auto live = [this, body = std::move(body)] {
    std::exception_ptr error;
    try {
      body();
    } catch (const sg::ForcefulKillException&) {
      throw;
    } catch (...) {
      error = std::current_exception();
    }
    // Outside the handler: ending the run switches contexts, which would mix up the actors' caught exceptions.
    if (error) driven_->fail(std::move(error));
  };
  auto actor = sg::s4u::Actor::create(name, hosts_.at(host), std::move(live));
  // In this order: a restart copies what has been set before.
  actor->daemonize();
  if (restarts) actor->set_auto_restart(true);
}

}  // namespace

extern "C" SimGrid* racksim_simgrid(Driven& driven) {
  if (sg::s4u::Engine::has_instance()) return nullptr;
  const auto bridge = std::make_shared<Bridge>(driven);
  bridge->engine().add_model(bridge);
  return bridge.get();
}

}  // namespace racksim::sim
