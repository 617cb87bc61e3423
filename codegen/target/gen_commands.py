"""Writes the code generator's command table and the C header of command intrinsics from the TableGen JSON dump.

usage: gen_commands.py DLNPU.json --table DLNPUGenCommands.inc --header dlnpu_commands.h
"""
import argparse
import json
import re
import sys

def operand(instruction, argument):
    """('reg',) or ('imm', bits, signed)."""
    kind = argument["def"]
    if kind == "GPR":
        return ("reg",)
    if kind == "flagpeer":
        return ("imm", 4, False)
    number = re.fullmatch(r"([su])imm(\d+)", kind)
    if not number:
        sys.exit(f"{instruction}: operand kind '{kind}' is unknown to {__file__}; add it to operand()")
    return ("imm", int(number[2]), number[1] == "s")


def commands(dump):
    for name in dump["!instanceof"]["DLNPUInst"]:
        record = dump[name]
        if any(record[flag] for flag in ("isBranch", "isCall", "isReturn", "isTerminator")):
            continue
        inputs = [operand(name, arg) for arg, _ in record["InOperandList"]["args"]]
        outputs = record["OutOperandList"]["args"]
        if len(outputs) > 1:
            continue
        names = [arg_name for _, arg_name in record["InOperandList"]["args"]]
        predicates = {p["def"] for p in record["Predicates"]}
        yield record["Mnemonic"], name, inputs, names, len(outputs), predicates, record


def imm_mask(record):
    """Bits of a 24-bit immediate that some field names; the others must be zero."""
    return sum(((1 << int(width)) - 1) << int(low) for _, low, width in (f.split(":") for f in record["ImmFields"]))


def table_line(mnemonic, name, inputs, outputs, predicates, record):
    kinds = []
    for item in inputs:
        if item[0] == "reg":
            kinds.append("{0, false}")
        else:
            kinds.append(f"{{{item[1]}, {'true' if item[2] else 'false'}}}")
    core = "Aic" if "HasAIC" in predicates else "Aiv" if "HasAIV" in predicates else "Any"
    body = ", ".join(kinds)
    return f'  {{"{mnemonic}", DLNPU::{name}, {len(inputs)}, {outputs}, CommandCore::{core}, 0x{imm_mask(record):x}, {{{{{body}}}}}}},\n'


def write_table(path, rows):
    with open(path, "w") as out:
        out.write("// Generated from isa/isa/*.td. Sorted by mnemonic.\n")
        for mnemonic, name, inputs, _, outputs, predicates, record in sorted(rows, key=lambda r: r[0].encode()):
            out.write(table_line(mnemonic, name, inputs, outputs, predicates, record))


def role_comment(record):
    parts = [role for role in record["Roles"]]
    fields = ", ".join(f"{n}[{int(lo) + int(w) - 1}:{lo}]" for n, lo, w in
                       (f.split(":") for f in record["ImmFields"]))
    text = " ".join(record["Doc"].split())
    if parts:
        text += " Operands: " + "; ".join(parts) + "."
    if fields:
        text += " Immediate: " + fields + "."
    return text


def write_header(path, rows):
    with open(path, "w") as out:
        out.write("// Generated from isa/isa/*.td: one function per instruction, included by dlnpu.h.\n"
                  "// Parameters called `imm_...` must be constants.\n#pragma once\n\n")
        for mnemonic, _, inputs, names, outputs, _, record in sorted(rows, key=lambda r: r[6]["!locs"][0]):
            params = []
            for item, name in zip(inputs, names):
                params.append("long " + (name if item[0] == "reg" else "imm_" + name.removeprefix("imm")).rstrip("_"))
            returns = "long" if outputs else "void"
            function = "__dl_" + mnemonic.replace(".", "_")
            comment = role_comment(record).replace("*/", "* /")
            out.write(f"/// {comment}\n__dl_command {returns} {function}({', '.join(params) or 'void'}) "
                      f'__asm__("dlnpu.{mnemonic}");\n')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("json")
    parser.add_argument("--table", required=True)
    parser.add_argument("--header", required=True)
    args = parser.parse_args()
    with open(args.json) as file:
        rows = list(commands(json.load(file)))
    if not rows:
        sys.exit(f"{args.json}: no DLNPUInst records; is this the dump of isa/isa/DLNPU.td?")
    write_table(args.table, rows)
    write_header(args.header, rows)


if __name__ == "__main__":
    main()
