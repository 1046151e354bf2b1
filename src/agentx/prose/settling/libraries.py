"""What raises in the name of something else: the libraries by which it is spoken to.

"`pytest -q` failed: kombu.exceptions.OperationalError: ..."      over with Celery
"""

from __future__ import annotations

from agentx.kernel.text import compile_late

_LIBRARIES = {
    "celery": ("kombu", "billiard", "amqp", "vine"),
    "rabbitmq": ("pika", "aio_pika", "amqp"),
    "kafka": ("confluent_kafka", "aiokafka", "kafkajs"),
    "mongodb": ("pymongo", "motor", "mongoose"),
    "mysql": ("pymysql", "mysqldb", "mysql2"),
    "elasticsearch": ("elastic_transport", "elasticsearch_dsl"),
    "requests": ("urllib3",),
    "selenium": ("webdriver",),
}
_RAISED = compile_late(
    r"\A`[^`\n]+` failed[^:\n]*: (?:E\s+)?(?P<library>[a-z_][a-z0-9_]*)\.[\w.]*[A-Z]\w*"
)


def list_libraries(thing: str) -> tuple[str, ...]:
    """Return the names by which something is known in what it raises: its own, and its parts'."""
    name = thing.strip("` ").casefold()
    return (name, *_LIBRARIES.get(name, ()))


def find_raiser(text: str) -> str:
    """Return the library that raised what a failure tells."""
    found = _RAISED.match(text)
    return found["library"] if found else ""
