"""Gemini CLI: hooks in `settings.json`, history in `tmp/<project>/chats/`.

It gives neither its prompts nor its tool calls an id that its hooks know, so an event is
known by what it says. Sub-agents call hooks under their parent's session id, and their
history is filed there too.
"""
