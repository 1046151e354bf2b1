"""The words by which a ruling chooses, forbids, gives up or changes something. Tables.

What marks a stance is one expression with a name for each role; plain words are looked up in the
sets below it. English comes first because most people prompt in it; then German, French, Spanish
and Portuguese, then scripts without spaces, in which what is given up may stand before its word.
"""

from __future__ import annotations

import re

from agentx.kernel.text import compile_late
from agentx.prose.keyphrases import terms

# Why it is so: nothing that is said after it is ruled.
_REASON = r"""
    because | since | now that | so that | due to | as (?:it|we|they) | otherwise | weil | wegen
    denn | damit | sonst | parce que | car | puisque | porque | ya que | pues | pois | per[o\u00f2]
    """
# Followed by what is not taken.
_INSTEAD = r"""
    instead of | rather than | in place of | anstatt | statt | anstelle von | en lugar de
    en vez de | au lieu de | plut\u00f4t que(?: de)? | [a\u00e0] la place de | em vez de
    ao inv\u00e9s de | invece di
    """
_NO = r"""
    no more | without | kein\w* | nie wieder | ohne | pas de | plus de | sans | sin | nada de | sem
    no longer (?:us(?:e|es|ing)|need|want|deploy with|rely on) | (?:stop|quit) using | get rid of
    drop(?:ping|ped)? | remov(?:e|ing) | ditch(?:ing)? | scrap(?:ping)? | kill | abandon(?:ing)?
    retir(?:e|ing) | disabl(?:e|ing) | (?:turn|switch) off | throw out | do away with | bye bye
    out with
    entfern\w* | streich\w* | verzicht\w* auf | weg mit | deaktivier\w* | abandonn\w+ | supprim\w+
    enl[e\u00e8]v\w+ | d\u00e9sactiv\w+ | n'utilis\w+ plus | arr[e\u00ea]t\w+ d'utiliser | quita\w*
    elimina\w* | desactiva\w* | deja(?:d|mos|r)? de usar | ya no us\w+ | remov[ae] | tir[ae]
    n[a\u00e3]o us\w+ mais
    """
_REPLACE = r"""
    replac(?:e|es|ing) | swap(?: out)? | exchange | ersetz\w* | tausch\w* | remplac\w+
    reemplaz\w+ | sustitu\w+ | substitu\w+
    """
# "Switch the queue from X to Y": only with one of these is "from" a giving up.
_MOVE = r"""
    switch(?:es|ing)? | mov(?:e|ing) | migrat(?:e|ing) | convert | port | wechs\w+ | umstell\w*
    stell\w* | umstieg | migrier\w* | passe[rz]? | passons | migre\w* | cambia\w* | pasa\w*
    migra\w* | muda\w*
    """
_NOT = r"""
    never | (?:do|does|must|should|shall|may|can|need|are|is) not | (?:do|does|must|should|need)n'?t
    can'?t | cannot | no need to | not | nicht | nie | niemals | ne | n' | jamais | nunca
    jam\u00e1s | n\u00e3o | stop(?= \w+ing) | avoid(?= \w+ing) | no (?=us[ae]s?\b|pongas|hagas)
    forbidden | banned | prohibited | verboten | interdit\w* | prohibid\w+
    """
_MAY = r"""
    you may | we may | may | you can | we can | can | (?:is|are) (?:now )?(?:fine|ok(?:ay)?|allowed)
    feel free to | darf\w* | d\u00fcrf\w+ | kannst | k\u00f6nnt | erlaubt | peux | pouvez | puedes
    podemos | permitid\w+ | pode | bring back | again allowed
    """
_NOW = r"""
    instead | now | again | after all | from now on | going forward | any ?more | no longer
    finally | actually | (?:go|going|went|goes) back to | back to | henceforth | as of (?:now|today)
    on second thought | chang(?:e|ed|ing)
    jetzt | ab (?:jetzt|sofort|heute) | doch | lieber | wieder | k\u00fcnftig | nicht mehr | nun
    finalement | d\u00e9sormais | maintenant | plut\u00f4t | de nouveau | dor\u00e9navant | ahora
    a partir de (?:ahora|hoy) | mejor | al final | finalmente | de nuevo | otra vez | agora | passer
    """
_ALSO = r"""
    also | too | as well | additionally | in addition | besides | another | both | as an exception
    auch | zus\u00e4tzlich | au\u00dferdem | aussi | en plus | \u00e9galement | tambi\u00e9n
    adem\u00e1s | tamb\u00e9m | only for (?:this|now) | this time | this once
    """
_BEFORE = (  # what stands before it is not taken
    r"\u3067\u306f\u306a\u304f|\u306e\u4ee3\u308f\u308a\u306b|\u3092\u3084\u3081|\u306f\u3084\u3081"
    r"|\u3092\u5ec3\u6b62|\u306f\u4f7f\u308f\u306a"
    r"|\u304b\u3089(?=\S*?\u306b(?:\u5909\u66f4|\u79fb\u884c|\u5207\u308a\u66ff\u3048))"
    r"|\ub9d0\uace0|\ub300\uc2e0|\uc544\ub2c8\ub77c"
)
_CJK = {
    "reason": "\u56e0\u4e3a|\u7531\u4e8e|\u306e\u3067|\u305f\u3081",
    "no": r"\u4e0d\u518d(?:\u4f7f)?\u7528|(?:\u4e0d\u8981|\u522b|\u4e0d)\u7528"
    r"|\u5f03\u7528|\u505c\u7528|\u53bb\u6389|\u79fb\u9664|\u7981\u7528|\u800c\u4e0d\u662f|\u4e0d\u662f",
    "before": _BEFORE,
    "not": r"\u4e0d\u8981|\u4e0d\u80fd|\u4e0d\u5f97|\u7981\u6b62|\u4e0d\u53ef|\u522b"
    r"|\u3057\u306a\u3044\u3067|\u3057\u3066\u306f\u3044\u3051|\ud558\uc9c0 ?\ub9c8|\uc548 ?\ub3fc",
    "may": "\u53ef\u4ee5|\u5141\u8bb8|\u3057\u3066\u3082\u3088\u3044|\u3057\u3066\u3082\u3044\u3044"
    "|\ud574\ub3c4 ?\ub429",
    "now": r"\u73b0\u5728|\u4ee5\u540e|\u4eca\u5f8c|\u3053\u308c\u304b\u3089|\u3084\u306f\u308a"
    r"|\u3084\u3063\u3071\u308a|\uc774\uc81c|\uc55e\uc73c\ub85c",
    "anew": r"[\u6539\u6362][\u7528\u6210\u4e3a]|\u306b\u5909\u66f4|\u306b\u5207\u308a\u66ff\u3048"
    r"|\u306b\u79fb\u884c|\ub85c ?\ubc14\uafb8|\ub85c ?\ubcc0\uacbd",
    "use": r"[\u91c7\u4f7f]?\u7528|\u306b\u3059\u308b|\u306b\u3057(?:\u307e\u3059|\u3066)"
    r"|\u3092\u4f7f(?:\u3046|\u3044|\u3063\u3066)|\uc0ac\uc6a9\S*|\uc368\S*|\uc4f0\S*",
    "also": "\u4e5f|\u8fd8\u8981|\u307e\u305f",
}


def _list_entries(table: str) -> str:
    rows = (row.strip().split(" | ") for row in table.strip().splitlines())
    return "|".join(each for row in rows for each in row)


_SPACED = {
    "reason": _REASON,
    "instead": _INSTEAD,
    "no": _NO,
    "replace": _REPLACE,
    "move": _MOVE,
    "not": _NOT,
    "may": _MAY,
    "now": _NOW,
    "also": _ALSO,
    "nothing": "no",
}
MARKS = compile_late(
    r"\b(?:"
    + "|".join(f"(?P<{role}>{_list_entries(table)})" for role, table in _SPACED.items())
    + r")(?<=['\w])(?!\w)",
    re.IGNORECASE,
)
MARKS_UNSPACED = compile_late("|".join(f"(?P<{role}>{table})" for role, table in _CJK.items()))

# What parts the pieces of a clause, by language: articles of one are such words in another.
_PREPOSITIONS = {
    "en": "for in on at to into onto with by from of via as under over within inside per through",
    "de": "f\u00fcr in im ins auf bei mit durch von vom zu zum zur als an am unter gegen nach aus",
    "fr": "pour dans sur avec par de du des d en \u00e0 au aux comme chez vers contre",
    "es": "para en con por de del a al como sobre hacia desde",
    "pt": "para em com por de do da no na nos nas como a ao",
}
_TELLING = {
    "en": "the we is are use set keep it you this our not don't never always must and drop a",
    "de": "der die das wir ersetze nimm und ist nicht immer nie statt bitte den dem ein eine",
    "fr": "le la les on nous remplace abandonne est pas et utilise une plut\u00f4t toujours jamais",
    "es": "el la los las usa usamos no es y una siempre nunca cambia",
    "pt": "o os as usa usamos n\u00e3o \u00e9 e uma sempre nunca",
}
PREPOSITIONS = {name: frozenset(words.split()) for name, words in _PREPOSITIONS.items()}
TELLING = {name: frozenset(words.split()) | PREPOSITIONS[name] for name, words in _TELLING.items()}
# Of these pieces one may be what was chosen; the others say for what it was.
VALUE_PREPOSITIONS = frozenset(
    "to with by as durch auf zu zum mit par vers avec por con a \u00e0 como para".split()
)
SCOPE_PREPOSITIONS = frozenset("for of f\u00fcr von pour de para".split())
PLACE_PREPOSITIONS = frozenset(
    "in on to into onto at im ins auf dans sur vers en \u00e0 em a sobre".split()
)

CHOOSES, PLACES, GIVES, SETS = "choose", "place", "give", "set"
_VERBS = {
    CHOOSES: """use uses using take takes choose pick adopt prefer go stick add introduce enable
        include install nimm nehmt nehmen nutze nutzen nutzt verwende verwenden verwendet benutze
        benutzen utilise utilisez utilisons utiliser prends prenez prenons garde usa usar usamos
        usad utiliza utilizar utilizamos toma usem usamos""",
    PLACES: """store stores save put host write writes log send sends place publish cache goes
        speichere speichern lege legen schreibe schreiben stocke stockez stocker enregistre guarda
        guardar guardamos pon escribe""",
    GIVES: "return returns respond responds answer answers throw throws emit emits render renders",
    SETS: """set sets keep keeps raise lower bump increase reduce limit cap pin make run runs call
        setze setzt halte r\u00e8gle mets pon""",
}
KIND_OF_VERB = {verb: kind for kind, verbs in _VERBS.items() for verb in verbs.split()}
# After a word of its own kind, or an article, each of these is a thing.
ALSO_THINGS = frozenset(
    "limit cap log cache store host place answer answers run runs call pin use set".split()
)
ARTICLES = frozenset("the a an our your every all any no this that".split())
MOVES_A_VALUE = frozenset("raise lower bump increase reduce".split())
# Who says it, and how firmly: neither verb nor thing.
IDLE = frozenset(
    """we you i it they let let's lets please pls ok okay yes no and so then well right also just
    must should shall will would have has need needs want wants to be been being do does always
    directly directamente directement direkt simply entirely completely altogether everywhere
    every only all any now the a an our your wir ihr du ich bitte dann immer muss soll sollen man
    nur on nous vous je il faut doit toujours siempre nosotros hay que debe se lo el la los las le
    les der die das den dem ein eine einen sempre o os as um uma""".split()
)
COPULAS = frozenset(
    "is are be stays stay remains ist sind bleibt est sont es son \u00e9 s\u00e3o".split()
)
NUMBER_WORDS = {
    word: str(number)
    for row in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "null ein zwei drei vier f\u00fcnf sechs sieben acht neun zehn elf zw\u00f6lf",
        "- un deux trois quatre cinq six sept huit neuf dix onze douze",
        "- uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for number, word in enumerate(row.split())
}
_UNITS = {
    "time": """ns us ms s sec secs second seconds min mins minute minutes h hr hrs hour hours d day
        days week weeks month months year years sekunden sekunde minuten stunden stunde tage tagen
        wochen monate jahre secondes heures heure jours jour semaines mois ans segundos minutos
        horas hora d\u00edas dias semanas meses a\u00f1os anos""",
    "size": "b byte bytes kb mb gb tb kib mib gib tib ki mi gi k m g",
    "share": "% percent prozent pourcent",
    "money": "eur euro euros usd dollar dollars $ \u20ac",
}
DIMENSION_OF_UNIT = {unit: name for name, units in _UNITS.items() for unit in units.split()}
# A number after one of these is its name.
NUMBERED = frozenset(
    """tenant issue pr step phase sprint customer user account milestone chapter section task
    item rule case row line page round stage part shard region option server host team week day
    number topic mandant schritt kunde \u00e9tape client paso cliente""".split()
)
# And after one of these its value; after any other plain word it is a name.
_VALUED = frozenset("port version limit size count level timeout width depth seed".split())
BEFORE_VALUES = frozenset().union(_VALUED, IDLE, COPULAS, KIND_OF_VERB, *PREPOSITIONS.values())
# Slots that hold one thing only.
EXCLUSIVE = frozenset(
    """indentation indent quotes quote formatter linter database licence license encoding theme
    timezone bundler einr\u00fcckung indentaci\u00f3n""".split()
)
UNIT_TERMS = frozenset(term for unit in DIMENSION_OF_UNIT for term in terms(unit))
# By which the oldest is named that will do.
FLOORS = terms(
    "supports minimum minimal requires targets oldest lowest versions newer unterst\u00fctzen"
    " mindestens supporte soportamos"
)
