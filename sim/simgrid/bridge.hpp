// What the engine (engine.hpp) and SimGrid say to each other. SimGrid and the libraries that it needs take several times
// as long to load as most commands take. So only the sources in loaded/ see SimGrid: they are a module of their own, which
// is loaded when a run begins, and whose face this is.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace racksim::sim {

/// What SimGrid drives.
class Driven {
 public:
  /// Goes on for at most `bound` seconds, where SimGrid's clock shows `clock`. Returns the seconds after which SimGrid has
  /// something to do: `bound`, or fewer when an actor can run or a host was switched.
  virtual double run_for(double clock, double bound) = 0;
  /// An actor's body threw `error`.
  virtual void fail(std::exception_ptr error) = 0;

 protected:
  ~Driven() = default;
};

/// SimGrid as the engine sees it: a run's hosts, by number from 0, and their actors. It lives until the process ends.
class SimGrid {
 public:
  /// What an actor waits at, for one release.
  class Gate {
   public:
    virtual ~Gate() = default;
    virtual void wait() = 0;
    virtual void release() = 0;
  };

  virtual std::unique_ptr<Gate> make_gate() = 0;
  /// False if a host has this name already.
  virtual bool add_host(const std::string& name) = 0;
  virtual bool is_on(std::uint32_t host) const = 0;
  virtual void turn_on(std::uint32_t host) = 0;
  virtual void turn_off(std::uint32_t host) = 0;
  /// Ends the adding of hosts. SimGrid is told to end the run after `backstop` seconds, unless `end` comes before.
  virtual void begin(double backstop) = 0;
  /// Adds an actor, after `begin`. `restarts`: with its host.
  virtual void add_actor(const std::string& name, std::uint32_t host, std::function<void()> body, bool restarts) = 0;
  virtual void run() = 0;
  virtual void end() = 0;
  /// What is driven goes away: SimGrid itself stays.
  virtual void let_go() = 0;

 protected:
  ~SimGrid() = default;
};

/// The module's function `racksim_simgrid`: starts SimGrid. A process can have it once: null the second time.
using StartSimGrid = SimGrid*(Driven&);

}  // namespace racksim::sim
