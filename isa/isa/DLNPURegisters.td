// 32 x 64-bit scalar registers. i64 and f32 share them; an f32 lives in the
// low 32 bits and the high 32 bits are undefined to the reader.
class DLNPUReg<bits<5> num, string name> : Register<name> {
  let Namespace = "DLNPU";
  let HWEncoding{4-0} = num;
  let DwarfNumbers = [num];
}

foreach i = 0-31 in
  def R#i : DLNPUReg<i, "r"#i>;

// Allocation order: caller-saved first. r29 is reserved as frame pointer when a
// function needs one, r30 is the stack pointer, r31 the return address.
def GPR : RegisterClass<"DLNPU", [i64, f32], 64, (add
    (sequence "R%u", 0, 15), (sequence "R%u", 16, 28), R31, R29, R30)>;
