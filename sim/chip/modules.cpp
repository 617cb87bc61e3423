#include "sim/chip/modules.h"

namespace dlsim::chip {

ClusterModule::ClusterModule(const sc_core::sc_module_name& name, const sim::ChipSpec& chip)
    : sc_module(name) {
  for (const sim::CoreKindSpec& kind : chip.kinds) {
    cores.emplace_back();
    for (unsigned sub = 0; sub < kind.perCluster; ++sub)
      cores.back().push_back(std::make_unique<CoreModule>((kind.name + std::to_string(sub)).c_str()));
  }
}

ChipModule::ChipModule(const sc_core::sc_module_name& name, const sim::ChipSpec& chip,
                       sim::Calendar& calendar, sim::Cycle quantum)
    : sc_module(name), host_("calendar", calendar, quantum), memory_("memory", chip, calendar),
      ports_(chip.cores()) {
  for (unsigned c = 0; c < chip.clusters; ++c)
    clusters_.push_back(std::make_unique<ClusterModule>(("cluster" + std::to_string(c)).c_str(), chip));
  for (size_t k = 0; k < chip.kinds.size(); ++k)
    for (unsigned c = 0; c < chip.clusters; ++c)
      for (unsigned sub = 0; sub < chip.kinds[k].perCluster; ++sub) {
        sim::GmPort& port = clusters_[c]->cores[k][sub]->gm;
        port.socket.bind(memory_.socket);
        ports_[chip.coreIndex(chip.kinds[k].name, c * chip.kinds[k].perCluster + sub)] = &port;
      }
}

} // namespace dlsim::chip
