"""Who cannot go on without access, or without somebody who has it. Tables.

    "It is not tried: I have no access to the staging cluster."
    "Removing it needs an admin of the team, my token may not touch add-ons."

Said last of all it waits for a person; said before, another way was found.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.prose import cues

_MEANS = (
    r"(?:access|permissions?|rights|credentials?|privileges|(?:a |an )?(?:login|account|licen[cs]e"
    r"|password|token|key|seat)s?)"
)
_HELD = (
    r"(?:roles?|access|permissions?|rights|credentials?|privileges|account|login|licen[cs]e|password"
    r"|owner|approval|clearance)"
)
_STUCK = r"(?:red|fail\w*|blocked|missing|wants|waits|stuck|still)"
_WANTS = r"(?:needs?|requires?|takes)"
_MEANS_DE = (
    r"(?:(?:kein\w* )(?:zugriff|zugang|rechte?|berechtigung\w*|zugangsdaten)|(?:der |die |das )"
    r"(?:zugriff|zugang|rechte?|berechtigung\w*|zugangsdaten)(?= f\u00fcr| auf|[.;,]))"
)
_LACKS = cues.anywhere(
    rf"""
    i(?:'ve| have| had)? (?:have |got )?no (?:[\w-]+ ){{0,2}}{_MEANS}
    i (?:do|did)(?:n'?t| not) have (?:the |any |enough |[\w-]+ ){{0,3}}{_MEANS}
    i (?:lack|am missing) (?:the |any |[\w-]+ ){{0,3}}{_MEANS}
    i(?:'m| am| was) not (?:allowed|permitted|authori[sz]ed|a member)
    i (?:still )?need (?:[\w-]+ ){{0,2}}(?:access|permissions?|rights|credentials|a login)
    (?:needs?|requires?|takes) (?:admin\w*|root|owner|write|sudo)(?: or [\w-]+)? (?:access|rights)
    my (?:token|account|role|user|key|credentials|permissions?) (?:may|can|do|does|is|are) ?n[o']?t
    my (?:token|account|role|user|key) (?:has no|lacks|cannot)
    (?:needs?|requires?|takes|wants) an? (?:[\w-]+ ){{0,2}}admin\w*
    \w+ing (?:(?:it|that|them|this|there|here) ){{0,2}}{_WANTS} [^.;:,]{{2,50}}?{_HELD}
    (?:which|that) i (?:was|were|am) (?:not|never) (?:given|granted|allowed)
    (?:which|that) i (?:do|did)(?:n'?t| not) have
    {_STUCK}\b[^.;]{{2,80}} only (?:the|an?) (?:[\w-]+ ){{0,4}}(?:can|may)
    only an? (?:[\w-]+ ){{0,2}}admin\w* (?:can|may)
    (?:has|have|needs?|must)(?: to)? be \w+ by (?:somebody|someone|an? admin\w*|whoever|a person)
    (?:ich habe|habe ich|wir haben|mir fehl\w+) (?:\w+ ){{0,3}}{_MEANS_DE}
    (?:braucht|muss|kann nur) (?:noch )?(?:ein\w*|der|die) (?:[\w-]+ )?admin\w*
    je n['\u2019]ai pas (?:l['\u2019]|d['\u2019]|les |le |de )?(?:acc\u00e8s|droits?|identifiants)
    (?:il faut|n\u00e9cessite) un (?:acc\u00e8s )?admin\w*
    no tengo (?:el |los |las |ning\u00fan )?(?:acceso|permisos?|credenciales)
    (?:hace falta|se necesita|necesita) (?:que )?un admin\w*
    non ho (?:l['\u2019]|i |le )?(?:accesso|permessi|credenziali) | serve un amministratore
    n\u00e3o tenho (?:o |as )?(?:acesso|permiss\w+|credenciais) | precisa de um admin\w*
    ik heb geen (?:toegang|rechten)
    """
)
# What a program asks of who uses it, and what holds in some case only.
_OF_USERS = compile_late(
    r"(?i:\b(?:users?|visitors?|customers?|members?|guests?|clients?|requests?|calls?"
    r"|who(?:ever)? \w+s|(?:every|each|any) \w+)\b"
    r"[^.;:]{0,40} (?:needs?|requires?)\b|\b(?:if|unless|whenever|in case) )"
)


def lacks_access(text: str) -> bool:
    """Tell whether a sentence says that access, or somebody who has it, is wanted to go on."""
    return _LACKS.search(text) is not None and not _OF_USERS.search(text)
