"""Reads a trace for Perfetto with the schema of the package `perfetto`: every field is known to it, at every depth."""
import sys

from google.protobuf import unknown_fields
from perfetto.protos.perfetto.trace import perfetto_trace_pb2

trace = perfetto_trace_pb2.Trace()
trace.ParseFromString(open(sys.argv[1], "rb").read())
kinds, strange = {}, []


def walk(message, path):
    if len(unknown_fields.UnknownFieldSet(message)):
        strange.append(path)
    for field, value in message.ListFields():
        name = f"{path}.{field.name}"
        kinds[name] = kinds.get(name, 0) + 1
        if field.message_type:
            for inner in value if field.is_repeated else [value]:
                walk(inner, name)


walk(trace, "Trace")
print("not ok" if strange else "ok", "- Perfetto's schema knows every field")
wanted = ["track_event.legacy_event.duration_us", "track_event.debug_annotations.uint_value", "track_event.name_iid",
          "track_descriptor.process.process_name", "track_descriptor.thread.thread_name", "track_descriptor.parent_uuid",
          "track_descriptor.sibling_order_rank", "interned_data.event_names.name", "timestamp", "first_packet_on_sequence"]
missing = [w for w in wanted if f"Trace.packet.{w}" not in kinds]
print("not ok" if missing else "ok", "- and has the names of what is there")
print(*strange[:5], *missing, sep="\n", file=sys.stderr)
