"""What of a prompt is somebody else's text: a mail, a README, a policy, an answer of a model.

    "translate to German:"                      the person's
    "Never touch the capacitor. ..."            material: nobody here rules that
    "is the tone right?"                        the person's again

Material is known by what leads to it: a line that says what follows ("customer mail:"), who wrote
it ("Tom wrote:"), or what is to be done with a text ("check the spelling:"). It goes to the end of
its quotation marks, its fence or its list; without any, to the end of the message, but for a last
paragraph in which the person asks or wants something.

Law: what stands in material is never said by the person who pasted it. Who wrote it may want just
that. In doubt it is material: a rule can be said again, a false one is obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose.sentences import once_a_line

_LINE_CHARS_READ = 400
_TEXT_CHARS_READ = 60_000
_MARKED_WORDS_MIN = 4
_CLOSING_WORDS_MAX = 40
_CLOSING_LINES_MAX = 3

_OPENING = (
    r"\W*(?:(?:hi|hey|hello|ok(?:ay)?|so|and|also|now|next|please|pls|hm+|btw|fyi|look|bitte|und"
    r"|y|et|e|por favor|s'il te pla\u00eet|per favore|alsjeblieft)\b[\s,.!:-]+)*"
)
# Texts that come from elsewhere.
_NOUN = (
    r"(?:read-?me|(?:e-?)?mails?|newsletters?|letters?|messages?|texts?|paragraphs?|articles?|posts?"
    r"|blog ?posts?|job ads?|adverts?|ads?|announcements?|press releases?|minutes|transcripts?"
    r"|summar(?:y|ies)|excerpts?|quot(?:e|es|ations?)|snippets?|drafts?|threads?|chats?|tick[e]ts?"
    r"|(?:bug )?reports?|feedback|reviews?|comments?|answers?|repl(?:y|ies)|responses?|outputs?"
    r"|docs|documentation|manuals?|guides?|guidelines?|handbooks?|wikis?|faqs?|runbooks?|playbooks?"
    r"|polic(?:y|ies)|terms|licen[cs]es?|contracts?|changelogs?|release notes|specs?|rfcs?"
    r"|standup notes|meeting notes|notes from \w+|slides?|translations?|subtitles?|poems?"
    r"|nachricht(?:en)?|briefe?|abs\u00e4tze?|absatz|artikel|anzeigen?|stellenanzeige|protokoll"
    r"|auszug|zitat|entwurf|antwort(?:en)?|r\u00fcckmeldung|doku(?:mentation)?|anleitung|handbuch"
    r"|richtlinien?|vertrag|bericht|correos?|mensajes?|textos?|p\u00e1rrafos?|cartas?|anuncios?|acta"
    r"|borrador|respuestas?|documentaci\u00f3n|pol\u00edticas?|contrato|informe|courriels?|textes?"
    r"|paragraphes?|lettres?|annonces?|compte[- ]rendu|extrait|brouillon|r\u00e9ponses?|politiques?"
    r"|contrat|rapport|messaggi(?:o)?|testo|testi|lettera|annuncio|verbale|risposta"
    r"|documentazione|mensagem|mensagens|par\u00e1grafo|an\u00fancio|ata|resposta|documenta\u00e7\u00e3o"
    r"|bericht(?:en)?|tekst|brief|vacature|notulen|antwoord)"
)
# What is of a text, and is not in it: "for the docs:", "in the mail module:".
_TOPIC = (
    r"(?:for|in|about|to|on|into|with|per|of our|f\u00fcr|im|zum|zur|para|sobre|pour|dans|per|voor)"
)
# Who works on something speaks of it, and shows nothing, unless it is "this" one.
_WORKS = (
    r"(?:when|if|while|after|before|since|because|wenn|cuando|quand|se|add|write|create|make|build|implement|fix|change|update|improve|check|review|use|keep|test"
    r"|move|rename|remove|delete|run|put|set|see|read|look|we|i|you|it|let|let'?s|answer|reply|comment"
    r"|report|draft|post|wir|ich|schreib\w*|bau\w*|mach\w*|a\u00f1ade|escribe|ajoute|\u00e9cris|aggiungi|scrivi)"
)
_OWN_NOUN = (
    r"(?:rules?|requirements?|conventions?|constraints?|instructions?|regeln|anforderungen|reglas"
    r"|r\u00e8gles|regole|regras)"
)
_OF_IT = (
    r"(?:is|are|was|were|module|fields?|forms?|tests?|handlers?|templates?|class(?:es)?|tables?|queue"
    r"|service|pages?|parser|builder|client|api|format|types?|folder|files?|ist|sind|es|est)"
)
_THIS = (
    r"(?:this|these|following|below|diese[nrsm]?|folgende\w*|este|esta|ce|cet|cette|questo|questa"
    r"|esse|dit)"
)
_PRESENTS = compile_late(
    rf"(?i:{_OPENING}(?!(?:the |our |my |some |a few )?(?:\w+ )?{_OWN_NOUN}\b)"
    rf"(?:(?={_WORKS}\b)(?=[^\n:]*\b{_THIS}\b)|(?!{_WORKS}\b))"
    rf"(?:(?!{_TOPIC}\b)[\w'\u2019./@#()-]+,? ){{0,6}}?{_NOUN}\b(?!\.\w)(?! {_OF_IT}\b)"
    r"[^\n]{0,160}?:\s*\Z)"
)
# The same in a few words, before the text itself: "customer mail: please never ...".
_NAMES = compile_late(
    rf"(?i:{_OPENING}(?!{_WORKS}\b)(?:from |aus |de |da |uit )?(?:(?!{_TOPIC}\b|{_OWN_NOUN}\b)"
    rf"[\w'\u2019./-]+ ){{0,4}}?(?!message|comment|output|answer|summar|report|spec|note){_NOUN}\b"
    r"(?: (?:from|of|by|von|de|di|van) [^\n:]{1,30})?:\s*\Z)"
)
# "here is the README ...", "this came in today": without a colon too, where text follows.
_SHOWS = compile_late(
    rf"(?i:{_OPENING}(?:(?:here(?:'s| is| are| comes)|this is|that'?s|below(?: is| are)?"
    r"|(?:see|read) (?:this|these|the following)"
    r"|i (?:got|received|found)|(?:just )?(?:got|received|found)|hier(?: ist| sind| kommt)|das ist"
    r"|aqu[i\u00ed] (?:est\u00e1|tienes|va)|esto es|voici|voil\u00e0|ecco|questo \u00e8"
    r"|aqui (?:est\u00e1|vai)|hier is)"
    rf"\b[^\n]{{0,80}}?\b{_NOUN}\b(?!\.\w)"
    r"|(?:this|these|that)(?: just| one)? (?:came|comes|is|are|was) (?:in |back )?from\b(?! now\b)"
    r"|(?:das|esto|\u00e7a|questo|isto) (?:kam|kommt|viene|vino|lleg\u00f3|vient|arriva|chegou"
    r"|veio)\b)[^\n]*\Z)"
)
# Somebody else spoke: "Tom (security) wrote me this on chat:", "the docs say:".
_SPEAKS = compile_late(
    r"(?i:\W*(?:(?:and|so|but|also|ok|look|hey|und|y|et|e)[\s,]+)*(?!(?:i|we|ich|wir|yo|je|io|eu|ik|you|it"
    r"|as (?:i|we))\b)"
    r"(?:[\w@.'\u2019-]+(?: \([^)\n]{1,40}\))?,? ){1,6}?"
    r"(?:wrote|writes|said|says?|sent|posted|answer(?:ed|s)|repl(?:ied|ies)|told|commented|states?"
    r"|suggest(?:s|ed)|recommend(?:s|ed)|claims?|claimed|asks?|asked|schreibt|schrieb|sagt|meint"
    r"|hat (?:mir |uns )?geschrieben|antwortet\w*|\u00e9crit|a (?:\u00e9crit|dit|r\u00e9pondu)|dit"
    r"|escribi\u00f3|escribe|dice|dijo|respondi\u00f3|scrive|ha (?:scritto|detto)|escreveu|disse"
    r"|diz|schreef|zegt|zei)(?: (?!that\b|dass\b|que\b)[^\s:]+){0,8}?:\s*\Z)"
)
_MODEL = compile_late(
    r"(?i:\b(?:chat ?gpt|gpt-?\d\S*|an? llm|llm|gemini|claude|copilot|codex|deepseek|llama|mistral"
    r"|perplexity|grok|the (?:bot|model|ai)|stack ?overflow|the (?:docs|documentation|manual|wiki"
    r"|readme|policy|handbook|vendor|internet|blog|article|book)|die doku|la documentaci\u00f3n"
    r"|la doc)\b)"
)
# What is done with a text, whatever it says; who names a thing ("translate the app") shows none.
_LANGUAGE = (
    r"(?:\w+(?:ish|man|ench|ian|ese|utch|zech|reek|ebrew|rabic|indi|isch\w*"
    r"|\u00e9s|ol|ais|ien|and|iano|els|o)"
    r"|\w{2})"
)
_FILLS = (
    rf"(?:this|that|it|these|those|the|following|below|my|our|a|an|please|pls|for|me|us|to|into|in|from"
    r"|nach|ins|auf|aufs|aus|dem|den|das|diesen?|folgenden?|bitte|al|en|a|el|la|los|este|esto|esta|del"
    r"|siguiente|au|du|de|le|ce|cette|suivant\w*|moi|naar|het|dit|in|il|questo|seguente|per|para|o|isto"
    rf"|and|customers?|client|website|quick(?:ly)?|{_NOUN}|{_LANGUAGE})"
)
_HANDLES = compile_late(
    rf"(?i:{_OPENING}(?:(?:can|could|would) you |k\u00f6nntest du |kannst du |puedes |peux-tu )?"
    r"(?:please |bitte )?(?:(?:and|then) )?"
    r"(?:(?:translate|proof-?read|spell-?check|paraphrase|rephrase|reword|rewrite|\u00fcbersetz\w*"
    r"|korrigier\w*|korrekturles\w*|lektorier\w*|traduc[ei]\w*|tradui\w*|traduz\w*|corrig\w+|vertaal"
    r"|reformul\w*|umformulier\w*|r\u00e9sume[rz]?|riassumi|resum[ea])"
    rf"(?: {_FILLS}){{0,7}}"
    r"|(?:check|fix|correct|mind|improve)(?: up)? (?:the |my |our |all )?"
    r"(?:spelling|grammar|wording|typos?|punctuation|tone|english|german|french|spanish)"
    rf"(?: {_FILLS}){{0,5}}"
    r"|(?:summari[sz]e|shorten|polish|analy[sz]e|classify|simplify|explain|review|answer|reply to)"
    rf" (?:this|that|these|the following|below)(?: {_FILLS}){{0,5}})\s*[:.!]?\s*\Z)"
)
# The same behind the text: "... translate that".
_HANDLES_BEFORE = compile_late(
    rf"(?i:{_OPENING}(?:(?:can|could|would) you )?(?:please )?(?:translate|proof-?read|spell-?check"
    r"|paraphrase|rephrase|reword|summari[sz]e|shorten|tl;?dr|\u00fcbersetz\w*|korrigier\w*|traduc[ei]\w*"
    r"|tradui\w*|traduz\w*|vertaal)\b[^\n.!?]{0,60}\b(?:this|that|it|these|above|text|das|es|dies|eso"
    r"|esto|lo|\u00e7a|ce texte|questo|isto|dit)\b[^\n]{0,60}\Z)"
)
_SPELLS = compile_late(
    r"(?i:\b(?:check|fix|correct)(?: up)? (?:the |my |our |all )?"
    r"(?:spelling|grammar|wording|typos?|tone)|rechtschreibung|orthograph\w*|ortograf\w*)"
)
_FENCES = ('"""', "'''", "```", "~~~", "<<<", "---", "===", "***")
_ENDS = {"<<<": ">>>"}
_TAG = compile_late(r"[ \t]*<([A-Za-z][\w-]{0,30})>[ \t]*\Z")
_QUOTES = {
    '"': '"',
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u00ab": "\u00bb",
    "'": "'",
    "\u2018": "\u2019",
}
_ITEM = compile_late(r"[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+\S")
_COLON = compile_late(r":[ \t]+(?=\S)")
_TALKS = compile_late(
    r"(?:(?i:\W*(?:so|please|pls|ok(?:ay)?|can|could|would|do|does|is|are|what|why|how|which|thoughts"
    r"|tell|let'?s|now|but|and|we|i|he|she|they|he's|she's|put|write|fix|make|add|answer|reply|use"
    r"|check|mind|bitte|kannst|und|also|por favor|puedes|qu\u00e9|merci|peux|che|puoi|podes|kun)\b)"
    r"|\s*[a-z])"
)
_ASKED = compile_late(r"(?<=[.!?\u2026]) +[^.!?\n]{3,160}\?\s*\Z")
_WORD = compile_late(r"\w+")


@frozen
class Material:
    """A stretch of a prompt that is somebody else's, and what led to it."""

    start: int
    end: int
    announced: str
    is_marked: bool  # by quotation marks, a fence or `>`: its end is sure


@frozen
class _Row:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@lru_cache(maxsize=64)  # several rules read the same prompt, one after the other
def list_material(text: str) -> tuple[Material, ...]:
    """Return what of a prompt is somebody else's text, in its order."""
    if len(text) > _TEXT_CHARS_READ or ("\n" not in text and ":" not in text):
        return ()
    return tuple(_find_material(_list_rows(text)))


def cut_material(text: str, mark: str) -> str:
    """Return a prompt without what is somebody else's; a mark stands where a line goes on."""
    own, at = "", 0
    for one in list_material(text):
        own += text[at : one.start]
        is_inside = bool(own) and not own.endswith("\n")
        own += mark if is_inside else "\n" * text.count("\n", one.start, one.end)
        at = one.end
    return own + text[at:] if at else text


def _list_rows(text: str) -> list[_Row]:
    rows, at = [], 0
    for line in text.split("\n"):
        rows.append(_Row(start=at, text=line))
        at += len(line) + 1
    return rows


def _find_material(rows: list[_Row]) -> Iterator[Material]:
    at = 0
    while at < len(rows):
        row = rows[at]
        inline = _find_inline(row)
        if inline is not None:
            yield inline
            at += 1
            continue
        announced = row.text.strip() if announces(row.text) else ""
        first = _skip_empty(rows, at + 1) if announced else at
        lead = announced or (rows[at - 1].text.strip() if at else "")
        fenced = _find_fenced(rows, first, announced, lead)
        if fenced is not None:
            found, at = fenced
            yield found
            continue
        if not announced or first >= len(rows):
            at += 1
            continue
        if rows[first].text.lstrip().startswith(">"):  # its own marks say what is quoted
            at = first + 1
            continue
        end = _find_end(rows, first)
        if end <= first:
            at += 1
            continue
        yield Material(
            start=rows[first].start, end=rows[end - 1].end, announced=announced, is_marked=False
        )
        at = end
    closing = _find_handled_before(rows)
    if closing is not None:
        yield closing


@once_a_line
def announces(line: str) -> bool:
    """Tell whether a line leads to a text of somebody else's."""
    line = line.rstrip()[-_LINE_CHARS_READ:]
    if not line.strip() or _ITEM.match(line) or line.lstrip().startswith("#"):
        return False
    if _HANDLES.match(line) or _SHOWS.match(line):
        return True
    if not line.endswith(":"):
        return False
    return bool(_PRESENTS.match(line) or _SPEAKS.match(line) or _SPELLS.search(line))


def _find_inline(row: _Row) -> Material | None:
    """Return what a line quotes behind its colon: "from the docs: 'Never ...' is that so?"."""
    line = row.text[: 4 * _LINE_CHARS_READ]
    for colon in _COLON.finditer(line):
        lead = line[: colon.start() + 1]
        begin = colon.end()
        closing = _find_closing_quote(line, begin) if announces(lead) else 0
        if closing:
            return _take_inside(row, begin, closing, lead, is_marked=True)
        if _quotes_program(lead) or _HANDLES.match(lead) or _names_source(lead):
            asked = _ASKED.search(row.text, begin)
            end = asked.start() if asked else len(row.text)
            return _take_inside(row, begin, end, lead, is_marked=False)
    return None  # one person's word is told with its author


def _take_inside(row: _Row, begin: int, end: int, lead: str, *, is_marked: bool) -> Material:
    return Material(
        start=row.start + begin, end=row.start + end, announced=lead.strip(), is_marked=is_marked
    )


def _names_source(lead: str) -> bool:
    """Tell whether a few words say whose text follows; one alone says what it is of ("docs:")."""
    return " " in lead.strip() and not _ITEM.match(lead) and _NAMES.match(lead) is not None


def _quotes_program(lead: str) -> bool:
    return _SPEAKS.match(lead) is not None and _MODEL.search(lead) is not None


def _find_closing_quote(line: str, begin: int) -> int:
    """Return where a quotation that begins here ends; 0 if none does."""
    closes = _QUOTES.get(line[begin : begin + 1])
    if not closes:
        return 0
    ends = [
        found.end()
        for found in re.finditer(f"[{re.escape(closes)}](?=[\\s.,;:!?)]|\\Z)", line[begin + 1 :])
    ]
    if not ends:
        return 0
    end = begin + 1 + ends[-1]
    is_long = len(_WORD.findall(line[begin:end])) >= _MARKED_WORDS_MIN
    return end if is_long else 0


def _find_fenced(
    rows: list[_Row], at: int, announced: str, lead: str
) -> tuple[Material, int] | None:
    """Return a text between two fences, or in quotation marks, and the line after it."""
    if at >= len(rows):
        return None
    line = rows[at].text.strip()
    fence = next((each for each in _FENCES if line.startswith(each)), "")
    tag = _TAG.match(rows[at].text)
    if tag:
        end_mark = f"</{tag[1]}>"
    elif fence in ('"""', "'''", "<<<") or (fence and announced):
        end_mark = _ENDS.get(fence, fence)
        rest = line[len(fence) :]
        if rest.endswith(end_mark) and len(rest) > len(end_mark):
            return _take(rows, at, at + 1, lead)
    elif line[:1] in _QUOTES and line[:1] != "'":
        return _find_quoted(rows, at, lead)
    else:
        return None
    for other in range(at + 1, len(rows)):
        if rows[other].text.strip().endswith(end_mark):
            return _take(rows, at, other + 1, lead)
    return _take(rows, at, len(rows), lead) if announced else None


def _take(rows: list[_Row], at: int, end: int, announced: str) -> tuple[Material, int]:
    return Material(
        start=rows[at].start, end=rows[end - 1].end, announced=announced, is_marked=True
    ), end


def _find_quoted(rows: list[_Row], at: int, announced: str) -> tuple[Material, int] | None:
    """Return whole lines in quotation marks."""
    closes = _QUOTES[rows[at].text.strip()[0]]
    for other in range(at, len(rows)):
        line = rows[other].text.rstrip().rstrip(".,;!")
        body = line.strip()[1:] if other == at else line
        if body and body[-1] in closes:
            said = " ".join(one.text for one in rows[at : other + 1])
            if len(_WORD.findall(said)) < 2 * _MARKED_WORDS_MIN:
                return None
            return _take(rows, at, other + 1, announced)
        if any(mark in body for mark in closes):
            return None
    return None


def _skip_empty(rows: list[_Row], at: int) -> int:
    while at < len(rows) and not rows[at].text.strip():
        at += 1
    return at


def _find_end(rows: list[_Row], first: int) -> int:
    """Return the line behind unmarked material: the person speaks again, or nobody does."""
    if _ITEM.match(rows[first].text):
        at = first
        while at < len(rows) and (
            _ITEM.match(rows[at].text) or rows[at].text.startswith(("  ", "\t"))
        ):
            at += 1
        follows = _skip_empty(rows, at)
        if follows < len(rows):
            return at
    last = len(rows)
    while last > first and not rows[last - 1].text.strip():
        last -= 1
    begin = last
    while begin > first and rows[begin - 1].text.strip():
        begin -= 1
    if begin > first and closes(" ".join(row.text for row in rows[begin:last]), last - begin):
        return begin
    return last


def closes(paragraph: str, rows: int = 1) -> bool:
    """Tell whether a last paragraph is the person's, who asks or wants something of the text."""
    if rows > _CLOSING_LINES_MAX or len(_WORD.findall(paragraph)) > _CLOSING_WORDS_MAX:
        return False
    return paragraph.rstrip().endswith("?") or _TALKS.match(paragraph) is not None


def _find_handled_before(rows: list[_Row]) -> Material | None:
    """Return what stands before a last line that says what is to be done with a text."""
    filled = [at for at, row in enumerate(rows) if row.text.strip()]
    if len(filled) <= 1:
        return None
    last = rows[filled[-1]].text
    if not _HANDLES_BEFORE.match(last) or announces(rows[filled[0]].text):
        return None
    first, end = rows[filled[0]], rows[filled[-2]]
    return Material(start=first.start, end=end.end, announced=last.strip(), is_marked=False)
