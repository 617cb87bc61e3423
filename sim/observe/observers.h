// The observers of a run, called in the order of subscription.
#pragma once

#include "sim/observe/observer.h"

#include <vector>

namespace dlsim::observe {

class Observers {
public:
  void add(Observer& observer) { list_.push_back(&observer); }
  void remove(Observer& observer) {
    for (auto it = list_.begin(); it != list_.end(); ++it)
      if (*it == &observer) {
        list_.erase(it);
        return;
      }
  }
  bool any() const { return !list_.empty(); }

  void command(const CommandEffect& e) const {
    for (Observer* o : list_)
      o->command(e);
  }
  void stall(const StallRecord& r) const {
    if (r.end > r.begin)
      for (Observer* o : list_)
        o->stall(r);
  }
  void wait(const WaitRecord& r) const {
    if (r.end > r.begin)
      for (Observer* o : list_)
        o->wait(r);
  }
  void flag(const FlagRecord& r) const {
    for (Observer* o : list_)
      o->flag(r);
  }
  void bundle(const BundleRecord& r) const {
    for (Observer* o : list_)
      o->bundle(r);
  }
  void barrier(const BarrierRecord& r) const {
    for (Observer* o : list_)
      o->barrier(r);
  }
  void access(const ScalarAccess& r) const {
    for (Observer* o : list_)
      o->access(r);
  }
  void print(const PrintRecord& r) const {
    for (Observer* o : list_)
      o->print(r);
  }

private:
  std::vector<Observer*> list_;
};

} // namespace dlsim::observe
