#include "sim/core/core.h"

#include "sim/core/fix_unit.h"
#include "sim/core/footprints.h"

#include <algorithm>
#include <cctype>

namespace dlsim::core {

namespace {

std::string coreName(const sim::CoreKindSpec& kind, unsigned index) {
  std::string name = kind.name;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name + std::to_string(index);
}

uint64_t scopeBytes(const sim::CoreKindSpec& kind, Space space) {
  const sim::ScopeSpec* scope = kind.scope(spaceKey(space));
  return scope ? scope->bytes : 0;
}

} // namespace

Core::Core(Environment& env, const CoreId& id, const sim::CoreKindSpec& kind)
    : env_(env), id_(id), kind_(kind), name_(coreName(kind, id.index)),
      flags_(env.chip.sync.flagIds, env.chip.sync.flagMax), unit_flags_(scopeBytes(kind, Space::L0C)) {
  for (unsigned s = 0; s < kSpaces; ++s) {
    const auto space = static_cast<Space>(s);
    const sim::ScopeSpec* scope = kind.scope(spaceKey(space));
    if (!scope || space == Space::GM)
      continue;
    space_bytes_[s] = scope->bytes;
    space_align_[s] = std::max(1u, scope->align);
    state_.memory(space).assign(scope->bytes, 0);
  }
  for (unsigned u = 1; u < kUnits; ++u)
    if (kind.hasUnit(unitText(static_cast<Unit>(u))))
      units_[u] = makeUnit(*this, static_cast<Unit>(u));
  sequencer_ = std::make_unique<Sequencer>(*this);
}

Core::~Core() = default;

void Core::begin(const Program& program, uint32_t entry_offset, const SpecialRegisters& registers,
                 uint64_t stack_base, uint64_t stack_end, Cycle at) {
  flags_.reset();
  unit_flags_.reset();
  ub_poison_.clear();
  state_.lanes = {};
  sequencer_->begin(program, entry_offset, registers, stack_base, stack_end, at);
}

bool Core::drained() const {
  return std::all_of(units_.begin(), units_.end(), [](const auto& unit) { return !unit || unit->idle(); });
}

void Core::setFlag(Unit source, Unit target, unsigned id, uint32_t pc, Cycle now, Cycle position) {
  const Cycle visible = now + chip().sync.setFlagCycles;
  if (!flags_.set(source, target, id, visible))
    throw FaultError(fault(FaultKind::FlagOverflow, source, pc,
                           std::string("flag ") + unitText(source) + " -> " + unitText(target) + ", id " +
                               std::to_string(id) + " already holds " + std::to_string(flags_.most()) +
                               " tokens: more sets than waits"));
  env_.observers.flag({id_, source, target, static_cast<uint8_t>(id), true, false, pc, now, position});
  if (target == Unit::S)
    return sequencer_->flagSet(source, id, visible);
  UnitEngine* unit = units_[static_cast<size_t>(target)].get();
  if (!unit)
    throw FaultError(fault(FaultKind::BadOperand, source, pc,
                           std::string("set_flag for ") + unitText(target) + ", which a core of kind " +
                               kind_.name + " does not have"));
  const QueueEntry* head = unit->blockedOn();
  if (head && head->what == WordClass::WaitFlag && head->peer == source && head->id == id)
    unit->wake(visible);
}

void Core::crossSet(Unit unit, unsigned mode, unsigned id, uint32_t pc, Cycle now) {
  if (mode > 2)
    throw FaultError(fault(FaultKind::BadOperand, unit, pc, "cross-core flag mode 3 does not exist"));
  env_.observers.flag(
      {id_, unit, unit, static_cast<uint8_t>(id), true, true, pc, now, now, static_cast<uint8_t>(mode)});
  if (env_.cross.set(id_, mode, id, now) == CrossFlags::Result::Overflow)
    throw FaultError(fault(FaultKind::FlagOverflow, unit, pc,
                           "cross-core flag " + std::to_string(id) + " already holds " +
                               std::to_string(env_.cross.most()) + " tokens: more sets than waits"));
}

void Core::crossFlagSet(unsigned id, Cycle visible) {
  sequencer_->crossFlagSet(id, visible);
  for (const auto& unit : units_) {
    const QueueEntry* head = unit ? unit->blockedOn() : nullptr;
    if (head && head->what == WordClass::CrossWait && head->id == id)
      unit->wake(visible);
  }
}

void Core::unitFlagsSet(Cycle now) {
  if (auto* fix = static_cast<FixUnit*>(unit(Unit::FIX)))
    fix->flagsSet(now);
}

uint64_t Core::storeReading(const L0CTile& tile) {
  const auto* fix = static_cast<FixUnit*>(unit(Unit::FIX));
  return fix ? fix->reading(tile) : 0;
}

void Core::moveStore(uint64_t number) { static_cast<FixUnit*>(unit(Unit::FIX))->moveValues(number); }

void Core::queueShrank(Unit u, Cycle now) { sequencer_->queueShrank(u, now); }

void Core::unitIdle(Cycle now) {
  if (drained())
    sequencer_->unitsIdle(now);
}

Fault Core::fault(FaultKind kind, Unit unit, uint32_t pc, std::string detail) const {
  Fault fault;
  fault.kind = kind;
  fault.core = id_;
  fault.core_name = name_;
  fault.unit = unit;
  fault.pc = pc;
  fault.source = env_.host.sourceLine(id_.kind, pc);
  fault.cycle = env_.calendar.now();
  fault.detail = std::move(detail);
  return fault;
}

void Core::check(const Command& command, Unit unit, const Footprints& footprints) const {
  const auto raise = [&](FaultKind kind, const Footprint& fp, uint64_t address, std::string detail) {
    Fault f = fault(kind, unit, command.pc, std::move(detail));
    f.command = isa::info(command.op).mnemonic;
    f.space = fp.space;
    f.address = address;
    throw FaultError(f);
  };
  for (const Footprint& fp : footprints) {
    if (fp.empty())
      continue;
    const uint64_t low = fp.lowest(), end = fp.end();
    if (fp.space == Space::GM) {
      if (end >= low && env_.memory.mapped(low, end - low))
        continue;
      for (uint32_t i = 0; i < fp.count0; ++i) { // rows may lie in several regions
        const uint64_t at = fp.address + static_cast<uint64_t>(fp.stride0) * i;
        if (!env_.memory.mapped(at, fp.bytes))
          raise(FaultKind::UnmappedMemory, fp, at,
                "row " + std::to_string(i) + " of " + std::to_string(fp.count0) + ": " +
                    env_.memory.describe(at, fp.bytes));
      }
      continue;
    }
    const uint64_t size = space_bytes_[static_cast<size_t>(fp.space)];
    if (end > size || low > end)
      raise(FaultKind::OutOfRange, fp, fp.address,
            std::string(fp.write ? "writes" : "reads") + " up to byte " + std::to_string(end) + " of " +
                spaceName(fp.space) + ", which has " + std::to_string(size));
  }
  const isa::InstrInfo& info = isa::info(command.op);
  for (unsigned i = 0; i < info.numRegs; ++i) {
    const isa::RegOperand& operand = info.regs[i];
    if (operand.role != isa::RoleKind::Dst && operand.role != isa::RoleKind::Src)
      continue;
    Footprint fp;
    fp.space = spaceOf(operand.scope);
    const bool used = std::any_of(footprints.begin(), footprints.end(), [&](const Footprint& f) {
      return f.space == fp.space && f.address == command.r[i] && !f.empty();
    });
    if (fp.space != Space::GM && used && command.r[i] % space_align_[static_cast<size_t>(fp.space)])
      raise(FaultKind::Misaligned, fp, command.r[i],
            std::string(spaceName(fp.space)) + " addresses are multiples of " +
                std::to_string(space_align_[static_cast<size_t>(fp.space)]));
  }
}

Footprint Core::gatherSource(const Command& command) const {
  return env_.execute && !env_.poison ? core::gatherSource(command, state_) : Footprint();
}

void Core::execute(const Command& command, Unit unit, const Footprints& footprints) {
  const bool lane_state = command.op == isa::Opcode::V_MASK || command.op == isa::Opcode::V_COUNT;
  if (!env_.poison || lane_state) {
    if (!env_.execute)
      return;
    try {
      env_.execute(command, state_, env_.memory);
    } catch (const sim::MemoryFault& e) {
      Fault f = fault(FaultKind::UnmappedMemory, unit, command.pc, e.what());
      f.command = isa::info(command.op).mnemonic;
      f.address = e.address;
      throw FaultError(f);
    } catch (const FaultError& e) { // from the values: knows the access, not who made it
      Fault f = fault(e.fault.kind, unit, command.pc, e.fault.detail);
      f.command = isa::info(command.op).mnemonic;
      f.space = e.fault.space;
      f.address = e.fault.address;
      throw FaultError(f);
    } catch (const std::runtime_error& e) {
      Fault f = fault(FaultKind::BadOperand, unit, command.pc, e.what());
      f.command = isa::info(command.op).mnemonic;
      throw FaultError(f);
    }
    return;
  }
  for (const Footprint& fp : footprints)
    if (fp.write && fp.space == Space::GM)
      env_.poison->markFootprint(fp);
    else if (fp.write && fp.space == Space::UB)
      ub_poison_.markFootprint(fp);
}

std::string Core::describeWaits() const {
  std::string out;
  const auto line = [&](const std::string& what, uint32_t pc) {
    const std::string source = env_.host.sourceLine(id_.kind, pc);
    out += name_ + ": " + what + (source.empty() ? "" : ", at " + source) + "\n";
  };
  if (const std::string wait = sequencer_->describeWait(); !wait.empty())
    line(wait, sequencer_->pc());
  for (unsigned u = 0; u < kUnits; ++u) {
    const QueueEntry* head = units_[u] ? units_[u]->blockedOn() : nullptr;
    const std::string inside = units_[u] ? units_[u]->describeFlight() : std::string();
    if (!inside.empty())
      line(inside, units_[u]->flights().back().entry.command.pc);
    if (!head)
      continue;
    const std::string name = unitText(static_cast<Unit>(u));
    if (head->what == WordClass::WaitFlag)
      line(name + " waits for flag " + unitText(head->peer) + " -> " + name + ", id " +
               std::to_string(head->id),
           head->command.pc);
    else if (head->what == WordClass::CrossWait)
      line(name + " waits for cross-core flag " + std::to_string(head->id), head->command.pc);
    else if (head->what == WordClass::Command && static_cast<Unit>(u) == Unit::M)
      line(name + " waits for unit flags of L0C that no fix.copy clears", head->command.pc);
  }
  return out;
}

} // namespace dlsim::core
