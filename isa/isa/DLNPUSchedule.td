// Slots of a bundle. A word occupies exactly one slot for one cycle; commands
// run on in their unit's queue, so a slot is free again in the next bundle.
def S0 : FuncUnit;
def S1 : FuncUnit;
def SlotMTE1 : FuncUnit;
def SlotMTE2 : FuncUnit;
def SlotMTE3 : FuncUnit;
def SlotFIX : FuncUnit;
def SlotM : FuncUnit;
def SlotV : FuncUnit;

def IIAlu : InstrItinClass;    // S0 or S1
def IIMul : InstrItinClass;    // S0 or S1
def IIDiv : InstrItinClass;    // S1, iterative
def IIFpu : InstrItinClass;    // S1
def IIFDiv : InstrItinClass;   // S1, iterative
def IILoad : InstrItinClass;   // S0
def IIStore : InstrItinClass;  // S0
def IIBranch : InstrItinClass; // S0
def IIScalarSync : InstrItinClass; // S0
def IIMTE1 : InstrItinClass;
def IIMTE2 : InstrItinClass;
def IIMTE3 : InstrItinClass;
def IIFIX : InstrItinClass;
def IIM : InstrItinClass;
def IIV : InstrItinClass;

// Latencies (cycles from issue to use of the first operand, the result) are
// `assumed`: no public figure exists for the scalar unit of a 910B. Scalar
// registers are interlocked, so a wrong latency costs cycles, never values.
class ScalarLatency<int cycles> { int Cycles = cycles; }

def DLNPUItineraries : ProcessorItineraries<
  [S0, S1, SlotMTE1, SlotMTE2, SlotMTE3, SlotFIX, SlotM, SlotV], [], [
  InstrItinData<IIAlu, [InstrStage<1, [S0, S1]>], [1, 0, 0]>,
  InstrItinData<IIMul, [InstrStage<1, [S0, S1]>], [3, 0, 0]>,
  InstrItinData<IIDiv, [InstrStage<1, [S1]>], [16, 0, 0]>,
  InstrItinData<IIFpu, [InstrStage<1, [S1]>], [4, 0, 0]>,
  InstrItinData<IIFDiv, [InstrStage<1, [S1]>], [12, 0, 0]>,
  InstrItinData<IILoad, [InstrStage<1, [S0]>], [4, 0, 0]>,
  InstrItinData<IIStore, [InstrStage<1, [S0]>], [0, 0]>,
  InstrItinData<IIBranch, [InstrStage<1, [S0]>], [1, 0]>,
  InstrItinData<IIScalarSync, [InstrStage<1, [S0]>], [0]>,
  InstrItinData<IIMTE1, [InstrStage<1, [SlotMTE1]>], [0]>,
  InstrItinData<IIMTE2, [InstrStage<1, [SlotMTE2]>], [0]>,
  InstrItinData<IIMTE3, [InstrStage<1, [SlotMTE3]>], [0]>,
  InstrItinData<IIFIX, [InstrStage<1, [SlotFIX]>], [0]>,
  InstrItinData<IIM, [InstrStage<1, [SlotM]>], [0]>,
  InstrItinData<IIV, [InstrStage<1, [SlotV]>], [0]>
]>;

def DLNPUModel : SchedMachineModel {
  let Itineraries = DLNPUItineraries;
  let IssueWidth = 8;
  let LoadLatency = 4;
  let MispredictPenalty = 3;
  let CompleteModel = 0;
}
