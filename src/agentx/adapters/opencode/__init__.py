"""OpenCode: a plugin file of ours in place of hooks, history in a SQLite database.

Every message and every part of one has an id, the same in the plugin's payloads and in
the database, so both channels hand the same JSON to `parts.py` and get the same events.
"""
