// ELF streamer that sees the symbols inside of bundles.
#pragma once
#include <memory>

namespace llvm {
class MCAsmBackend;
class MCCodeEmitter;
class MCContext;
class MCObjectWriter;
class MCStreamer;
class Triple;

MCStreamer* createDLNPUELFStreamer(const Triple& triple, MCContext& context,
                                   std::unique_ptr<MCAsmBackend>&& backend,
                                   std::unique_ptr<MCObjectWriter>&& writer,
                                   std::unique_ptr<MCCodeEmitter>&& emitter);
} // namespace llvm
