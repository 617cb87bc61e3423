#include "sim/memory/gm_port.h"

#include <stdexcept>

namespace dlsim::sim {

// ---- GmPort
// ------------------------------------------------------------------------------------------------

struct GmPort::Burst {
  Burst() { payload.set_extension(&extension); }
  ~Burst() { payload.clear_extension(&extension); } // the extension is a member: the payload must not free it

  tlm::tlm_generic_payload payload;
  GmExtension extension;
};

GmPort::GmPort(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
  socket.register_nb_transport_bw(this, &GmPort::backward);
}
GmPort::~GmPort() = default;

void GmPort::start(GmTransfer& transfer) {
  if (free_.empty()) {
    bursts_.push_back(std::make_unique<Burst>());
    free_.push_back(bursts_.back().get());
  }
  Burst& burst = *free_.back();
  free_.pop_back();
  burst.extension.transfer = &transfer;
  burst.payload.set_command(transfer.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  burst.payload.set_address(transfer.address);
  burst.payload.set_data_length(static_cast<unsigned>(transfer.totalBytes()));
  burst.payload.set_streaming_width(static_cast<unsigned>(transfer.length));
  burst.payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_fw(burst.payload, phase, delay);
}

tlm::tlm_sync_enum GmPort::backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                    sc_core::sc_time&) {
  GmExtension* extension = payload.get_extension<GmExtension>();
  GmTransfer& transfer = *extension->transfer;
  // issued() and done() are told the calendar's time, which may run ahead of sc_time_stamp() within a
  // quantum; the memory side has put it into the transfer.
  if (phase == tlm::END_REQ) {
    transfer.issued(transfer.answered);
    return tlm::TLM_ACCEPTED;
  }
  for (const auto& burst : bursts_)
    if (&burst->payload == &payload)
      free_.push_back(burst.get());
  transfer.done(transfer.answered);
  return tlm::TLM_COMPLETED;
}

// ---- MemoryModule
// ------------------------------------------------------------------------------------------

/// The memory side's own transfer for a burst; answers become phases.
struct MemoryModule::Inbound final : GmTransfer {
  explicit Inbound(MemoryModule& module) : module(module) {}
  void issued(Cycle now) override {
    outer->firstIssue = firstIssue;
    outer->answered = now;
    module.answer(*this, tlm::END_REQ);
  }
  void done(Cycle now) override {
    outer->firstIssue = firstIssue;
    outer->started = started;
    outer->requests = requests;
    outer->requestBytes = requestBytes;
    outer->answered = now;
    payload->set_response_status(tlm::TLM_OK_RESPONSE);
    module.free_.push_back(this);
    module.answer(*this, tlm::BEGIN_RESP);
  }

  MemoryModule& module;
  GmTransfer* outer = nullptr;
  tlm::tlm_generic_payload* payload = nullptr;
  int port = 0;
};

MemoryModule::MemoryModule(const sc_core::sc_module_name& name, const ChipSpec& chip, Calendar& calendar)
    : sc_module(name), socket("socket"), memory_(chip, calendar) {
  socket.register_nb_transport_fw(this, &MemoryModule::forward);
}
MemoryModule::~MemoryModule() = default;

tlm::tlm_sync_enum MemoryModule::forward(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time&) {
  const GmExtension* extension = payload.get_extension<GmExtension>();
  if (phase != tlm::BEGIN_REQ || !extension || !extension->transfer)
    throw std::logic_error(
        "memory module: a request needs phase BEGIN_REQ and a GmExtension with a transfer");
  if (free_.empty()) {
    inbounds_.push_back(std::make_unique<Inbound>(*this));
    free_.push_back(inbounds_.back().get());
  }
  Inbound& inbound = *free_.back();
  free_.pop_back();
  inbound.copyRequest(*extension->transfer);
  inbound.outer = extension->transfer;
  inbound.payload = &payload;
  inbound.port = port;
  memory_.start(inbound);
  return tlm::TLM_ACCEPTED;
}

void MemoryModule::answer(Inbound& inbound, const tlm::tlm_phase& phase) {
  tlm::tlm_phase sent = phase;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket[inbound.port]->nb_transport_bw(*inbound.payload, sent, delay);
}

} // namespace dlsim::sim
