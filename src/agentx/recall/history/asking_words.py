"""The everyday words of questions about time and place, and the kind of line that each asks for.

A word that stands here is no subject. Most are English; German ones stand beside them, and of
scripts without spaces what is said around a time.
"""

from __future__ import annotations

import re

from agentx.conversation.toc_model import BulletKind
from agentx.kernel.text import compile_late
from agentx.search.analysis import FUNCTION_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PLAIN = FUNCTION_WORDS | _words(
    "agent agents agentx ai anybody anyone aren around assistant back busy cli codebase current "
    "currently day days didn doesn don earlier else everybody everyone everything exactly far "
    "give hasn haven hello hey hi hour hours isn just last lately later latest list look lot "
    "main month months morning most need needs new newest night nothing now ok okay people "
    "person previous previously project quarter recent recently repo repository see show since "
    "somebody someone still stuff team thing things think time times today together two up want "
    "wasn week weekend weeks went weren whole won year years yet "
    # German
    "alle alles als am an auch auf aus bei bin bis da dabei damals das dass dem den der des die "
    "du ein eine einem einen einer er es f\u00fcr gab ganz geben genau gewesen gibt habe haben "
    "habt hast hat hatte hatten heute ich ihr im ist jetzt kam kannst man mich mir mit nach noch "
    "nur oder projekt sag sage sah sein seid seit sie sind so uns und unser unsere vom von vor "
    "wann war waren was welche welchem welchen welcher welches wer werden wie wieder wir wo "
    "woran worden wor\u00fcber wurde wurden zeig zeige zu zuletzt zum zur \u00fcber "
    "tag tage tagen woche wochen "
    # French and Spanish
    "ai as avons avez ont est es suis sommes \u00e9t\u00e9 ce c' qu que quoi quel "
    "quelle je j on nous est-ce ai-je as-tu avons-nous "
    "vous moi il elle le la les un une du de des et en dans sur pour avec o\u00f9 "
    "qu\u00e9 que cu\u00e1l el los las una yo nosotros hemos he ha han hab\u00eda fue fui estaba "
    "estuve en con por d\u00f3nde m\u00ed "
    # Korean
    "\ubb50 \ubb58 \ubb34\uc5c7\uc744 \ubb34\uc2a8 \uc6b0\ub9ac \uc6b0\ub9ac\uac00 \ub0b4\uac00 "
    "\ub098\ub294 \uc77c\uc774 \uc77c\uc744"
)
HAPPENED = _words(
    "accomplish accomplished achieve achieved activities activity going happen happened happening "
    "happens history news overview progress recap report session sessions standup stand status "
    "conversation conversations discuss discussed hit met said say spend spent talk talked "
    "summarise summarize summary update updates work worked working works catch "
    "arbeit besprochen gearbeitet gemacht geschafft geschehen gesprochen getan los passiert "
    "sitzung sitzungen \u00fcberblick verlauf zusammenfassung "
    "fait faire pass\u00e9 travaill\u00e9 travail r\u00e9sum\u00e9 hice hicimos hizo "
    "hecho hacer pas\u00f3 "
    "trabaj\u00e9 trabajamos trabajo resumen "
    "\ud588\uc9c0 \ud588\uc5b4 \ud588\ub098 \ud588\ub098\uc694 \ud588\uc5c8\uc9c0 "
    "\ud588\uc2b5\ub2c8\uae4c "
    "\uc788\uc5c8\uc9c0 \uc788\uc5c8\uc5b4 \uc791\uc5c5\ud588\uc9c0"
)
STOPPED = _words(
    "end ended ends interrupted leave continue continued halt halted pause paused pick picked quit "
    "resume resumed stop stopped stopping stuck aufgeh\u00f6rt geblieben stehengeblieben stehen"
)
LEFT = _words(
    "incomplete leftover leftovers left missing next open outstanding pending remain remaining "
    "remains task tasks todo todos undone unfinished unresolved unsolved upcoming waiting waits "
    "steps step wait wartet warten espera esperando attend attendent "
    "aufgaben ausstehend n\u00e4chste n\u00e4chstes offen offene \u00fcbrig"
)
BEGAN = _words("began begin beginning begun first oldest start started angefangen begonnen")
TOLD = {
    frozenset({BulletKind.DECISION, BulletKind.ANSWER}): _words(
        "agree agreed choose chose chosen decide decided decides decision decisions settle settled "
        "beschlossen entscheidung entscheidungen entschieden"
    ),
    frozenset({BulletKind.CHANGE, BulletKind.OUTCOME}): _words(
        "build built change changed changes commit commits committed complete completed edit "
        "edited finish finished fix fixed fixes implement implemented merge merged modified "
        "release released ship shipped touch touched write wrote "
        "behoben fertig gebaut geschrieben ge\u00e4ndert \u00e4nderung \u00e4nderungen"
    ),
    frozenset({BulletKind.PROBLEM}): _words(
        "break broke broken bug bugs crash crashed error errors fail failed failing fails failure "
        "failures problem problems trouble wrong fehler kaputt probleme schief schiefgegangen"
    ),
    frozenset({BulletKind.QUESTION, BulletKind.REQUEST}): _words(
        "ask asked question questions request requested requests frage fragen gefragt"
    ),
}
# What is said around a time where no spaces are: who, what, did, was.
_PLAIN_SIGNS = (
    "[\u3041-\u3096\u30fc]|[\u4f55\u8ab0\u79c1\u6211\u4eec\u5011\u4f60\u4ffa\u50d5\u9054\u4e8b\u51fa\u6765\u4f86\u884c\u8d77]|\u4eca|\u4f5c\u696d|\u4ed5\u4e8b|\u4f1a\u8a71|\u72b6\u6cc1|\u9032\u6357|\u6d3b\u52d5|\u5185\u5bb9|\u6559|"
    "[\u505a\u5e72\u5e79\u7684\u4e86\u5417\u55ce\u5462\u662f\u5728\u6709\u904e\u8fc7]|\u4ec0\u4e48|\u4ec0\u9ebc|\u53d1\u751f|\u767c\u751f|\u5de5\u4f5c|\u5b8c\u6210|\u4e86"
)
_TOLD_SIGNS = {
    "\u6c7a\u5b9a|\u6c7a\u3081|\u51b3\u5b9a": "decided",
    "\u5909\u66f4|\u4fee\u6b63|\u66f4\u6539|\u6539": "changed",
    "\u5931\u6557|\u554f\u984c|\u30a8\u30e9\u30fc|\u5931\u8d25|\u95ee\u9898|\u9519\u8bef": "failed",
    "\u8cea\u554f|\u95ee": "asked",
}
_UNSPACED = compile_late(rf"(?:{_PLAIN_SIGNS}|{'|'.join(_TOLD_SIGNS)})+")


def read_unspaced(word: str) -> list[str]:
    """Return a word of a script without spaces in English words; itself where it is a subject."""
    if word.isascii() or not _UNSPACED.fullmatch(word):
        return [word]
    return [english for signs, english in _TOLD_SIGNS.items() if re.search(signs, word)] or ["did"]
