"""Where observations lie: JSON files a person can open, or SQLite for very many."""

from agentx.observations.store.json_store import JsonObservationStore as JsonObservationStore
from agentx.observations.store.sqlite_store import SqliteObservationStore as SqliteObservationStore
