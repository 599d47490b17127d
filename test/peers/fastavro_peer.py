"""An Avro implementation that is not ours. Reads one JSON object on stdin, {"schema", "bodies": [hex], "values": [event]},
and answers {"read": [event], "written": [hex]}: each body decoded, each value encoded, by fastavro alone."""
import datetime
import io
import json
import sys
import uuid

import fastavro

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def plain(value):
    """What fastavro makes of a logical type, as the event's JSON has it."""
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, datetime.datetime):
        return (value - EPOCH) // datetime.timedelta(milliseconds=1)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def read(schema, body):
    stream = io.BytesIO(bytes.fromhex(body))
    record = fastavro.schemaless_reader(stream, schema)
    if stream.read(1):
        raise ValueError("bytes are left over")
    return {name: plain(value) for name, value in record.items()}


def written(schema, value):
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, schema, value, strict=True)
    return stream.getvalue().hex()


def main():
    asked = json.load(sys.stdin)
    schema = fastavro.parse_schema(json.loads(asked["schema"]))
    json.dump(
        {
            "read": [read(schema, body) for body in asked["bodies"]],
            "written": [written(schema, value) for value in asked["values"]],
        },
        sys.stdout,
    )


main()
