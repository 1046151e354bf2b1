"""What Gemini CLI wraps around words, and how its words are compared.

Context that hooks return is put into the prompt between `<hook_context>` tags, with its
own angle brackets escaped.

The reply that it hands to hooks is not the reply: the pieces of the stream follow the
whole text once more, with blanks between them. Its transcript has the words as they were.
So a reply is known by the prompt that it answers, and never compared by its text.
"""

from __future__ import annotations

import re
from typing import Any

from agentx.adapters.shapes import child, clean_words, entry, json_text, objects, text_of, word
from agentx.adapters.voices import HeardWords, cut_out, machine_of, note
from agentx.kernel.capture import EventType, MachineWords, text_print
from agentx.kernel.text import compile_late
from agentx.redaction.redact import redact

NO_REPLY = "[no response text]"

_CONTEXT = compile_late(r"<hook_context>(.*?)</hook_context>", re.DOTALL)
_UNTRUSTED = compile_late(r"\A<untrusted_context>\n?(.*?)\n?</untrusted_context>\Z", re.DOTALL)
_REFERRED = compile_late(
    r"\n?--- Content from referenced files ---.*?(?:--- End of content ---|\Z)", re.DOTALL
)
_SHELL = "I ran the following shell command:"
_SHOWN = ("fileName", "fileDiff", "diffStat")


def parts_text(content: object) -> str:
    """Return the words of a content as Gemini CLI itself joins them: without a separator."""
    if not isinstance(content, list):
        return text_of(content)
    return "".join(
        part if isinstance(part, str) else word(part, "text")
        for part in content
        if not (isinstance(part, dict) and part.get("thought"))
    )


def prompt_of(text: str) -> tuple[str, str]:
    """Split a prompt into what the user said and what other programs' hooks put in."""
    injected = "\n".join(
        filter(None, (clean_words(found).strip() for found in _CONTEXT.findall(text)))
    )
    return clean_words(_CONTEXT.sub("", text)).strip(), injected


def hear(text: str, shown: str = "") -> tuple[HeardWords, ...]:
    """Return whose words the parts of a prompt are; `shown` is what the user saw of it.

    The contents of files that a prompt refers to, and a command's output, are sent with it.
    """
    words = prompt_of(text)[0]
    own, files = cut_out(words, _REFERRED)
    kind = machine_of(words) or (MachineWords.COMMAND if words.startswith(_SHELL) else None)
    if kind is not None:
        return (HeardWords(words=words, machine=kind, known_as=EventType.USER_MESSAGE),)
    typed = shown.strip()
    if typed and typed != own and typed in words:
        rest = words.replace(typed, "", 1).strip()
        files = (rest,) if rest else ()
        own = typed
    around = (note(file.strip(), MachineWords.REMINDER) for file in files)
    said = HeardWords(words=own or words, whole=words, known_as=EventType.USER_MESSAGE)
    return (*(around if own else ()), said)


def reply_print(prompt: str) -> str:
    """Return what tells the reply to a prompt from others."""
    return text_print("reply", redact(prompt))


def same_prompt(told: str, written: str) -> bool:
    """Tell whether hooks were told this prompt; they are told it redacted."""
    return redact(told) == redact(written)


def may_be(garbled: str, written: str) -> bool:
    """Tell whether hooks could have been told this text in that form."""
    text = "".join(redact(written).split())
    return bool(text) and "".join(redact(garbled).split()).startswith(text)


def tool_words(content: object) -> str:
    """Return what a tool gave back, out of its wrapping."""
    text = parts_text(content) or (json_text(content) if content else "")
    wrapped = _UNTRUSTED.match(text.strip())
    return wrapped.group(1) if wrapped else text


def answer_words(result: object) -> str:
    """Return what the function responses in a list of parts say."""
    texts = []
    for part in objects(result):
        response = child(part, "functionResponse").get("response")
        said = entry(response, "output", "error", "content")
        texts.append(tool_words(response if said is None else said))
    return "\n".join(text for text in texts if text)


def pick_display(display: object) -> dict[str, Any]:
    """Return of what was shown to the user the part that the result's text does not say."""
    return (
        {key: display[key] for key in _SHOWN if key in display} if isinstance(display, dict) else {}
    )
