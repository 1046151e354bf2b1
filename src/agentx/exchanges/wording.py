"""The words by which what is worth remembering is told from what is only said. Tables.

They come on top of `prose.cues`: those say what a sentence is about, these say
whether it will still matter when the session is over.
"""

from __future__ import annotations

from agentx.prose.cues import anywhere, at_the_start

# How a thing is, rather than what is being done about it.
STATES = anywhere(
    r"""
    is | are | was | were | has | have | had | uses? | used | returns? | requires? | needs? | reads?
    writes? | lives? in | defaults? to | only | comes? from | depends? on | runs? | supports?
    expects? | ignores? | calls? | by default | always | never | no longer | already | means?
    there(?:'s| is| are) no | cannot | can'?t | doesn'?t | don'?t | does not | do not | must
    contains? | holds? | keeps? | stores? | loads? | creates? | deletes? | drops? | skips? | fails?
    takes? | treats? | applies | triggers? | points? to | maps? to | belongs? to | inherits?
    wraps? | overrides? | exposes? | validates? | rejects? | accepts? | caches? | polls? | waits?
    hat | haben | ist | sind | wird | werden | braucht | brauchten | verhindert | liest | schreibt
    es | son | tiene | usa | necesita | est | sont | utilise
    """,
    r"\u662f | \u9700\u8981 | \u4f7f\u7528 | \u4e0d | \u3067\u3059 | \u307e\u3059",
)
# Why it is so: the most telling sentences carry a reason.
REASONS = anywhere(
    r"""
    because | since | so that | so | therefore | which means | that'?s why | due to | in order to
    otherwise | as a result | to avoid | to prevent | to keep | unless | except
    weil | damit | sonst | deshalb | daher | porque | para que | parce que | pour que
    """,
    r"\u56e0\u4e3a | \u6240\u4ee5 | \u305f\u3081",
)
# Said of this moment, and over with it.
PASSING = at_the_start(
    r"""
    (?:all |both |every |the )?(?:\d+ )?(?:\w+ )?(?:tests?|checks?) (?:now |all |still )?pass\w*
    (?:the )?(?:lint\w*|build|code|project) (?:now |all |still )?(?:pass|succeed|compile|is)\w*
    (?:done|fixed|perfect|great|good|excellent|nice|ok|okay|yes|no|sure|right)\W*\Z
    (?:done|fixed|committed|pushed|renamed|eingetragen|erledigt|understood|noted)
    (?:everything|it|that|this) (?:now )?(?:works|passes|compiles|looks good)
    (?:everything|it|that|this) is (?:done|ready|green|complete)
    (?:now |next |first |finally |then )?(?:i|we) (?:now|also|just|have|had|need|want|can|will)
    need to | (?:now|first|next),? (?:update|fix|add|remove|the|check|task|run|commit|let|then)
    the diagnostics?
    (?:i|we) (?:should|am|see|found|notice) | i'(?:ll|ve|m|d) | i | we'(?:ll|ve|re)
    let me | let's | now i | now let | next | you can | you(?:'re| are) | would you | do you
    want me | shall | should i | if you | feel free | please | summary of | here(?:'s| is| are)
    the (?:following|above|below) | below | see | files? (?:modified|changed|created)
    changes? made
    what (?:was|changed|i) | usage | example | looking | checking | reading | running | searching
    found it | got it | good news | verification | test plan | next steps? | key (?:points|changes)
    results? | ich | lass | lassen | verstanden | in ordnung | gern
    """
)
# Not yet so, or only perhaps.
POSSIBLE = anywhere(
    r"""
    we(?:'ll)? need to | needs to be | have to | would | could | might | may | maybe | perhaps
    probably | likely | option \d
    alternatively | one way
    we can | you could | should | potential(?:ly)? | if we | if you | plan(?:ning)? to | let me
    k\u00f6nnte\w* | w\u00fcrde\w* | vielleicht | quiz\u00e1s | peut-\u00eatre
    """
)
# What somebody takes to be so, and does not know.
GUESSES = anywhere(
    r"""
    likely | probably | perhaps | maybe | i (?:think|suspect|assume|guess|believe|bet)
    i'?d (?:guess|say|bet) | my (?:\w+ )?(?:thought|guess|suspicion|hunch|bet|theory|hypothesis)
    might | may be | could be | seems? | looks like | presumably | apparently | suspicious
    vermutlich | wahrscheinlich | ich (?:glaube|denke|vermute) | probablemente | creo que
    probablement | sans doute | je (?:pense|crois)
    """
)
# A claim of work done: it belongs to the change, not to what is known.
CLAIMS = at_the_start(
    r"""
    add(?:ed|s) | implement(?:ed|s) | creat(?:ed|es) | renam(?:ed|es) | remov(?:ed|es)
    delet(?:ed|es) | updat(?:ed|es) | refactor(?:ed|s) | mov(?:ed|es) | migrat(?:ed|es)
    replac(?:ed|es) | rewrote | introduc(?:ed|es) | extract(?:ed|s) | split | bump(?:ed|s)
    upgrad(?:ed|es) | configur(?:ed|es) | wired | revert(?:ed|s) | chang(?:ed|es) | modified
    install(?:ed|s) | documented | fix(?:ed|es) | improv(?:ed|es) | extend(?:ed|s) | simplified
    switched | cleaned | wrote | made | verif(?:ied|ies) | covers? | tests? (?:for|cover|verif)\w*
    new (?:file|test|function|method|class)
    """,
    after="also | then | and | now | done",
)
# What makes it hard: the reader of another session wants to know these first.
TRAPS = anywhere(
    r"""
    race condition | dead-?lock\w* | process-global | not thread-safe | flaky | hangs? | gotcha
    caveat | careful | note that | important(?:ly)? | beware | silently | unexpectedly
    surprising(?:ly)?
    undocumented | deprecated | hard-?coded | oversight | root cause | the (?:reason|cause)
    turns? out
    order matters | only (?:works?|when|if|for|on|since|from|until) | limit(?:ed|s)? (?:to|of)
    incompatible | breaks? | regress\w* | legacy | workaround | known (?:issue|bug|problem)
    """
)
# The beginning of a correction.
CORRECTS = at_the_start(
    r"""
    no\b | nope | don'?t | do not | stop (?:\w+ing|that|this) | actually | instead | rather | wait
    hm+ | not like | wrong
    that'?s (?:not|wrong) | this is (?:not|wrong) | you (?:should|shouldn'?t|must|forgot|missed)
    nein | doch | falsch | nicht | mejor | non\b
    """,
    after="ok(?:ay)? | well | yeah | so | but | and | hm+ | oh | please | hey",
)
# The user hands over, agrees, or goes on: nothing is settled by it.
GOES_ON = at_the_start(
    r"""
    (?:yes|yep|yeah|ok|okay|sure|go|do it|continue|proceed|please|lgtm)[\s,.!]*\Z
    (?:thanks?|thank you|danke|gern|great|good|perfect|nice)[\s,.!]*\Z
    no (?:problem|worries|thanks|rush|hurry)\b | not (?:now|yet)[\s.!]*\Z
    go ahead | go on | keep going | carry on | try again | retry | sounds good | looks good
    ship it
    commit | push | merge | run | rerun | re-run | show | print | explain | tell | list | open
    check | look | read | review | test
    i'?ll take it | that'?s (?:all|it|enough)\b | ok danke | das reicht | thanks? | thank you
    create a (?:pr|pull request|commit|branch) | branch and pr
    let'?s (?:break out|create|make|commit|push|run|see|look|check|test|continue|proceed|try)
    let'?s (?:keep going|move on|go on)
    """,
    after=r"""
    ok(?:ay)? | yes | great | good | perfect | cool | nice | now | and | then | please | can you
    could you
    """,
)
# The agent offers a choice, or asks.
OFFERS = anywhere(
    r"""
    options? | alternatives? | three ways | two ways | a few (?:ways|options) | either
    which (?:one|would|do) | would you (?:like|prefer)(?: me)? | do you (?:want|prefer)(?: me)?
    shall i | should i | want me to
    i(?:'?d| would) (?:go|suggest|recommend|take|use|pick|choose|prefer|keep|call|lean)
    i (?:suggest|recommend|propose)
    recommend(?:ed|ation)? | m\u00f6glichkeiten | soll ich
    """
)
# The agent chose, and says why.
CHOOSES = anywhere(
    r"""
    i(?:'ll| will| am going to|'m going to) (?:use|keep|go with|stick|switch|avoid|store|treat)
    (?:cleanest|simplest|safest|best|right) (?:fix|approach|way|option|choice|solution) (?:is|was)
    decided to | chose | opted (?:for|to) | went with | going with | decision
    """
)
BOOT_FILE = anywhere(
    r"""
    CLAUDE(?:\.local)?\.md | AGENTS\.md | GEMINI\.md | \.cursorrules | copilot-instructions\.md
    SKILL\.md
    system prompt | (?:project|repository|repo) (?:instructions|guidelines)
    """
)
