"""Reads MLIR's generic text form (`dl-opt --mlir-print-op-generic`) into plain objects.

The generic form has one syntax for all operations, so that the reader knows no dialect: `%r:2 = "name"(%a, %b)[^bb1] <{properties}> ({regions})
{attributes} : (types) -> types`. Attributes stay text; `integer`, `integers` and `dense` read the kinds that the interpreter needs.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|(%[\w.$-]+(?:#\d+)?)|(\^\w+)|(->|[-\w.$!@]+|[^\s\w]))')
OPEN, CLOSE = {"<": ">", "(": ")", "[": "]", "{": "}"}, set(">)]}")


@dataclass
class Block:
    label: str
    arguments: list  # (name, type)
    operations: list = field(default_factory=list)


@dataclass
class Operation:
    name: str
    results: list
    operands: list
    successors: list  # (label, operands)
    attributes: dict
    regions: list  # each a list of blocks
    operand_types: list
    result_types: list


class Reader:
    def __init__(self, text):
        self.text, self.at = text, 0

    def peek(self):
        match = TOKEN.match(self.text, self.at)
        return match.group(0).strip() if match else ""

    def take(self, expected=None):
        match = TOKEN.match(self.text, self.at)
        if not match or (expected is not None and match.group(0).strip() != expected):
            line = self.text.count("\n", 0, self.at) + 1
            raise ValueError(f"line {line}: expected {expected or 'a token'}, found {self.text[self.at:self.at + 40]!r}")
        self.at = match.end()
        return match.group(0).strip()

    def accept(self, token):
        if self.peek() == token:
            self.take()
            return True
        return False

    def balanced(self, stops):
        """Text up to one of the characters `stops` outside all brackets and strings (`->` closes nothing)."""
        begin, depth = self.at, 0
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self.at = TOKEN.match(self.text, self.at).end()
                continue
            if self.text.startswith("->", self.at):
                self.at += 2
                continue
            if depth == 0 and char in stops:
                break
            depth += char in OPEN
            depth -= char in CLOSE
            self.at += 1
        return self.text[begin:self.at].strip()

    def types(self):
        """`(a, b)` or one type."""
        if not self.accept("("):
            return [self.balanced(",)}\n")]
        found = []
        while not self.accept(")"):
            found.append(self.balanced(",)"))
            self.accept(",")
        return found

    def dictionary(self, end):
        found = {}
        while not self.accept(end):
            key = self.take().strip('"')
            found[key] = self.balanced(",}") if self.accept("=") else "true"
            self.accept(",")
        return found

    def names(self, end):
        found = []
        while not self.accept(end):
            found.append(self.take())
            self.accept(",")
        return found

    def region(self):
        self.take("{")
        blocks = []
        while not self.accept("}"):
            arguments, label = [], ""
            if self.peek().startswith("^"):
                label = self.take()
                if self.accept("("):
                    while not self.accept(")"):
                        name = self.take()
                        self.take(":")
                        arguments.append((name, self.balanced(",)")))
                        self.accept(",")
                self.take(":")
            blocks.append(Block(label, arguments))
            while self.peek() != "}" and not self.peek().startswith("^"):
                blocks[-1].operations.append(self.operation())
        return blocks

    def results(self):
        found = []
        while self.peek().startswith("%"):
            name = self.take()
            if self.accept(":"):
                found += [f"{name}#{i}" for i in range(int(self.take()))]
            else:
                found.append(name)
            self.accept(",")
        if found:
            self.take("=")
        return found

    def operation(self):
        results = self.results()
        name = self.take().strip('"')
        self.take("(")
        operands = self.names(")")
        successors = self.names("]") if self.accept("[") else []
        attributes, regions = {}, []
        if self.accept("<"):
            self.take("{")
            attributes = self.dictionary("}")
            self.take(">")
        if self.accept("("):
            while not self.accept(")"):
                regions.append(self.region())
                self.accept(",")
        if self.accept("{"):
            attributes.update(self.dictionary("}"))
        self.take(":")
        operand_types = self.types()
        self.take("->")
        return Operation(name, results, operands, successors, attributes, regions, operand_types, self.types() if results else self.types() and [])


def parse(text):
    """The module of the text as an Operation."""
    return Reader(re.sub(r"  // (\d+ )?preds?:.*", "", text)).operation()


def integer(text):
    """`3 : i32`, `true`."""
    word = text.split(":")[0].strip()
    return {"true": 1, "false": 0}[word] if word in ("true", "false") else int(word)


def integers(text):
    """`array<i32: 1, 0>`."""
    inside = text[text.index("<") + 1:text.rindex(">")]
    return [int(word) for word in inside.split(":")[1].split(",")] if ":" in inside else []


@lru_cache(maxsize=None)
def shape_of(kind):
    """(shape or None, element) of a type's text; a pointer to a tile has the tile's shape in its element."""
    if not kind.startswith("tensor<"):
        return None, kind
    inside = kind[len("tensor<"):-1]
    shape = []
    while (match := re.match(r"(\d+)x", inside)):
        shape.append(int(match.group(1)))
        inside = inside[match.end():]
    return tuple(shape), inside


def number(word, element):
    """A literal; floats may be bit patterns in hexadecimal."""
    if word in ("true", "false"):
        return word == "true"
    if not element.startswith(("f", "bf")):
        return int(word, 0)
    if not word.startswith("0x"):
        return float(word)
    bits = int(word, 16)
    if element == "bf16":
        return float(np.uint32(bits << 16).view(np.float32))
    unsigned, floating = {"f16": (np.uint16, np.float16), "f32": (np.uint32, np.float32), "f64": (np.uint64, np.float64)}[element]
    return float(unsigned(bits).view(floating))


def constant(text, kind):
    """Numbers of an `arith.constant`'s value as a nested list, or one number for a splat or a scalar."""
    shape, element = shape_of(kind)
    body = text.rsplit(":", 1)[0].strip() if ":" in text else text
    if shape is None:
        return number(body, element)
    inside = body[body.index("<") + 1:body.rindex(">")]
    if inside.startswith("["):
        words = re.findall(r"[^\s,\[\]]+", inside)
        return np.array([number(word, element) for word in words]).reshape(shape)
    return number(inside, element)
