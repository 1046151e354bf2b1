"""Bounds of the indexes and of a search."""

# Longer words are hashes and encoded data; nobody asks for them, and they fill the dictionary.
SEARCH_TERM_CHARS_MAX = 80
# A query is a thought, not a document: what is longer is read up to here.
QUERY_CHARS_MAX = 20_000
# Terms of one query, the rarest first: more of them find nothing more and cost time each.
QUERY_TERMS_MAX = 48
# Terms a prefix or a misspelt word may stand for.
QUERY_EXPANSIONS_MAX = 24
# Words looked for beside those of a question; and one that so many records have tells little
# and costs the most.
QUERY_KIN_MAX = 16
KIN_RECORDS_MAX = 20_000
# Hits of one search.
SEARCH_HITS_MAX = 1_000
# Passages of one document: past it the middle of a text is not indexed, its ends are.
PASSAGES_MAX = 400
# A passage without blanks is still cut.
PASSAGE_CHARS_MAX = 4_000
# What a chapter holds: about a sitting of talk, and little enough to be indexed again on each turn.
CHAPTER_UNITS_MAX = 3_000
CHAPTER_DOCUMENT_UNITS_MAX = 1_500
# The writer's buffers; the engine wants 15 MB for each of its threads at least.
SEARCH_WRITER_BYTES = 32 * 1024 * 1024
# How long a command waits for another one that is writing to the index.
SEARCH_WRITER_WAIT_MS = 10_000
# What recall looks at before it ranks: hits of each scale, and sessions.
RECALL_PASSAGES_MAX = 300
RECALL_WINDOWS_MAX = 120
RECALL_CHAPTERS_MAX = 100
# Where copies of one text crowd these: records looked at for others, and copies of each that stay.
CROWDED_HITS_MAX = 8_000
COPIES_MAX = 3
# Passages compared with one text that somebody wants to see the like of.
NEAR_HITS_MAX = 100
# Documents looked up only because their neighbours match, those of the best windows first.
RECALL_NEIGHBOURS_MAX = 150
# What was made of the best hits, or of one session.
KEPT_MAX = 200
# Words whose terms are kept at hand while snippets are marked: about 15 MB when full.
WORDS_KNOWN_MAX = 50_000
TERMS_KNOWN_MAX = 20_000
