"""How often the daemon looks, how long it waits, and what it runs at once."""

DAEMON_DRAIN_EVERY_MS = 250
# Views follow the log this closely: captured to seen in under two seconds.
DAEMON_VIEWS_EVERY_MS = 500
# The longest rest after looking in vain at a spool of very many folders: what is captured must be
# searchable within 2 s.
DAEMON_DRAIN_REST_MS_MAX = 1_000
# Who was not needed for so long looks half as often: what is captured then is still seen in 2 s.
DAEMON_DROWSY_AFTER_MS = 60_000
DAEMON_START_WAIT_MS = 15_000
DAEMON_STOP_WAIT_MS = 20_000
# How many daemons that nobody started by hand a user has at most.
AUTO_DAEMONS_MAX = 4
# How long one that was sent for waits for a place that another one is to leave.
AUTO_PLACE_WAIT_MS = 10_000
# For how long hooks send for none once one may not serve; a setting that is changed waits for it.
AUTO_REST_MS = 120_000
# How many descriptors of an agent CLI a daemon lets go of: more than one has
# open. It may have as many itself.
INHERITED_DESCRIPTORS_MAX = 4_096
# The lock is free at once, unless somebody is just looking whether it is held.
DAEMON_LOCK_WAIT_MS = 500
# How long calls that are at work may take once the daemon was told to stop, and how long their
# answers may travel. A call that only waits for its caller is not waited for.
DAEMON_GRACE_MS = 5_000
DAEMON_FAREWELL_MS = 250
# Calls come in a row: nobody is at work once nobody was for this long.
DAEMON_LULL_MS = 50
# The views wait for a lull before each step, but no longer than this: they must not fall behind.
DAEMON_VIEWS_REST_MS_MAX = 250
# Who reads a file lets others run, and waits this long to go on while a chore is at work: an answer
# reads a hundred.
DAEMON_SWITCH_SECONDS = 0.0005
# How often a command looks whether the daemon has come up or gone.
DAEMON_POLL_MS = 20
# How often the daemon looks whether it is idle, its log is full or its store is gone.
DAEMON_WATCH_EVERY_MS = 5_000
# How often it looks whether the settings are others by now, or its project is elsewhere: nobody
# is to wait for that.
DAEMON_SETTINGS_EVERY_MS = 500
# How often it looks whether it has grown, and by how much it may before it gives memory back.
DAEMON_HEAP_EVERY_MS = 5_000
DAEMON_HEAP_SLACK_BYTES = 16 * 1024 * 1024
# A job that fails waits twice as long each time, up to here.
JOB_RETRY_MS_MAX = 60_000
# What is shown of the daemon's log when it does not come up.
DAEMON_LOG_TAIL_LINES = 20
# The kernel allows 108 bytes, the last one NUL.
UNIX_SOCKET_PATH_BYTES_MAX = 107
# Jobs that run at once: they are to leave the machine to its user.
JOBS_RUNNING_MAX = 2
# How often the time is looked at: a clock that is set, or a lid that is opened, tells nobody.
SCHEDULER_LOOK_EVERY_MS = 1_000
# How long a job that runs may take once the daemon was told to stop. With the calls in flight it
# must stay below DAEMON_STOP_WAIT_MS.
SCHEDULER_STOP_WAIT_MS = 10_000
# What is kept of what a job said, or of why it failed; the daemon's log has all of it.
JOB_ERROR_CHARS_MAX = 1_000
# How long `--all-projects` waits for one store that somebody else has open.
OTHER_STORE_WAIT_MS = 1_000
# How long a daemon may take to answer anything at all before who reads counts it as held.
DAEMON_ANSWER_MS = 1_000
# For how long a command that waits for the store does not look whether a daemon has come up.
STORE_TURN_MS = 300
# How long threads of a store for the moment may take to end when it is taken away.
PASSING_STORE_WAIT_MS = 2_000
