"""What an agent says of the moment only: nobody is glad to read it another day.

"Commit succeeded, all 1,241 tests pass."               how it came out
"`main` is up to date; `fix/x` is deleted locally."     where branches stand
"I sent that to the worktree agent."                    who was given what
"Overall, this is a solid update."                       praise
"The certificate expired. The api cannot connect."      the state of an outage

A sentence that also says what is not so, what is needed or why is more than that.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.prose.sentences import once_a_line, sentences

_AGENT = r"(?:sub-?)?(?:agents?|workers?|reviewers?|helpers?)\b"
_CHECK = r"(?:tests?|checks?|hooks?|suites?|lint(?:er|ing)?|type-?check(?:s|ing)?|build|ci)"
_PASSED = (
    r"(?:(?:now|all|still|also) )*(?:pass(?:es|ed|ing)?\b|succeed(?:s|ed)?\b"
    r"|(?:is|are|was|were|came (?:back|out)) (?:now |all |still )?(?:green|clean|passing)\b)"
)
_MADE = r"(?:good|nice|great|solid|clean|excellent|strong|elegant|beautiful)"
_MOMENT = compile_late(
    r"\W*(?i:"
    # How it came out.
    r"(?:the |my |your )?(?:commit|push|merge|rebase|pull)(?: \S+)? "
    r"(?:succeeded|went through|was successful|is done|(?:is )?complete[ds]?)\b"
    r"|(?:latest |head |new )?commit(?: hash| id)?: \W*[0-9a-f]{7,40}\W*\Z"
    rf"|(?:(?:all|every|the)(?: \S+){{0,4}} )?{_CHECK}(?: \S+){{0,2}} {_PASSED}"
    r"(?: [^\s:;,]+){0,3}\W*\Z"
    r"|(?:verification|validation|testing) (?:was|is) (?:targeted|complete|done|clean|green)\W*\Z"
    # Where branches stand.
    r"|(?:the |my |your )?(?:local |remote )?(?:working tree|work ?tree|checkout"
    r"|(?:(?:branch|repo|repository) )?`?[\w./-]+`?(?: branch)?) "
    r"(?:is |was |has been |are |were )?(?:now |already |again )*"
    r"(?:fast-forwarded|up[- ]to[- ]date|in sync|ahead of|checked out|deleted locally)\b"
    r"|(?:the |my |your )?(?:working tree|work ?tree|git status) is (?:now )?clean\b"
    # Who was given what.
    r"|i(?:['\u2019]ve| have)? (?:just |now |also |already )?(?:sent|passed|forwarded|relayed"
    r"|handed|gave|dispatched|spawned|launched|started|asked|told|instructed|pinged|briefed) "
    rf"(?:\S+ ){{0,6}}{_AGENT}"
    rf"|(?:the|that|this|my|both|each|all)(?: [\w-]+){{0,3}} {_AGENT} "
    r"(?:is|was|are|were|has been|have been) (?:still |now |also |already )?"
    r"(?:running|working|instructed|told|asked|dispatched|given|launched|waiting|briefed)\b"
    # Praise, and nothing of what is praised.
    r"|(?:overall,? )?(?:this|it|that|the [\w-]+)(?: is|['\u2019]s| looks) (?:an? )?(?:\w+ly )?"
    rf"{_MADE}"
    r"(?: (?:update|change|refactor(?:ing)?|improvement|work|pr|cleanup|addition))?\W*\Z"
    rf"|{_MADE} (?:refactor(?:ing)?|work|change|clean-?up|job|improvement|update)\W*\Z"
    r")"
)
# What is down, full or over: so until somebody mends it.
_OUTAGE = compile_late(
    r"(?i:\W*(?:[\w'\u2019./-]+ ){1,8}?(?:"
    r"(?:has |have |had )?(?:just )?expired(?: (?:at|on|last|this|yesterday|today|\d)[^.;]*)?"
    r"|(?:is|are|was|were) (?:still |now |completely |currently )?(?:full|down|offline|unreachable"
    r"|stuck|overloaded|not reachable|out of (?:memory|disk|space))"
    r"(?: (?:from|since|at|again)[^.;]*)?"
    r"|(?:cannot|can'?t|can no longer|could(?: not|n'?t)) (?:connect|start|boot|log ?in|write"
    r"|reach \S+|push(?: images?)?|pull(?: images?)?|resolve \S+|send(?: mails?)?)"
    r"|(?:answers?|returns?|gives?)(?: with)? (?:50\d|429)(?: everywhere)?"
    r"|refuses? (?:all )?(?:writes|connections|logins)|times? out|hangs"
    r"|ist (?:abgelaufen|voll|nicht erreichbar|ausgefallen)|kann sich nicht (?:verbinden|anmelden)"
    r"|ha (?:caducado|expirado)|est\u00e1 (?:lleno|ca\u00eddo|llena|ca\u00edda)|a expir\u00e9"
    r"|est (?:plein|pleine|tomb\u00e9e?)|ne r\u00e9pond (?:pas|plus)|\u00e8 scadut[oa]"
    r")\W*\Z)"
)
_AS_A_RULE = compile_late(
    r"(?i:`|\b(?:without|unless|because|since|when|whenever|if|until|every|always|by default|needs?"
    r"|must|requires?|as soon as|once|never|after|wenn|ohne|weil|immer)\b)"
)
_SAYS_MORE = compile_late(
    r"(?i:\b(?:but|however|except|although|though|only|unless|because|since|without|needs?|must"
    r"|requires?|cannot|never|should|not|until|once|when|if|still (?:fails?|open|missing)|fail\w*"
    r"|due to|so that|caused?|instead|rather)\b|n['\u2019]t\b)"
)


@once_a_line
def tells_moment(sentence: str) -> bool:
    """Tell whether a sentence of an agent is of the moment, and no more."""
    if _MOMENT.match(sentence) is not None and not _SAYS_MORE.search(sentence):
        return True
    return _OUTAGE.match(sentence) is not None and not _AS_A_RULE.search(sentence)


@once_a_line
def cut_moment(text: str) -> str:
    """Return a text without the sentences of the moment that it begins and ends with."""
    said = sentences(text)
    while said and tells_moment(said[0].text):
        said = said[1:]
    while said and tells_moment(said[-1].text):
        said = said[:-1]
    return text[said[0].start : said[-1].end] if said else ""
