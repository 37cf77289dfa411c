"""Reads a trace for Perfetto from protobuf's wire format, with the field numbers of Perfetto's schema (protos/perfetto/trace):
slices and instants with the names of their tracks. Events of other kinds are errors."""
import collections

Slice = collections.namedtuple("Slice", "path name begin end arguments")  # path: names from the process down; in cycles
Instant = collections.namedtuple("Instant", "path name cycle arguments")


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value): an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = bytes(data[at : at + value]), at + value
            assert at <= len(data), "a field ends beyond its message"
        else:
            assert key & 7 == 0, f"wire type {key & 7}"
        yield key >> 3, value


def message(data):
    """Fields that come once."""
    out = {}
    for number, value in fields(data):
        assert number not in out, f"field {number} twice"
        out[number] = value
    return out


class Trace:
    def __init__(self, path):
        self.slices, self.instants = [], []
        self.tracks, self.processes, self.paths = {}, {}, {}
        self.names, self.arguments = {}, {}
        self.cleared = False
        for number, packet in fields(open(path, "rb").read()):
            assert number == 1, f"field {number} of Trace"
            self.packet(message(packet))

    def packet(self, p):
        assert p[10] == 1, "one sequence"  # trusted_packet_sequence_id
        if p.get(13, 0) & 1:  # SEQ_INCREMENTAL_STATE_CLEARED
            self.cleared = True
        assert self.cleared
        if 60 in p:
            self.descriptor(message(p[60]))
        if 12 in p:
            for kind, entry in fields(p[12]):
                entry = message(entry)
                table = {2: self.names, 3: self.arguments}[kind]
                assert entry[1] and entry[1] not in table
                table[entry[1]] = entry[2].decode()
        if 11 in p:
            self.event(p[8], message_of_event(p[11]))

    def descriptor(self, d):
        assert d[1] not in self.tracks, "a track is described twice"
        self.tracks[d[1]] = d
        if 3 in d:  # process
            process = message(d[3])
            self.processes[process[1]] = process[6].decode()

    def path(self, track):
        if track not in self.paths:
            d = self.tracks[track]
            if 4 in d:  # thread
                thread = message(d[4])
                self.paths[track] = (self.processes[thread[1]], thread[5].decode())
            else:
                assert d[15] == 2, "phase X is for tracks that are not merged"
                self.paths[track] = self.path(d[5]) + (d[2].decode(),)
        return self.paths[track]

    def event(self, timestamp, e):
        assert timestamp % 1000 == 0
        cycle, path, name = timestamp // 1000, self.path(e[11]), self.names[e[10]]
        arguments = {}
        for annotation in e[4]:
            a = message(annotation)
            arguments[self.arguments[a[1]]] = a.get(3, a.get(7))
        if e.get(9) == 3:
            self.instants.append(Instant(path, name, cycle, arguments))
        else:
            legacy = message(e[6])
            assert chr(legacy[2]) == "X" and 9 not in e
            self.slices.append(Slice(path, name, cycle, cycle + legacy[3], arguments))


def message_of_event(data):
    out = {4: []}
    for number, value in fields(data):
        if number == 4:
            out[4].append(value)
        else:
            assert number not in out
            out[number] = value
    return out
