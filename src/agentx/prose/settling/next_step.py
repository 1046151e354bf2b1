"""The words by which somebody offers the next step of the same work. A table."""

from __future__ import annotations

from agentx.prose import cues

# The next step of the same work settles nothing.
NEXT_STEP = cues.anywhere(
    r"""
    proceed | continue | go (?:on|ahead) | start | begin | commit | push | merge | deploy | release
    (?:open|create|make|draft|file|update) (?:an?|the|this) (?:pr|pull|draft|branch|issue|commit)
    (?:run|write|add|fix) (?:the |all |some |more |these |a )?(?:\w+ )?tests?
    (?:implement|apply|do|fix|make|change|try|look|check|verify|show) (?:this|that|it|these|them)
    (?:look|dig) (?:at|into) | investigate | explain | anything else | something else | help
    next | walk | summar\w+ | review
    """
)
