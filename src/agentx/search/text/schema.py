"""The fields on disk. A change here is a change of `FORMAT_VERSION`, and old indexes are rebuilt.

    doc_key, session_key   hashes of the ids, as numbers: read without opening a document
    text_key               a hash of what is said and by whom: copies have the same
    text                   terms with positions; what BM25 counts
    speaker, speakers      the names of who speaks, as terms and as bits
    body                   the passage as it was written, for snippets
    member                 the documents a window or chapter holds, or the part that a passage
                           is from: to take them out again; what a part is, and was made of

Filters are exact words in fields of their own. Numbers lie in columns, so that ranking
reads hundreds of hits without opening one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from copy import copy
from functools import lru_cache
from operator import attrgetter

import tantivy

from agentx.kernel.ids import digest
from agentx.search.analysis import ANALYSER, index_analyser, join_terms, terms, write_terms
from agentx.search.document import Chapter, Document
from agentx.search.text.scales import Window, chapter_units, passages
from agentx.search.traits import traits

FORMAT_VERSION = 4

WORD_FIELDS = ("doc_type", "project", "session", "agent", "harness", "role", "issue")
_read_words = attrgetter(*WORD_FIELDS)
# Fewer units ("yes, do that") answer another question each time; the same command is the same.
_COPY_UNITS_MIN = 5


@lru_cache(maxsize=1)
def schema() -> tantivy.Schema:
    """Return the schema, the same for every scale."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name=ANALYSER, index_option="position")
    builder.add_text_field("speaker", tokenizer_name=ANALYSER, index_option="basic")
    for name in WORD_FIELDS:
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("doc_id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("body", stored=True)
    builder.add_bytes_field("members", stored=True)
    builder.add_text_field("member", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("doc_key", indexed=True, fast=True)
    builder.add_unsigned_field("session_key", indexed=True, fast=True)
    builder.add_unsigned_field("text_key", indexed=True, fast=True)
    builder.add_unsigned_field("speakers", fast=True)
    builder.add_unsigned_field("traits", fast=True)
    builder.add_unsigned_field("part", indexed=True, fast=True)
    builder.add_unsigned_field("start", stored=True)
    builder.add_integer_field("timestamp_ms", stored=True, indexed=True, fast=True)
    return builder.build()


def register(index: tantivy.Index) -> None:
    """Tell an opened index how it takes terms."""
    index.register_tokenizer(ANALYSER, index_analyser())


def key(text: str) -> int:
    """Return the number that stands for an id in a column."""
    return int.from_bytes(digest(text, size=8))


@lru_cache(maxsize=64)
def _session_key(session: str) -> int:
    return key(session)


def pack(keys: Iterable[int]) -> bytes:
    """Return keys as bytes."""
    listed = list(keys)
    return struct.pack(f">{len(listed)}Q", *listed)


def unpack(data: bytes) -> tuple[int, ...]:
    """Return the keys in some bytes."""
    return struct.unpack(f">{len(data) // 8}Q", data)


def name_source(source: int) -> str:
    """Return how a passage names a document that it was made of, by its key."""
    return f"<{source:016x}"


REPLACED = "!"  # how a passage says that something replaced it


def name_kind(kind: str) -> str:
    """Return how a passage names of what kind it is."""
    return f"={clean(kind)}"


def passage_records(document: Document) -> Iterator[tantivy.Document]:
    """Yield the passages of a document as the index takes them. The first carries the keywords."""
    found = passages(document.text)
    units = sum([passage.units for passage in found])
    told = _begin_passage(document, units)
    if document.is_act or units >= _COPY_UNITS_MIN:
        told.add_unsigned("text_key", _text_key(document))
    for part, passage in enumerate(found):
        words = passage.terms
        if part == 0 and document.keywords:
            words = f"{words} {write_terms(' '.join(document.keywords))}"
        record = copy(told)
        record.add_text("text", words)
        record.add_bytes("body", passage.text.encode("utf-8", "replace"))
        record.add_unsigned("part", part)
        record.add_unsigned("start", passage.start)
        yield record


def _text_key(document: Document) -> int:
    said = (document.doc_type, document.role, document.speaker, document.text.strip())
    return int.from_bytes(digest(*said, size=8))


def _begin_passage(document: Document, units: int) -> tantivy.Document:
    """Return what every passage of a document says of it."""
    record = _record(document)
    record.add_text("doc_id", clean(document.doc_id))
    if document.part:
        record.add_text("member", clean(document.part))
        if document.kind:
            record.add_text("member", name_kind(document.kind))
        for each in document.drawn_from:
            record.add_text("member", name_source(key(each)))
        if document.superseded_by:
            record.add_text("member", REPLACED)
    if document.superseded_by or document.drawn_from:
        replacement = key(document.superseded_by) if document.superseded_by else 0
        record.add_bytes("members", pack((replacement, *map(key, document.drawn_from))))
    names = " ".join(filter(None, (document.speaker, document.agent, document.harness)))
    if names:
        spelled, bits = _speakers(names)
        record.add_text("speaker", spelled)
        record.add_unsigned("speakers", bits)
    record.add_unsigned("doc_key", key(document.doc_id))
    record.add_unsigned("traits", traits(document, units))
    return record


@lru_cache(maxsize=256)
def _speakers(names: str) -> tuple[str, int]:
    """Return the names of who speaks as the index takes them; few people say much."""
    return write_terms(names), name_bits(terms(names))


def name_bits(names: Iterable[str]) -> int:
    """Return names as a set of bits, so that a column can tell who may be speaking."""
    bits = 0
    for name in names:
        bits |= 1 << (key(name) % 64)
    return bits


def window_record(chapter: Chapter, window: Window) -> tantivy.Document:
    """Return a window as the index takes it."""
    record = _record(window.members[0])
    words = join_terms(window.units)
    record.add_text("text", words)
    record.add_unsigned("text_key", key(words))
    _tie(record, chapter, window.members)
    return record


def chapter_record(chapter: Chapter) -> tantivy.Document:
    """Return a chapter as the index takes it."""
    record = _record(chapter.documents[-1])
    words = join_terms(chapter_units(chapter))
    record.add_text("text", words)
    record.add_unsigned("text_key", key(words))
    _tie(record, chapter, chapter.documents)
    return record


def _tie(record: tantivy.Document, chapter: Chapter, members: tuple[Document, ...]) -> None:
    record.add_text("doc_id", clean(chapter.chapter_id))
    record.add_unsigned("doc_key", key(chapter.chapter_id))
    record.add_bytes("members", pack(key(member.doc_id) for member in members))
    for member in members:
        record.add_text("member", clean(member.doc_id))


def _record(document: Document) -> tantivy.Document:
    """Return a record with what a document is filtered by."""
    record = tantivy.Document()
    for name, said in zip(WORD_FIELDS, _read_words(document), strict=True):
        if said:
            record.add_text(name, clean(said))
    record.add_unsigned("session_key", _session_key(document.session))
    record.add_integer("timestamp_ms", document.timestamp_ms)
    return record


def clean(text: str) -> str:
    """Return an id or name as the index holds it."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")
