"""Whether a prompt begins a task, or goes on with the one at hand.

Most prompts steer: they agree, correct, ask about what was just said, or have it committed.
A prompt begins a task when it asks for something that can be told by itself and was not what
the talk was about. "also CI failed, please fix" does; "push", "why did we change it?" and
"has the patch landed?" do not.
"""

from __future__ import annotations

from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import Words, coverage
from agentx.prose.limits import TASK_HEAD_CHARS_MAX, TASK_PLAN_CHARS_MIN
from agentx.prose.sentences import words
from agentx.prose.titles import is_written_by_machine, request

_KNOWN = 0.5  # of what a prompt is about: more than this was spoken of already
_TERMS_MIN = 2
_FINISHING_WORDS_MAX = 14
_LEANING_WORDS_MAX = 14

_AFTER = r"""
    ok(?:ay)? | yes | yep | yeah | sure | great | good | nice | perfect | cool | thanks | thank you
    please | pls | can you | could you | now | then | and | so | also | lets | let'?s | just
    i think | you can | go ahead and | well | right
"""
# What ends a task and begins none.
_FINISHES = cues.at_the_start(
    r"""
    (?:git )?commit | push | merge(?! conflicts?) | land | ship | rebase | squash | amend | stage
    tag (?:it|this|the)
    (?:open|create|raise|make|submit|update) (?:an? |the |your )?(?:draft )?(?:pr|pull request|mr)
    (?:update|add to|edit) (?:the )?change-?log | has | have | did | is it | is the | are we
    approve[d]? | do (?:it|that|this|both|all)
    run (?:it|them|that|the (?:tests?|workflow|checks?))
    fix (?:it|them|this|that|those|all) | remove (?:it|them|that) | revert (?:it|that|this)
    try (?:it|that|again) | continue | go on | proceed | resume | retry | again | stop | wait
    """,
    after=_AFTER,
)
# What leans on what was said just before.
_LEANS = cues.at_the_start(
    r"""
    so | but | and | or | then | wait | hmm+ | why | what about | how about | i mean\w* | i meant
    no | not | actually | instead | is (?:this|that|it) | does (?:this|that|it)
    do you (?:think|believe)
    are (?:you|these|those|they) | it | that | this | they | these | those | which | what do you
    """,
    after="ok(?:ay)? | yes | yeah | yep | well | hmm+ | right",
)
# What answers or reports, however many words it has: it names no work.
_ANSWERS = cues.at_the_start(
    r"""
    nope | nah | ah+ | oh+ | kk? | lol | i'?ll | ill | will do | leave (?:it|that|this|them)
    (?:i )?(?:just )?(?:ran|tested|checked|tried|verified) | works | still (?:\d+|no|the same|hangs)
    [1-9](?=[,.)]| but| and| pls| please) | [a-e](?=[,.)]| but| pls| please)
    (?:the )?(?:first|second|third|last|former|latter) (?:one|option)
    option (?:\d|[a-e]) | plan (?:\d|[a-e])
    """,
    after=_AFTER,
)


def begins_task(prompt: str, known: Words) -> bool:
    """Tell whether a prompt begins a task where `known` was spoken of."""
    if is_written_by_machine(prompt):
        return False
    if len(prompt) >= TASK_PLAN_CHARS_MIN:
        return True  # nobody steers by a page
    if continues_task(prompt) or not request(prompt):
        return False
    about = terms(prompt[:TASK_HEAD_CHARS_MAX])
    return len(about) >= _TERMS_MIN and coverage(about, known) <= _KNOWN


def continues_task(prompt: str) -> bool:
    """Tell whether a prompt leans on what was said before, or ends the work."""
    head = prompt[:TASK_HEAD_CHARS_MAX].lstrip()
    leans = _LEANS.match(head) is not None and words(prompt) <= _LEANING_WORDS_MAX
    return leans or _ends_work(prompt)


def names_task(prompt: str) -> bool:
    """Tell whether a prompt says what the work is about, by itself."""
    about = terms(prompt[:TASK_HEAD_CHARS_MAX])
    if _ends_work(prompt) or _answers(prompt):
        return False
    return not continues_task(prompt) or len(about) > _TERMS_MIN


def _answers(prompt: str) -> bool:
    head = prompt[:TASK_HEAD_CHARS_MAX].lstrip()
    return _ANSWERS.match(head) is not None and words(prompt) <= _FINISHING_WORDS_MAX


def _ends_work(prompt: str) -> bool:
    head = prompt[:TASK_HEAD_CHARS_MAX].lstrip()
    return _FINISHES.match(head) is not None and words(prompt) <= _FINISHING_WORDS_MAX
