"""How a person wants things to be, whatever the task: likes, habits, "always", "from now on".

A wish is known by its form, as short as it may be: "I hate ORMs", "tabs > spaces". What somebody
likes of the work at hand ("I like it", "I hate this bug") is none.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.prose import cues
from agentx.prose.sentences import once_a_line

_OPENING = (
    r"\W*(?:(?:ok(?:ay)?|well|so|and|but|also|please|good|great|nice|btw|by the way|fyi|note"
    r"|personally|generally|in general|as you know)\b[\s,.!:;-]+)*"
)
# What is of this moment, and not of all.
_AT_HAND = (
    r"(?:it|its|that|this|these|those|the|you|your|his|her|their|my|our|how|what|where|when|why"
    r"|to (?:see|know|think|hear|say|ask|understand)|a|an|one|both|neither|either|all|so|working"
    r"|seeing|having|option|plan|version|number|\d)\b"
)
_LIKES = compile_late(
    rf"(?i:{_OPENING}(?:i|we) (?:(?:really|just|always|generally|usually|much|strongly) )?"
    r"(?:like|love|prefer|hate|dislike|loathe|despise|can'?t stand|cannot stand|detest)"
    rf" (?!{_AT_HAND})[\w`@\"'#])"
)
# "tabs > spaces": what is better than what.
_BETTER = compile_late(r"\W*[^\W\d][\w.+#-]*(?: [^\W\d][\w.+#-]*)? ?>{1,3} ?[^\W\d][\w.+#-]*\W*\Z")
# "commit messages in english pls": of all of them, without a verb.
_OF_ALL = compile_late(
    r"(?i:\W*(?:(?!the\b|these\b|those\b|more\b|some\b|other\b|next\b|two\b|three\b)[a-z][\w-]* )?"
    r"(?!this|does|is|was|has|thanks|yes|as|its|always|pass|address|access|process|needs)"
    r"[a-z][\w-]*[a-rt-z]s (?:in|with|without|as|only in|only with) [\w`-]+(?: [\w`-]+)?,?"
    r" (?:please|pls|plz|bitte)\W*\Z)"
)
# How an agent is to speak; what a program answers with is none.
_SPEAKS = compile_late(
    rf"(?i:{_OPENING}(?:please )?(?:always )?(?:"
    r"(?:answer|reply|respond|speak|talk|write)(?: to me| back)? (?:\w+ )?(?:in|with|using)"
    r" (?:\w+ ){0,2}"
    r"(?:sentences?|words?|bullets?|bullet points|english|german|french|spanish|italian|portuguese"
    r"|dutch|polish|russian|turkish|arabic|hebrew|hindi|chinese|japanese|korean)"
    r"|be (?:more |very )?(?:brief|concise|terse|short|direct|succinct)"
    r"|keep (?:it|(?:your |all |the )?(?:answers|replies|responses|explanations|summaries))"
    r" (?:short|brief|concise|to the point"
    r"|(?:to|under|below) (?:a|one|two|three|four|five|\d+) (?:sentences?|lines?|words?)))\b)"
)
# From now on, always, never: of languages whose verbs do not say so.
FOR_EVER = cues.anywhere(
    r"""
    from (?:now|here|today) on(?:wards?)? | from here on out | going forward
    under no circumstances | no matter what
    bitte (?:.{1,60}? )?(?:immer|nie|niemals) | ab (?:jetzt|sofort) | a partir de ahora | siempre
    d\u00e9sormais | toujours | dor\u00e9navant | d'ora in (?:poi|avanti) | sempre
    immer (?:auf (?:englisch|deutsch)|mit|ohne|erst|nur|zuerst|\u00fcber) | niemals \w+en
    auf keinen fall | unter keinen umst\u00e4nden | nie (?:wieder|ohne|direkt) | en ning\u00fan caso
    sous aucun pr\u00e9texte
    von nun an | k\u00fcnftig | in zukunft | a partire da (?:ora|oggi) | non \w+ mai
    her zaman | asla | bundan (?:sonra|b\u00f6yle) | voortaan | altijd | zawsze | nigdy | od teraz
    """,
    r"""
    \u4eca\u5f8c | \u5fc5\u305a | \u306a\u3044\u3067\u304f\u3060\u3055\u3044 | \u4eca\u540e
    \u4ece\u73b0\u5728\u8d77 | \u4ee5\u540e | \u4e00\u5f8b | \ud56d\uc0c1 | \uc808\ub300
    \u0432\u0441\u0435\u0433\u0434\u0430 | \u043d\u0438\u043a\u043e\u0433\u0434\u0430
    \u043e\u0442\u043d\u044b\u043d\u0435 | \u0432\u043f\u0440\u0435\u0434\u044c
    \u0437\u0430\u0432\u0436\u0434\u0438 | \u043d\u0456\u043a\u043e\u043b\u0438
    \u5e38\u306b | \u6c7a\u3057\u3066 | \u7d76\u5bfe\u306b | \u4eca\u65e5\u304b\u3089
    \u6c38\u8fdc | \u603b\u662f | \u59cb\u7ec8 | \u7edd\u4e0d | \u5207\u52ff
    \u5343\u4e07\u4e0d\u8981
    \u062f\u0627\u0626\u0645\u0627 | \u062f\u0627\u0626\u0645\u064b\u0627
    \u0623\u0628\u062f\u0627 | \u0623\u0628\u062f\u064b\u0627
    \u0645\u0646 \u0627\u0644\u0622\u0646 \u0641\u0635\u0627\u0639\u062f\u0627
    \u0645\u0646 \u0627\u0644\u0622\u0646 \u0641\u0635\u0627\u0639\u062f\u064b\u0627
    \u0645\u0646 \u0627\u0644\u0622\u0646 \u0648\u0635\u0627\u0639\u062f\u0627
    \u05ea\u05de\u05d9\u05d3 | \u05dc\u05e2\u05d5\u05dc\u05dd | \u05d0\u05e3 \u05e4\u05e2\u05dd
    \u05de\u05e2\u05db\u05e9\u05d9\u05d5 | \u05de\u05d4\u05d9\u05d5\u05dd
    """,
)
# What goes wrong every time is told with the same words.
_FALLS = compile_late(
    r"\u043f\u0430\u0434\u0430\u0435\u0442|\u043b\u043e\u043c\u0430\u0435\u0442"
    r"|\u043d\u0435 \u0440\u0430\u0431\u043e\u0442\u0430\u0435\u0442"
    r"|\u043e\u0448\u0438\u0431\u043a"
    r"|\u0641\u0634\u0644|\u062a\u0639\u0637\u0644|\u062e\u0637\u0623|\u05e0\u05db\u05e9\u05dc"
    r"|\u05e7\u05d5\u05e8\u05e1|\u05e9\u05d2\u05d9\u05d0"
    r"|\u5931\u8d25|\u62a5\u9519|\u5d29\u6e83|\u5931\u6557|\u843d\u3061"
    r"|(?i:\b(?:schl\u00e4gt|fehl|kaputt|fallisce|rompe|hata|\u00e7\u00f6k\u00fcyor|mislukt"
    r"|faalt)\b)"
)
# "Remember for good: ...", "lesson: ...": what is to be known the next time too.
_REMEMBERS = compile_late(
    rf"(?i:{_OPENING}(?:(?:please )?(?:remember|note|keep|bear)(?: (?:this|that|it|in mind))*"
    r" (?:for (?:good|ever|the future|next time|later|all time)|forever|from now on|going forward"
    r"|in (?:the )?future)\b"
    r"|(?:(?:the |my |our )?lessons?(?: learn(?:ed|t))?(?: (?:here|for (?:us|you|next time)))?"
    r"|rule (?:of thumb|for (?:us|you|the future|good|next time))|for (?:the future|next time)"
    r"|note to self|merk(?:e|t)? (?:dir|euch)(?: f\u00fcr immer)?): (?=\w+ \w+ \w))"
    r"(?!.*\?\s*\Z))"
)
# What is forbidden of all that is of a kind, and not of the thing at hand.
_FORBIDS_ALL = compile_late(
    rf"(?i:{_OPENING}(?:(?:do not|don'?t|never|stop (?!using)(?=\w+ing\b))"
    r" ?(?!it\b|that\b|this\b|them\b)\w+(?! the\b| it\b| that\b| this\b| them\b| yet\b)\b"
    r"|no [a-z][\w-]*[a-rt-z]s (?:in|on|for|at|with) (?!the\b|this\b|that\b)\w))"
)


# Said to whoever works here, of every time: by the form of the order, in whatever words.
_COURTESY = (
    r"(?:(?:kindly|please|pls|bitte|veuillez|merci de|per favore|por favor|alsjeblieft|also|and|but"
    r"|then|und|et|y|e|en|ok(?:ay)?)[\s,]+)*"
)
_BIDS = compile_late(
    rf"(?i:\W*{_COURTESY}(?:"
    # before something is done, whatever it is
    r"(?:ask|check with|consult|tell|warn|ping|notify) (?:me|us) (?:first )?"
    r"(?:before|whenever|each time|every time)\b"
    r"|frag(?:e|t)? (?:mich|uns) (?:immer |erst )*(?:bevor|vorher)|demande[zs]?[- ]moi avant"
    r"|preg[u\u00fa]nta(?:me|nos) antes|chiedi(?:mi)? prima|pergunta(?:-me)? antes"
    r"|vraag (?:me|mij|het) (?:eerst|voordat)"
    # away from something
    r"|(?:refrain|abstain|desist) from \w+ing\b|(?:stay|keep|steer) (?:away|clear) (?:from|of)"
    r"|(?:keep your )?hands off|finger weg von"
    # orders of languages that say so by their verb
    r"|(?:ne |n['\u2019])(?!(?:je|tu|il|elle|on|nous|vous|ils|marche|va|est|sont"
    r"|fonctionne|passe|compile|d\u00e9marre|charge|r\u00e9pond|sais|sait|peut|peux|veut|trouve|vois"
    r"|suis)\b)\w+ (?:pas|jamais|plus)"
    r" (?!(?:\u00e7a|ceci|cela)\b)\w"
    r"|(?:mai|non) \w+(?:are|ere|ire)\b|n\u00e3o (?!tens|s\u00e3o)\w{2,}es\b"
    r"|no (?!(?:tienes|puedes|quieres|sabes|debes|eres|haces|ves|dices|entiendes)\b)"
    r"\w{3,}[ae]s"
    r" (?:el|la|los|las|en|nada|ning\u00fan\w*|directamente|nunca)\b"
    # nothing of a kind without something
    r"|(?:geen|kein\w*|pas de|aucun\w*|ning\u00fan\w*|nessun\w*|nenhum\w*) [^.,;?]{3,60}"
    r" (?:without|zonder|ohne|sans|sin|senza|sem) \w+"
    r"|(?:house|team|project|our|my) (?:style|conventions?|rules?|polic(?:y|ies)|standards?): \w"
    r"|i'?d (?:rather|prefer(?: it)?|be grateful|appreciate it)(?: if)? you"
    r" (?:did ?n['\u2019]?t|never|always|would not|would always|would never)"
    r"|we (?:don'?t|do not|never) \w+ [^.;?]{3,60} "
    r"(?:here|in this (?:repo|project|code ?base))\W*\Z"
    r"|(?!users\b|customers\b|clients\b|things\b)"
    r"[a-z][\w-]*[a-rt-z]s (?:go|live|belong|stay|are kept) [^,.;?]{3,60}, (?:not|never)"
    r" (?:in|on|at|to|with|under|into) \w))"
)
_ON_NO_ACCOUNT = cues.anywhere(
    r"""
    on no account | in no case | en aucun cas | \u00e0 aucun prix | in nessun caso | em caso algum
    in geen geval | bajo ning\u00fan concepto | de ninguna manera
    """
)
_FOR_NOW = cues.anywhere(
    r"""
    yet | for now | today | tonight | this time | right now | until \w+ | till \w+ | heute | vorerst
    noch | bis \w+ | hoy | por ahora | hasta \w+ | aujourd'hui | pour l'instant | oggi | per ora
    hoje | at\u00e9 \w+ | vandaag | it | that | this
    """
)


@once_a_line
def bids_for_good(text: str) -> bool:
    """Tell whether a sentence orders, by its form, what is to be so whatever the task."""
    if _FOR_NOW.search(text) or text.rstrip().endswith("?"):
        return False
    return _BIDS.match(text) is not None or _ON_NO_ACCOUNT.search(text) is not None


def forbids_always(text: str) -> bool:
    """Tell whether a sentence forbids something for good, and not only of the thing at hand."""
    return _FORBIDS_ALL.match(text) is not None


def asks_to_remember(text: str) -> bool:
    """Tell whether a sentence says that something is to be known the next time too."""
    return _REMEMBERS.match(text) is not None


@once_a_line
def is_wish(text: str) -> bool:
    """Tell whether a sentence says how somebody wants things to be, whatever the task."""
    return bool(
        _LIKES.match(text)
        or _BETTER.match(text)
        or _OF_ALL.match(text)
        or _SPEAKS.match(text)
        or bids_for_good(text)
        or asks_to_remember(text)
        or (FOR_EVER.search(text) and not _FALLS.search(text))
    )
