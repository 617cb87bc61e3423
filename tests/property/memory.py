"""Global memory of the interpreter: one array a tensor argument, addressed by (tensor's number << 40) + byte."""

import numpy as np

from tests.property.values import DATA, Value, bf16

SHIFT = 40
SIZES = {"i1": 1, "i8": 1, "i16": 2, "f16": 2, "bf16": 2, "i32": 4, "f32": 4, "i64": 8, "f64": 8}


class Memory:
    def __init__(self):
        self.buffers = []  # (element, data, bound), flat
        self.counts = {}

    def add(self, element, array):
        """The address of a new tensor; bf16 comes as uint16 bit patterns."""
        flat = np.array(array).reshape(-1)
        if element == "bf16":
            flat = (flat.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        elif element == "i1":
            flat = flat.astype(np.bool_)
        else:
            flat = flat.view(DATA[element])
        self.buffers.append((element, flat.copy(), np.zeros(flat.shape)))
        return np.int64((len(self.buffers) - 1) << SHIFT)

    def places(self, addresses, mask, element):
        """Yields (buffer, positions in the tile, element numbers in the buffer) of the lanes that the mask lets through."""
        flat = np.asarray(addresses).reshape(-1)
        live = np.ones(flat.shape, bool) if mask is None else np.broadcast_to(mask, np.shape(addresses)).reshape(-1)
        which = np.where(live, flat >> SHIFT, -1)
        wrong = live & ((flat < 0) | (which >= len(self.buffers)))
        if wrong.any():
            raise IndexError(f"address {flat[wrong][0]:#x} is in no tensor")
        for number in range(which.max(initial=-1) + 1):
            lanes = np.flatnonzero(which == number)
            if not lanes.size:
                continue
            at, rest = np.divmod(flat[lanes] - (int(number) << SHIFT), SIZES[element])
            held = self.buffers[number]
            if rest.any() or at.min() < 0 or at.max() >= held[1].size or SIZES[held[0]] != SIZES[element]:
                raise IndexError(f"tensor {number} of {held[1].size} {held[0]}: elements {at.min()} to {at.max()} of {element}")
            yield held, lanes, at

    def load(self, element, addresses, mask, other):
        """The tile; lanes without an access take `other`, or 0 where the language leaves them undefined."""
        shape = np.shape(addresses)
        data = np.zeros(shape, DATA.get(element, np.int64)).reshape(-1)
        bound = np.zeros(shape).reshape(-1)
        if other is not None:
            data[:] = np.broadcast_to(other.data, shape).reshape(-1)
            bound[:] = 0 if other.bound is None else np.broadcast_to(other.bound, shape).reshape(-1)
        for (_, held, error), lanes, at in self.places(addresses, mask, element):
            data[lanes], bound[lanes] = held[at], error[at]
        return Value(data.reshape(shape), bound.reshape(shape) if bound.any() else None)

    def store(self, element, addresses, mask, value):
        data = np.broadcast_to(value.data, np.shape(addresses)).reshape(-1)
        bound = np.zeros(data.shape) if value.bound is None else np.broadcast_to(value.bound, np.shape(addresses)).reshape(-1)
        for (_, held, error), lanes, at in self.places(addresses, mask, element):
            held[at], error[at] = data[lanes].astype(held.dtype), bound[lanes]

    def update(self, element, addresses, mask, value, combine):
        """Lane after lane: held = combine(held, value); the tile of what was held before."""
        before = np.zeros(np.shape(addresses), DATA[element]).reshape(-1)
        data = np.broadcast_to(value.data, np.shape(addresses)).reshape(-1)
        bound = np.zeros(data.shape) if value.bound is None else np.broadcast_to(value.bound, np.shape(addresses)).reshape(-1)
        for (_, held, error), lanes, at in self.places(addresses, mask, element):
            for lane, place in zip(lanes, at):
                before[lane] = held[place]
                result = combine(Value(held[place], error[place] or None), Value(data[lane], bound[lane] or None))
                held[place], error[place] = result.data, 0 if result.bound is None else result.bound
        return before.reshape(np.shape(addresses))

    def tensor(self, address):
        """(numbers as the case file stores them, bounds), flat."""
        element, data, bound = self.buffers[int(address) >> SHIFT]
        if element == "bf16":
            data = (np.ascontiguousarray(bf16(data)).view(np.uint32) >> 16).astype(np.uint16)
        return data, bound
