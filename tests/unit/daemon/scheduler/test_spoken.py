"""Goal: a person reads when a job runs, and is never told something that is not so.

Method: expressions and the words for them.
"""

from __future__ import annotations

import pytest

from agentx.daemon.scheduler.cron import parse_cron
from agentx.daemon.scheduler.model import Every
from agentx.daemon.scheduler.spoken import in_words


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("* * * * *", "every minute"),
        ("*/15 * * * *", "every 15 minutes"),
        ("0 * * * *", "every hour"),
        ("5 * * * *", "every hour at :05"),
        ("5 * * * mon", "every hour at :05, every Monday"),
        ("10 3 * * *", "every day at 03:10"),
        ("0 6,18 * * *", "every day at 06:00 and 18:00"),
        ("30 4 * * sun", "every Sunday at 04:30"),
        ("30 4 * * 7", "every Sunday at 04:30"),
        ("0 9 * * 1-5", "Monday to Friday at 09:00"),
        ("0 9 * * sun,sat", "every Saturday and Sunday at 09:00"),
        ("20 3 1 * *", "on the 1st of every month at 03:20"),
        ("20 3 2,13,23 * *", "on the 2nd, 13th and 23rd of every month at 03:20"),
        ("40 3 1 1 *", "every year on the 1st of January at 03:40"),
        ("@weekly", "every Sunday at 00:00"),
        # No short name: the expression itself.
        ("7,8,20 * * * *", "7,8,20 * * * *"),
        ("0 0 13 * fri", "0 0 13 * fri"),
        ("0 1-9 * * *", "0 1-9 * * *"),
        ("0 0 * 2-3 *", "0 0 * 2-3 *"),
        ("0 0 1 2-3 *", "0 0 1 2-3 *"),
        ("0 0 * 2 mon", "0 0 * 2 mon"),
        ("0 0 * * 1-4", "0 0 * * 1-4"),
        ("0 0 */2 * fri", "0 0 */2 * fri"),
    ],
)
def test_a_cron_expression_in_words(expression: str, words: str) -> None:
    assert in_words(parse_cron(expression)) == words


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (1, "every 1 ms"),
        (250, "every 250 ms"),
        (1_000, "every second"),
        (90_000, "every 90 seconds"),
        (3_600_000, "every hour"),
        (7_200_000, "every 2 hours"),
        (86_400_000, "every day"),
    ],
)
def test_a_duration_in_words(ms: int, words: str) -> None:
    assert in_words(Every(ms)) == words
