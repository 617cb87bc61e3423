"""The instructions of the TableGen JSON dump as Python objects, checked."""
from dataclasses import dataclass, field

REG_HIGH_BITS = [53, 48, 43, 38, 33, 28]
SLOTS = ["S0", "S1", "SlotMTE1", "SlotMTE2", "SlotMTE3", "SlotFIX", "SlotM", "SlotV"]
SCOPES = {"gm": "GM", "l1": "L1", "l0a": "L0A", "l0b": "L0B", "l0c": "L0C", "ub": "UB", "bt": "BT", "fb": "FB"}
ROLES = {"def": "Def", "use": "Use", "defuse": "DefUse", "dst": "Dst", "src": "Src", "cfg": "Cfg", "val": "Val"}
SYNC = [("set_flag.", "SetFlag"), ("wait_flag.", "WaitFlag"), ("set_flagr.", "SetFlag"), ("wait_flagr.", "WaitFlag"),
        ("xset.", "CrossSet"), ("xwait.", "CrossWait"), ("barrier.all", "BarrierAll"), ("barrier.", "Barrier")]
IMM_KINDS = {"simm24": "S24", "uimm24": "U24", "simm32": "S32", "uimm32": "U32", "brtarget": "Branch",
             "calltarget": "Branch", "flagpeer": "Flag", "uimm3": "Flag"}


class ModelError(Exception):
    pass


@dataclass
class Field:
    name: str
    low: int
    width: int


@dataclass
class Operand:
    index: int
    name: str
    kind: str
    scope: str = ""
    fields: list = field(default_factory=list)

    @property
    def role_enum(self):
        return ROLES[self.kind]

    @property
    def scope_enum(self):
        return SCOPES.get(self.scope, "None")


def parse_role(instr_name, index, reg_name, role):
    kind, _, rest = role.partition(":")
    operand = Operand(index, reg_name, kind)
    if kind not in ROLES:
        raise ModelError(f"{instr_name}: role '{role}' is none of {', '.join(ROLES)}")
    if kind in ("dst", "src"):
        if rest not in SCOPES:
            raise ModelError(f"{instr_name}: role '{role}' names no scope; use one of {', '.join(SCOPES)}")
        operand.scope = rest
    elif kind == "cfg":
        low = 0
        for part in rest.split(","):
            name, _, width = part.partition("/")
            operand.fields.append(Field(name, low, int(width or 64)))
            low += int(width or 64)
        if low > 64:
            raise ModelError(f"{instr_name}: configuration word '{role}' is {low} bits wide, 64 at most")
    elif rest:
        raise ModelError(f"{instr_name}: role '{role}' takes no argument")
    return operand


class Instr:
    """One instruction; the attributes are what isa/tables/tables.h calls InstrInfo."""

    def __init__(self, record, dump, units):
        self.name = record["!name"]
        self.file, _, line = record["!locs"][0].partition(":")
        self.line = int(line)
        self.mnemonic = record["Mnemonic"]
        self.asm = record["AsmString"].replace("\t", " ").replace("$", "")
        self.doc = " ".join(record["Doc"].split())
        self.unit = record["Unit"]
        if self.unit not in units:
            raise ModelError(f"{self.name}: unit '{self.unit}' is none of {', '.join(units)}")
        self.read_bits(record["Inst"])
        self.read_operands(record)
        self.read_immediate(record)
        self.read_timing(record, dump)
        predicates = {p["def"] for p in record["Predicates"]}
        self.core = "AIC" if "HasAIC" in predicates else "AIV" if "HasAIV" in predicates else "Any"
        self.sync = next((kind for prefix, kind in SYNC if self.mnemonic.startswith(prefix)), "None")
        self.isBranch = bool(record["isBranch"])
        self.isCall = bool(record["isCall"])
        self.isReturn = bool(record["isReturn"])
        self.isTerminator = bool(record["isTerminator"])
        self.isIndirect = bool(record["isIndirectBranch"]) or self.mnemonic in ("callr", "ret")
        self.isCommand = "Command" in record["!superclasses"]
        self.mayLoad = bool(record["mayLoad"])
        self.mayStore = bool(record["mayStore"])

    def read_bits(self, bits):
        self.fixed_bits = self.var_bits = 0
        self.regs_at = {}
        self.bit_vars = {}
        for position, bit in enumerate(bits):
            if isinstance(bit, dict):
                self.var_bits |= 1 << position
                self.bit_vars.setdefault(bit["var"], []).append(position)
            elif bit:
                self.fixed_bits |= 1 << position
        self.opcode = self.fixed_bits >> 54 & 0x1FF
        if self.fixed_bits != self.opcode << 54:
            raise ModelError(f"{self.name}: fixed one bits outside the opcode")
        for variable, positions in self.bit_vars.items():
            if max(positions) in REG_HIGH_BITS and len(positions) == 5 and min(positions) >= 24:
                self.regs_at[REG_HIGH_BITS.index(max(positions))] = variable

    def read_operands(self, record):
        roles = record["Roles"]
        self.num_regs = len(self.regs_at)
        if sorted(self.regs_at) != list(range(self.num_regs)) or len(roles) != self.num_regs:
            raise ModelError(f"{self.name}: {len(roles)} roles for register fields {sorted(self.regs_at)}; "
                             "give one role for each, from field 0 up")
        self.operands = [parse_role(self.name, i, self.regs_at[i], role) for i, role in enumerate(roles)]
        self.num_defs = sum(op.kind in ("def", "defuse") for op in self.operands)

    def read_immediate(self, record):
        self.imm_kind, self.imm_fields, self.imm_mask = "None", [], 0
        for argument, _ in record["InOperandList"]["args"]:
            if argument["def"] in IMM_KINDS:
                self.imm_kind = IMM_KINDS[argument["def"]]
            elif argument["def"] != "GPR":
                raise ModelError(f"{self.name}: operand class {argument['def']} is unknown; add it to IMM_KINDS")
        for text in record["ImmFields"]:
            name, low, width = text.split(":")
            self.imm_fields.append(Field(name, int(low), int(width)))
        for f in self.imm_fields:
            mask = ((1 << f.width) - 1) << f.low
            if mask & self.imm_mask or mask & ~self.var_bits:
                raise ModelError(f"{self.name}: immediate field '{f.name}' overlaps another or is not encoded")
            self.imm_mask |= mask
        # An immediate bit that no field names is unused: it must be zero.
        self.var_bits &= ~0xFFFFFF | self.imm_mask

    def read_timing(self, record, dump):
        itinerary = record["Itinerary"]["def"]
        for ref in dump["DLNPUItineraries"]["IID"]:
            data = dump[ref["def"]]
            if data["TheClass"]["def"] == itinerary:
                break
        else:
            raise ModelError(f"{self.name}: itinerary {itinerary} is not in DLNPUItineraries")
        self.slot_names = [u["def"] for stage in data["Stages"] for u in dump[stage["def"]]["Units"]]
        self.slots = sum(1 << SLOTS.index(name) for name in self.slot_names)
        defines = self.num_defs or record["Defs"]
        self.latency = data["OperandCycles"][0] if defines and data["OperandCycles"] else 0


class Model:
    def __init__(self, dump, units):
        self.units = units
        records = [dump[name] for name in dump["!instanceof"]["DLNPUInst"]]
        self.instructions = sorted((Instr(r, dump, units) for r in records), key=lambda i: i.opcode)
        for first, second in zip(self.instructions, self.instructions[1:]):
            if first.opcode == second.opcode:
                raise ModelError(f"{first.name} and {second.name} share opcode 0x{first.opcode:03x}")
        if len({i.mnemonic for i in self.instructions}) != len(self.instructions):
            raise ModelError("two instructions share a mnemonic")
