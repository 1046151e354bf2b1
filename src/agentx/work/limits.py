"""Bounds of issues, of workflows and of speaking with GitHub."""

# GitHub's own bound, which local issues share so that they can move there.
ISSUE_LABELS_MAX = 100
ISSUE_LABEL_CHARS_MAX = 50
# A workflow is written by people; more than this is a generated fault.
WORKFLOW_FILE_BYTES_MAX = 256 * 1024
WORKFLOW_STEPS_MAX = 100
WORKFLOW_ITERATIONS_MAX = 100
# How long a workflow may leave a question unanswered.
CLARIFY_SLA_MINUTES_MAX = 7 * 24 * 60
# GitHub's largest page; more pages than this is a repository that must be filtered first.
GITHUB_PAGE_ROWS = 100
GITHUB_PAGES_MAX = 100
GITHUB_REPLY_BYTES_MAX = 32 * 1024 * 1024
# One request; and how often it is sent when GitHub is busy or broken.
GITHUB_CONNECT_WAIT_MS = 5_000
GITHUB_REPLY_WAIT_MS = 30_000
GITHUB_TRIES_MAX = 4
# All that a verb about issues waits for; what a command waits for by the way, and for one answer
# then; what waits for nothing else: `issue sync`, the daemon.
GITHUB_VERB_WAIT_MS = 90_000
GITHUB_ASIDE_WAIT_MS = 4_000
GITHUB_ASIDE_REPLY_WAIT_MS = 2_500
GITHUB_SYNC_WAIT_MS = 20_000
GITHUB_SYNC_REPLY_WAIT_MS = 10_000
# A limit that ends sooner than this is waited for; a later one is told to the user.
GITHUB_REST_MS_MAX = 60_000
# What GitHub asks for when it names no time for a secondary limit.
GITHUB_REST_MS_DEFAULT = 60_000
# Pages kept for conditional requests and for being offline; the oldest go first.
GITHUB_CACHE_PAGES_MAX = 500
# What waits for GitHub to be reachable; beyond this something is wrong, and is said.
GITHUB_QUEUE_MAX = 10_000
# How often an agent is shown what is wrong with its output before a person is asked, and how often
# who judges may send work back.
WALK_TRIES_MAX = 3
WALK_SENT_BACK_MAX = 3
# What is kept of an agent's report, and a document that is checked.
WALK_REPORT_CHARS_MAX = 8_000
WALK_OUTPUT_BYTES_MAX = 1024 * 1024
# What is told of a check that failed: so much of its beginning and of its end.
WALK_CHECK_OUTPUT_BYTES_MAX = 4_000
