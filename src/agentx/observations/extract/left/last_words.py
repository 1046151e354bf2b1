"""The words by which a last reply says that work is left, in the languages people work in. Tables.

    not yet so            "ist noch nicht gemessen", "pas encore", "not sent so far"
    remains, is lacking   "restano i test della pagina", "p95 still fails"
    waits for somebody    "on attend la relecture de Ana", "wartet auf Tom"
    stopped, not saved    "je me suis arrete la", "sin commit", "I did not promote it"

Where a session ends so few words are enough: nobody went on after them. Said before its end they
tell what was gone on with, or what a program does.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.prose import cues
from agentx.prose.sentences import once_a_line

_YET = cues.anywhere(
    r"""
    (?:not|\w+n['\u2019]?t|nothing|nobody|none|never) (?!exist )(?:[\w'-]+ ){0,5}?(?:yet|so far)
    (?:has|have) (?:still )?not (?:come|arrived|been \w+ed) | still (?:not|no|hasn't|haven't)
    (?:immer )?noch (?:nicht|kein\w*|nie) | bisher (?:nicht|kein\w*)
    (?:todav\u00eda|a\u00fan|aun) (?:no|sin) | sigue sin
    pas encore | toujours pas | non (?:\w+ ){0,3}ancora | ancora (?:non|da)
    ainda (?:n\u00e3o|por|faltam?) | nog (?:niet|geen|steeds)
    """,
    r"""
    \u307e\u3060.{0,30}(?:\u307e\u305b\u3093|\u306a\u3044|\u3066\u3044\u306a)
    \u672a(?:\u5bfe\u5fdc|\u5b9f\u88c5|\u30b3\u30df\u30c3\u30c8|\u5b8c\u4e86|\u78ba\u8a8d)
    \u672a(?:\u7740\u624b|\u5b9f\u884c|\u30c6\u30b9\u30c8|\u691c\u8a3c)
    \u8fd8\u6ca1 | \u9084\u6c92 | \u5c1a\u672a | \u8fd8\u672a
    \u672a(?:\u5b8c\u6210|\u63d0\u4ea4|\u6d4b\u8bd5|\u5b9e\u73b0|\u9a8c\u8bc1) | \uc544\uc9c1
    (?:\u0435\u0449\u0451|\u0435\u0449\u0435|\u043f\u043e\u043a\u0430) \u043d\u0435
    \u05e2\u05d3\u05d9\u05d9\u05df \u05dc\u05d0 | \u05d8\u05e8\u05dd
    """,
)
_REMAINS = cues.anywhere(
    r"""
    (?:all|what|which)(?: that)?(?:'s| is| are)? (?:still )?(?:left|missing)(?= |:)
    (?:is|are) (?:all )?(?:that is )?(?:still )?left (?:to|for|over)
    (?:is|are|has|have) to be \w+(?: \w+)? (?:again|by hand|manually|later|after|once|on)
    still (?:fail(?:s|ing)?|breaks?|hangs?|crash\w*|red|broken|open|missing|outstanding|pending)
    (?:remains?|stays?) (?:to be|open|undone|unfixed|uncommitted)
    (?:noch|weiter(?:hin)?|immer noch) (?:offen|rot|zu \w+en|kaputt)
    (?:scheitert|h\u00e4ngt|fehlt) noch
    noch (?:fehlt|fehlen|aussteht|ausstehen) | steh(?:t|en) noch | bleib(?:t|en) (?:noch )?offen
    qued[a\u00f3]n? (?:por|pendientes?|un\w*|el|la|los|las)
    (?:est\u00e1|est\u00e1n|sigue|siguen) pendientes?
    por hacer | (?:me |nos )?faltan? (?:por|el|la|los|las|un\w*|\d+|dos|tres)
    reste(?:nt)? (?:aussi |encore |donc |juste )*(?:\u00e0|le|la|les|une?|des|deux|trois|\d+)
    manque(?:nt)? (?:encore )?(?:le|la|les|une?|des|deux|trois|\d+) | en suspens | reste \u00e0
    (?:resta|restano|rimane|rimangono|manca|mancano) (?!valid|\w+ (?:uguale|invariat))\w+
    in sospeso
    da (?:fare|completare|verificare)(?=[.:;,]|\Z)
    (?:faltam?|restam?) (?:o|a|os|as|um\w*|dois|duas|tr\u00eas|\d+|ainda) | por fazer
    fic(?:a|am|ou) por
    ontbre(?:ekt|ken) | moet(?:en)? nog | nog (?:te|open) | staat nog
    """,
    r"""
    \u6b8b\u308a(?:\u306e|\u306f|\u3001|:|\uff1a|\d)
    \u6b8b\u3063\u3066(?!\u3044\u307e\u305b\u3093|\u3044\u306a\u3044) | \u6b8b\u30bf\u30b9\u30af
    \u6b8b\u4f5c\u696d | \u6b8b\u4ef6
    \u5269\u4e0b | \u5269\u4f59 | \u5f85\u529e | \u5f85\u5904\u7406
    \u8fd8(?:\u9700|\u8981|\u5269|\u5dee) | (?:\u8fd8\u6ca1|\u6ca1)\u505a | \ub0a8\uc740
    \ub0a8\uc558 | \ub0a8\uc544 ?\uc788
    \u043e\u0441\u0442\u0430(?:\u043b\u0430\u0441\u044c|\u043b\u043e\u0441\u044c)
    \u043e\u0441\u0442\u0430\u043b\u0438\u0441\u044c
    \u043e\u0441\u0442\u0430\u043b\u0441\u044f
    \u043e\u0441\u0442\u0430(?:\u0451\u0442\u0441\u044f|\u0435\u0442\u0441\u044f)
    \u043e\u0441\u0442\u0430\u044e\u0442\u0441\u044f
    \u043d\u0443\u0436\u043d\u043e \u0435\u0449\u0451
    """,
)
_WAITS = cues.anywhere(
    r"""
    wart(?:et|en|e) (?:noch )?auf | (?:a la|en) espera de
    (?:estamos |estoy )?esperando (?:a|que|el|la)
    (?:on|nous|j'|l'\u00e9quipe) ?attend\w* | en attente d[eu'] | en attente de la
    in attesa d\w+ | aspett(?:a|o|iamo) (?:che|il|la|i|le|l')
    (?:estamos )?aguardando | aguarda | \u00e0 espera d\w+ | wacht(?:en)? (?:nog )?op
    """,
    r"""
    (?:\u627f\u8a8d|\u78ba\u8a8d|\u8fd4\u4e8b|\u56de\u7b54)(?:\u3092)?\u5f85
    (?:\u8fd4\u4fe1|\u30ec\u30d3\u30e5\u30fc|\u9023\u7d61|\u5224\u65ad)(?:\u3092)?\u5f85
    \u7b49(?:\u5f85)?.{1,12}(?:\u5ba1|\u6279|\u786e\u8ba4|\u56de\u590d)
    \u7b49(?:\u5f85)?.{1,12}(?:\u540c\u610f|\u63d0\u4f9b|\u51b3\u5b9a)
    (?:\uc2b9\uc778|\ud655\uc778|\ub2f5\ubcc0).{0,3}(?:\ub300\uae30|\uae30\ub2e4)
    (?:\ud68c\uc2e0|\ub9ac\ubdf0).{0,3}(?:\ub300\uae30|\uae30\ub2e4)
    \u0436\u0434(?:\u0451\u0442|\u0435\u0442|\u0451\u043c|\u0435\u043c|\u0443|\u0443\u0442)
    \u043e\u0436\u0438\u0434\u0430
    """,
)
_STOPPED = cues.anywhere(
    r"""
    (?:hier|da|dort|damit) (?:habe ich |bin ich )?aufgeh\u00f6rt
    (?:me detuve|lo dej\u00e9|par\u00e9) (?:en|aqu\u00ed|ah\u00ed|ahi)
    je me suis arr\u00eat\u00e9e? | mi sono fermat[oa] | non vado avanti | parei (?:aqui|em|na|no)
    (?:ben|ik) (?:hier )?gestopt | going no further | cannot go on | can't go on
    """,
    r"""
    (?:\u3053\u3053\u307e\u3067|\u9014\u4e2d)(?:\u3067|\u306b)?(?:\u6b62|\u4e2d\u65ad|\u7d42)
    \u505c\u5728 | \u505c\u4e0b | \uc5ec\uae30\uae4c\uc9c0 | \uc911\ub2e8
    \u043e\u0441\u0442\u0430\u043d\u043e\u0432\u0438\u043b\u0441\u044f
    \u043e\u0441\u0442\u0430\u043d\u043e\u0432\u0438\u043b\u0430\u0441\u044c
    \u043e\u0441\u0442\u0430\u043d\u043e\u0432\u0438\u043b\u0438\u0441\u044c
    """,
)
_SAVED = (
    r"(?:committed|pushed|merged|deployed|released|published|applied|promoted|sent|uploaded"
    r"|installed|tested|tried|verified|measured|rolled out|run)"
)
# As a sentence says what was done, and not what a program does or will not do.
_UNSAVED = cues.anywhere(
    rf"""
    i (?:have not|haven'?t) (?:yet )?(?:\w+ )?(?:promote|apply|send|install|upload)d?
    i (?:did not|didn'?t) (?:yet )?(?:\w+ )?(?:promote|apply|send|install|upload)d?
    i (?:have not|haven'?t) (?:yet )?{_SAVED}
    (?:built|written|done|prepared|staged), (?:but )?not {_SAVED}
    nicht (?:committet|eingecheckt|gepusht|gemergt|getestet)
    nicht (?:gemessen|gepr\u00fcft|deployt|ausgerollt)
    nicht (?:ver\u00f6ffentlicht|ausprobiert|abgeschickt|verschickt)
    nicht (?:gestartet|angewendet|hochgeladen)
    sin (?:commit|subir|probar|desplegar|publicar|push)
    no (?:lo |la |los |las )?(?:he|hemos|est\u00e1|est\u00e1n) (?:commit\w*|subid\w+|probad\w+)
    no (?:lo |la |los |las )?(?:he|hemos|est\u00e1|est\u00e1n) (?:desplegad\w+|publicad\w+)
    n[\u2019']?(?:ai|est|a|ont|avons) pas (?:\u00e9t\u00e9 )?(?:commit\w*|pouss\w+|test\w+)
    n[\u2019']?(?:ai|est|a|ont|avons) pas (?:\u00e9t\u00e9 )?(?:publi\w+|d\u00e9ploy\w+)
    n[\u2019']?(?:ai|est|a|ont|avons) pas (?:\u00e9t\u00e9 )?fusionn\w+
    (?:sans|pas) commit(?:t\u00e9|er)?
    non (?:ho|\u00e8|sono|abbiamo) (?:ancora |stat\w )?(?:committ\w+|pushat\w+|provat\w+)
    non (?:ho|\u00e8|sono|abbiamo) (?:ancora |stat\w )?(?:testat\w+|pubblicat\w+)
    n\u00e3o (?:fiz|foi|est\u00e1) (?:o )?(?:commit\w*|push|testad\w+|publicad\w+|enviad\w+)
    niet (?:gecommit|gepusht|gemerged|getest|uitgerold|gepubliceerd)
    """,
    r"""
    \u30b3\u30df\u30c3\u30c8\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u307e\u305b\u3093
    \u30b3\u30df\u30c3\u30c8\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u306a\u3044
    \u30b3\u30df\u30c3\u30c8\u306f?\u3067\u304d(?:\u3044)?(?:\u307e\u305b\u3093|\u306a\u3044)
    \u30d7\u30c3\u30b7\u30e5\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u307e\u305b\u3093
    \u30d7\u30c3\u30b7\u30e5\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u306a\u3044
    \u30d7\u30c3\u30b7\u30e5\u306f?\u3067\u304d(?:\u3044)?(?:\u307e\u305b\u3093|\u306a\u3044)
    \u30de\u30fc\u30b8\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u307e\u305b\u3093
    \u30de\u30fc\u30b8\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u306a\u3044
    \u30de\u30fc\u30b8\u306f?\u3067\u304d(?:\u3044)?(?:\u307e\u305b\u3093|\u306a\u3044)
    \u30c7\u30d7\u30ed\u30a4\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u307e\u305b\u3093
    \u30c7\u30d7\u30ed\u30a4\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u306a\u3044
    \u30c7\u30d7\u30ed\u30a4\u306f?\u3067\u304d(?:\u3044)?(?:\u307e\u305b\u3093|\u306a\u3044)
    \u30c6\u30b9\u30c8\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u307e\u305b\u3093
    \u30c6\u30b9\u30c8\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u306a\u3044
    \u30c6\u30b9\u30c8\u306f?\u3067\u304d(?:\u3044)?(?:\u307e\u305b\u3093|\u306a\u3044)
    \u5b9f\u884c\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u307e\u305b\u3093
    \u516c\u958b\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u307e\u305b\u3093
    (?:\u5b9f\u884c|\u516c\u958b)\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u306a\u3044
    (?:\u5b9f\u884c|\u516c\u958b)\u306f?\u3067\u304d(?:\u3044)?\u307e\u305b\u3093
    (?:\u5b9f\u884c|\u516c\u958b)\u306f?\u3067\u304d(?:\u3044)?\u306a\u3044
    \u30ea\u30ea\u30fc\u30b9\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u307e\u305b\u3093
    \u30ea\u30ea\u30fc\u30b9\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u306a\u3044
    \u691c\u8a3c\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u307e\u305b\u3093
    \u691c\u8a3c\u306f?(?:\u3057\u3066|\u3055\u308c)(?:\u3044)?\u306a\u3044
    \u30ea\u30ea\u30fc\u30b9\u306f?\u3067\u304d(?:\u3044)?(?:\u307e\u305b\u3093|\u306a\u3044)
    \u691c\u8a3c\u306f?\u3067\u304d(?:\u3044)?(?:\u307e\u305b\u3093|\u306a\u3044)
    (?:\u6ca1\u6709?|\u672a)(?:\u63d0\u4ea4|\u63a8\u9001|\u5408\u5e76|\u90e8\u7f72)
    (?:\u6ca1\u6709?|\u672a)(?:\u53d1\u5e03|\u6d4b\u8bd5|\u8fd0\u884c|\u9a8c\u8bc1)
    (?:\ucee4\ubc0b|\ud478\uc2dc|\ubc30\ud3ec)(?:\ud558|\ub418)?\uc9c0 \uc54a
    (?:\ud14c\uc2a4\ud2b8|\ubcd1\ud569)(?:\ud558|\ub418)?\uc9c0 \uc54a
    \u043d\u0435 \u0437\u0430\u043a\u043e\u043c\u043c\u0438\u0447
    \u043d\u0435 \u0437\u0430\u043f\u0443\u0448
    \u043d\u0435 (?:\u043f\u0440\u043e\u0432\u0435\u0440|\u0442\u0435\u0441\u0442\u0438\u0440)
    \u043d\u0435 (?:\u0432\u044b\u043b\u043e\u0436\u0435|\u0441\u043b\u0438\u0442)
    \u043d\u0435 \u043e\u0442\u043f\u0440\u0430\u0432\u043b
    """,
)
_NEEDS = cues.anywhere(
    r"""
    (?:i|we)(?: still| first)? need [^.;:?]{2,60}? from (?!the (?:code|log|output))\w+
    (?:ich|wir) brauch\w* (?:noch|daf\u00fcr|dazu|erst) | (?:daf\u00fcr|dazu) brauch\w*
    (?:todav\u00eda |a\u00fan )?necesit(?:o|amos) | hace falta que | il (?:me|nous) (?:manque|faut)
    (?:mi |ci )?serv(?:e|ono) (?:ancora |prima )?(?:il|la|lo|i|gli|le|un\w*) | preciso d\w+
    """,
    r"""
    (?:\u5fc5\u8981\u306a|\u8981\u308b)\u306e\u306f | \u9700\u8981.{1,15}(?:\u63d0\u4f9b|\u7ed9)
    \u043d\u0443\u0436\u0435\u043d | \u043d\u0443\u0436\u043d\u0430 | \u043d\u0443\u0436\u043d\u044b
    """,
)
# That nothing is left is no open end, whatever the words.
_NOTHING = cues.anywhere(
    r"""
    (?:nothing|none|no (?:\w+ ){0,3}?\w+s?) (?:\w+ ){0,3}?(?:left|open|remains?)
    (?:nothing|none|no (?:\w+ ){0,3}?\w+s?) (?:\w+ ){0,3}?(?:remaining|pending|missing)
    nothing (?:else )?(?:still )?fails | no longer | any ?more | as it should | on purpose
    by design
    (?:nichts|kein\w*) (?:\w+ ){0,3}?(?:offen|fehlt|fehlen|mehr|aus|\u00fcbrig)
    no (?:queda|falta)\w* (?:nada|ningun\w*)? | nada (?:m\u00e1s )?(?:pendiente|por hacer)
    (?:il ne |ne )?(?:reste|manque) (?:plus )?(?:rien|aucun\w*) | plus rien | rien \u00e0 faire
    (?:non (?:resta|manca)|niente da|nulla da) | (?:n\u00e3o falta|nada)
    """,
    r"""
    \u6b8b\u3063\u3066\u3044\u307e\u305b\u3093 | \u6b8b\u308a\u306f\u3042\u308a\u307e\u305b\u3093
    \u6ca1\u6709(?:\u9057\u7559|\u5269\u4e0b|\u5f85\u529e) | \ub0a8\uc740 .{0,10}\uc5c6
    \u043d\u0438\u0447\u0435\u0433\u043e \u043d\u0435 \u043e\u0441\u0442\u0430
    """,
)
# What holds only in some case, or says what a program does about it.
_IN_CASE = cues.anywhere(
    r"""
    if (?:you|we|it|the|a|an|they|there) | when (?:a|an|the|it|they) | whenever | unless | would
    (?:that|which|who)(?: (?:is|are|was|were|has|have|do|does|did))?(?:n'?t| not)
    , (?:die|der|das) (?:\w+ ){0,3}noch (?:nicht|kein) | que (?:todav\u00eda|a\u00fan|ainda) n\w+
    qui (?:\S+ ){0,3}pas encore | che non
    while it | because (?:it|they) (?:is|are) not | wenn | falls | si (?:el|la|un|une|on|tu)
    quando
    """
)
# The words over a list of what is left, wherever they stand in a short line.
_HEADS = cues.anywhere(
    r"""
    (?:still|left) to do | to[ -]?dos? | not (?:yet )?done | remaining | remains | outstanding
    (?:next|open) (?:steps?|points?|items?|questions?|ends?) | follow-?ups?
    what(?:'s| is) (?:left|missing)
    (?:still|yet) (?:open|missing|pending|needed|left) | (?:is|are) (?:still )?(?:left|missing|open)
    noch (?:zu tun|offen|zu erledigen) | offen(?:e \w+)? | was (?:noch )?fehlt
    n\u00e4chste schritte | es fehlt
    pendientes? | por hacer | faltan? | quedan? | pr\u00f3ximos pasos | reste(?:nt)? | manque(?:nt)?
    \u00e0 faire
    prochaines \u00e9tapes | da fare | restano | mancano? | manca | prossimi passi | in sospeso
    faltam? | por fazer | pend\u00eancias | pr\u00f3ximos passos | nog te doen | volgende stappen
    ontbreekt
    """,
    r"""
    \u6b8b\u308a | \u6b8b\u3063\u3066 | \u6b8b\u4f5c\u696d | \u6b8b\u30bf\u30b9\u30af | \u6b8b\u4ef6
    \u672a\u5bfe\u5fdc | \u4eca\u5f8c\u306e | \u6b21\u306e\u30b9\u30c6\u30c3\u30d7 | TODO
    \u5f85\u529e | \u5269\u4e0b | \u5269\u4f59 | \u8fd8\u6ca1 | \u8fd8\u9700 | \u672a\u5b8c\u6210
    \u4e0b\u4e00\u6b65 | \u63a5\u4e0b\u6765 | \ub0a8\uc740 | \ub2e4\uc74c \ub2e8\uacc4
    \ubbf8\uc644\ub8cc
    \u043e\u0441\u0442\u0430(?:\u043b\u0430\u0441\u044c|\u043b\u043e\u0441\u044c)
    \u043e\u0441\u0442\u0430\u0451\u0442\u0441\u044f
    \u043e\u0441\u0442\u0430\u0435\u0442\u0441\u044f
    \u0441\u043b\u0435\u0434\u0443\u044e\u0449\u0438\u0435 \u0448\u0430\u0433\u0438
    \u043d\u0435 \u0441\u0434\u0435\u043b\u0430\u043d\u043e
    """,
)
# For whom or what: the words after these, or before them where a language puts them last.
_AWAITS = compile_late(
    r"(?i:\b(?:waits?|waiting|on hold|blocked) (?:for|on|until)\b"
    r"|\b(?:i|we)(?: still| first)? need\b(?= [^.;?]{2,60}? from\b)"
    r"|\bwart(?:et|en|e) (?:noch )?auf\b|\b(?:a la|en) espera de\b|\besperando(?: a)?\b"
    r"|\b(?:on|nous|j'|l'\u00e9quipe) ?attend\w*"
    r"|\ben attente\b|\bin attesa\b|\baspett(?:a|o|iamo)\b"
    r"|\baguard\w+|\u00e0 espera\b|\bwacht(?:en)? (?:nog )?op\b"
    r"|\u0436\u0434(?:\u0451\u0442|\u0435\u0442|\u0451\u043c|\u0443\u0442)\b)"
)
_AWAITED_BEFORE = compile_late(
    r"(?P<what>[^\u3001\u3002\uff0c]{1,20})(?:\u5f85\u3061|\u5f85\u3063\u3066|\ub300\uae30)"
)
_HEAD_CHARS_MAX = 60
_TIDY = compile_late(r"`[^`\n]*`")


@once_a_line
def says_left(text: str) -> bool:
    """Tell whether a sentence, said last of all, says that something is not done, or waits."""
    told = _TIDY.sub("`x`", text)
    if cues.finds(_NOTHING, told) or cues.finds(_IN_CASE, told):
        return False
    return any(
        cues.finds(sign, told) for sign in (_YET, _REMAINS, _WAITS, _STOPPED, _UNSAVED, _NEEDS)
    )


def heads_left(text: str) -> bool:
    """Tell whether a short line, said last of all, stands over a list of what is left."""
    if len(text) > _HEAD_CHARS_MAX or cues.finds(_NOTHING, text):
        return False
    return cues.finds(_HEADS, text)


def read_awaited(text: str) -> str:
    """Return for whom or what something waits, as a sentence says it; nothing where it does not."""
    if found := _AWAITS.search(text):
        return text[found.end() :].strip()
    before = _AWAITED_BEFORE.search(text)
    return before["what"] if before else ""
