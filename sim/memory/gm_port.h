// The TLM-2.0 seam between units and the memory system: sockets carry whole bursts, one payload a GmTransfer;
// lines are resolved behind the socket, where no order is decided by SystemC.
//
//   unit --GmPort.socket--> MemoryModule.socket --> MemorySystem
//   BEGIN_REQ   the burst is handed over           END_REQ    its last request has left the engine (issued)
//   BEGIN_RESP  all of it is done (done)           the port answers TLM_COMPLETED
#pragma once

#include "sim/memory/memory_system.h"

#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <memory>
#include <vector>

namespace dlsim::sim {

/// Carries the transfer inside a generic payload.
class GmExtension : public tlm::tlm_extension<GmExtension> {
public:
  GmTransfer* transfer = nullptr;

  tlm::tlm_extension_base* clone() const override { return new GmExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    transfer = static_cast<const GmExtension&>(other).transfer;
  }
};

/// Initiator side, one for a core or for a unit. Payloads are pooled.
class GmPort : public sc_core::sc_module {
public:
  explicit GmPort(const sc_core::sc_module_name& name);
  ~GmPort() override;

  tlm_utils::simple_initiator_socket<GmPort> socket;

  /// Sends a transfer; its issued() and done() are called as with MemorySystem::start.
  void start(GmTransfer& transfer);

private:
  struct Burst;
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);

  std::vector<std::unique_ptr<Burst>> bursts_; // all
  std::vector<Burst*> free_;
};

/// Target side: any number of ports may be bound to its socket.
class MemoryModule : public sc_core::sc_module {
public:
  MemoryModule(const sc_core::sc_module_name& name, const ChipSpec& chip, Calendar& calendar);
  ~MemoryModule() override;

  tlm_utils::multi_passthrough_target_socket<MemoryModule> socket;
  MemorySystem& memory() { return memory_; }
  const MemorySystem& memory() const { return memory_; }

private:
  struct Inbound;
  tlm::tlm_sync_enum forward(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  void answer(Inbound& inbound, const tlm::tlm_phase& phase);

  MemorySystem memory_;
  std::vector<std::unique_ptr<Inbound>> inbounds_;
  std::vector<Inbound*> free_;
};

} // namespace dlsim::sim
