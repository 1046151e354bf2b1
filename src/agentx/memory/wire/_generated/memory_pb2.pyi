from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Draft(_message.Message):
    __slots__ = ("harness", "session_id", "event_type", "timestamp_ms", "role", "text", "agent", "metadata_json", "source_id", "fingerprint", "delivery", "channel", "known_as")
    HARNESS_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_MS_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    METADATA_JSON_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    KNOWN_AS_FIELD_NUMBER: _ClassVar[int]
    harness: str
    session_id: str
    event_type: str
    timestamp_ms: int
    role: str
    text: str
    agent: str
    metadata_json: str
    source_id: str
    fingerprint: str
    delivery: str
    channel: str
    known_as: str
    def __init__(self, harness: _Optional[str] = ..., session_id: _Optional[str] = ..., event_type: _Optional[str] = ..., timestamp_ms: _Optional[int] = ..., role: _Optional[str] = ..., text: _Optional[str] = ..., agent: _Optional[str] = ..., metadata_json: _Optional[str] = ..., source_id: _Optional[str] = ..., fingerprint: _Optional[str] = ..., delivery: _Optional[str] = ..., channel: _Optional[str] = ..., known_as: _Optional[str] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("event_id", "session_id", "timestamp_ms", "event_type", "role", "text", "harness", "agent", "project", "metadata_json")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_MS_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    HARNESS_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    METADATA_JSON_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    session_id: str
    timestamp_ms: int
    event_type: str
    role: str
    text: str
    harness: str
    agent: str
    project: str
    metadata_json: str
    def __init__(self, event_id: _Optional[str] = ..., session_id: _Optional[str] = ..., timestamp_ms: _Optional[int] = ..., event_type: _Optional[str] = ..., role: _Optional[str] = ..., text: _Optional[str] = ..., harness: _Optional[str] = ..., agent: _Optional[str] = ..., project: _Optional[str] = ..., metadata_json: _Optional[str] = ...) -> None: ...

class Receipt(_message.Message):
    __slots__ = ("stored_event_ids", "duplicates", "forgotten")
    STORED_EVENT_IDS_FIELD_NUMBER: _ClassVar[int]
    DUPLICATES_FIELD_NUMBER: _ClassVar[int]
    FORGOTTEN_FIELD_NUMBER: _ClassVar[int]
    stored_event_ids: _containers.RepeatedScalarFieldContainer[str]
    duplicates: int
    forgotten: int
    def __init__(self, stored_event_ids: _Optional[_Iterable[str]] = ..., duplicates: _Optional[int] = ..., forgotten: _Optional[int] = ...) -> None: ...

class Session(_message.Message):
    __slots__ = ("session_id", "harness", "agent", "project", "first_ms", "last_ms", "events", "prompts", "ended", "title", "working_directory", "branch", "short_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    HARNESS_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    FIRST_MS_FIELD_NUMBER: _ClassVar[int]
    LAST_MS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    PROMPTS_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    WORKING_DIRECTORY_FIELD_NUMBER: _ClassVar[int]
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    SHORT_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    harness: str
    agent: str
    project: str
    first_ms: int
    last_ms: int
    events: int
    prompts: int
    ended: bool
    title: str
    working_directory: str
    branch: str
    short_id: str
    def __init__(self, session_id: _Optional[str] = ..., harness: _Optional[str] = ..., agent: _Optional[str] = ..., project: _Optional[str] = ..., first_ms: _Optional[int] = ..., last_ms: _Optional[int] = ..., events: _Optional[int] = ..., prompts: _Optional[int] = ..., ended: _Optional[bool] = ..., title: _Optional[str] = ..., working_directory: _Optional[str] = ..., branch: _Optional[str] = ..., short_id: _Optional[str] = ...) -> None: ...

class LogStatus(_message.Message):
    __slots__ = ("events", "sessions", "forgotten", "first_ms", "last_ms", "bytes_on_disk", "resumed", "by_harness", "by_type")
    class ByHarnessEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    class ByTypeEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    FORGOTTEN_FIELD_NUMBER: _ClassVar[int]
    FIRST_MS_FIELD_NUMBER: _ClassVar[int]
    LAST_MS_FIELD_NUMBER: _ClassVar[int]
    BYTES_ON_DISK_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    BY_HARNESS_FIELD_NUMBER: _ClassVar[int]
    BY_TYPE_FIELD_NUMBER: _ClassVar[int]
    events: int
    sessions: int
    forgotten: int
    first_ms: int
    last_ms: int
    bytes_on_disk: int
    resumed: int
    by_harness: _containers.ScalarMap[str, int]
    by_type: _containers.ScalarMap[str, int]
    def __init__(self, events: _Optional[int] = ..., sessions: _Optional[int] = ..., forgotten: _Optional[int] = ..., first_ms: _Optional[int] = ..., last_ms: _Optional[int] = ..., bytes_on_disk: _Optional[int] = ..., resumed: _Optional[int] = ..., by_harness: _Optional[_Mapping[str, int]] = ..., by_type: _Optional[_Mapping[str, int]] = ...) -> None: ...

class IngestEventRequest(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: Draft
    def __init__(self, event: _Optional[_Union[Draft, _Mapping]] = ...) -> None: ...

class IngestEventResponse(_message.Message):
    __slots__ = ("receipt",)
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    receipt: Receipt
    def __init__(self, receipt: _Optional[_Union[Receipt, _Mapping]] = ...) -> None: ...

class IngestEventsRequest(_message.Message):
    __slots__ = ("sequence", "events")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    events: _containers.RepeatedCompositeFieldContainer[Draft]
    def __init__(self, sequence: _Optional[int] = ..., events: _Optional[_Iterable[_Union[Draft, _Mapping]]] = ...) -> None: ...

class IngestEventsResponse(_message.Message):
    __slots__ = ("sequence", "receipt")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    receipt: Receipt
    def __init__(self, sequence: _Optional[int] = ..., receipt: _Optional[_Union[Receipt, _Mapping]] = ...) -> None: ...

class DrainSpoolRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DrainSpoolResponse(_message.Message):
    __slots__ = ("files", "stored", "duplicates", "damaged", "refused")
    FILES_FIELD_NUMBER: _ClassVar[int]
    STORED_FIELD_NUMBER: _ClassVar[int]
    DUPLICATES_FIELD_NUMBER: _ClassVar[int]
    DAMAGED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    files: int
    stored: int
    duplicates: int
    damaged: int
    refused: int
    def __init__(self, files: _Optional[int] = ..., stored: _Optional[int] = ..., duplicates: _Optional[int] = ..., damaged: _Optional[int] = ..., refused: _Optional[int] = ...) -> None: ...

class ForgetEventsRequest(_message.Message):
    __slots__ = ("event_id", "session_id", "event_ids")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_IDS_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    session_id: str
    event_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, event_id: _Optional[str] = ..., session_id: _Optional[str] = ..., event_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ForgetEventsResponse(_message.Message):
    __slots__ = ("events", "sessions")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    events: int
    sessions: int
    def __init__(self, events: _Optional[int] = ..., sessions: _Optional[int] = ...) -> None: ...

class GetEventsRequest(_message.Message):
    __slots__ = ("limit", "cursor", "newest_first", "session_id", "harness", "agent", "role", "event_type", "since_ms", "until_ms")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIRST_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    HARNESS_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    SINCE_MS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    limit: int
    cursor: str
    newest_first: bool
    session_id: str
    harness: str
    agent: str
    role: str
    event_type: str
    since_ms: int
    until_ms: int
    def __init__(self, limit: _Optional[int] = ..., cursor: _Optional[str] = ..., newest_first: _Optional[bool] = ..., session_id: _Optional[str] = ..., harness: _Optional[str] = ..., agent: _Optional[str] = ..., role: _Optional[str] = ..., event_type: _Optional[str] = ..., since_ms: _Optional[int] = ..., until_ms: _Optional[int] = ...) -> None: ...

class GetEventsResponse(_message.Message):
    __slots__ = ("events", "next")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    next: str
    def __init__(self, events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class GetEventRequest(_message.Message):
    __slots__ = ("event_id",)
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    def __init__(self, event_id: _Optional[str] = ...) -> None: ...

class GetEventResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: Event
    def __init__(self, event: _Optional[_Union[Event, _Mapping]] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ("limit", "harness", "agent", "since_ms", "until_ms", "short_ids")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    HARNESS_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    SINCE_MS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    SHORT_IDS_FIELD_NUMBER: _ClassVar[int]
    limit: int
    harness: str
    agent: str
    since_ms: int
    until_ms: int
    short_ids: bool
    def __init__(self, limit: _Optional[int] = ..., harness: _Optional[str] = ..., agent: _Optional[str] = ..., since_ms: _Optional[int] = ..., until_ms: _Optional[int] = ..., short_ids: _Optional[bool] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions",)
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[Session]
    def __init__(self, sessions: _Optional[_Iterable[_Union[Session, _Mapping]]] = ...) -> None: ...

class GetStatusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetStatusResponse(_message.Message):
    __slots__ = ("log", "spool_waiting", "spool_refused", "served_by", "daemon_pid", "daemon_uptime_ms", "spending")
    LOG_FIELD_NUMBER: _ClassVar[int]
    SPOOL_WAITING_FIELD_NUMBER: _ClassVar[int]
    SPOOL_REFUSED_FIELD_NUMBER: _ClassVar[int]
    SERVED_BY_FIELD_NUMBER: _ClassVar[int]
    DAEMON_PID_FIELD_NUMBER: _ClassVar[int]
    DAEMON_UPTIME_MS_FIELD_NUMBER: _ClassVar[int]
    SPENDING_FIELD_NUMBER: _ClassVar[int]
    log: LogStatus
    spool_waiting: int
    spool_refused: int
    served_by: str
    daemon_pid: int
    daemon_uptime_ms: int
    spending: SpendingToday
    def __init__(self, log: _Optional[_Union[LogStatus, _Mapping]] = ..., spool_waiting: _Optional[int] = ..., spool_refused: _Optional[int] = ..., served_by: _Optional[str] = ..., daemon_pid: _Optional[int] = ..., daemon_uptime_ms: _Optional[int] = ..., spending: _Optional[_Union[SpendingToday, _Mapping]] = ...) -> None: ...

class SpendingToday(_message.Message):
    __slots__ = ("model", "tokens", "tokens_max", "usd", "usd_max", "calls")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOKENS_MAX_FIELD_NUMBER: _ClassVar[int]
    USD_FIELD_NUMBER: _ClassVar[int]
    USD_MAX_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    model: str
    tokens: int
    tokens_max: int
    usd: float
    usd_max: float
    calls: int
    def __init__(self, model: _Optional[str] = ..., tokens: _Optional[int] = ..., tokens_max: _Optional[int] = ..., usd: _Optional[float] = ..., usd_max: _Optional[float] = ..., calls: _Optional[int] = ...) -> None: ...

class StopRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StopResponse(_message.Message):
    __slots__ = ("pid",)
    PID_FIELD_NUMBER: _ClassVar[int]
    pid: int
    def __init__(self, pid: _Optional[int] = ...) -> None: ...

class ScheduledJob(_message.Message):
    __slots__ = ("name", "about", "schedule", "schedule_in_words", "state", "result", "next_run_ms", "last_started_ms", "last_finished_ms", "duration_ms", "error", "said", "runs", "failures", "skipped")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_IN_WORDS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    NEXT_RUN_MS_FIELD_NUMBER: _ClassVar[int]
    LAST_STARTED_MS_FIELD_NUMBER: _ClassVar[int]
    LAST_FINISHED_MS_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    SAID_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    name: str
    about: str
    schedule: str
    schedule_in_words: str
    state: str
    result: str
    next_run_ms: int
    last_started_ms: int
    last_finished_ms: int
    duration_ms: int
    error: str
    said: str
    runs: int
    failures: int
    skipped: int
    def __init__(self, name: _Optional[str] = ..., about: _Optional[str] = ..., schedule: _Optional[str] = ..., schedule_in_words: _Optional[str] = ..., state: _Optional[str] = ..., result: _Optional[str] = ..., next_run_ms: _Optional[int] = ..., last_started_ms: _Optional[int] = ..., last_finished_ms: _Optional[int] = ..., duration_ms: _Optional[int] = ..., error: _Optional[str] = ..., said: _Optional[str] = ..., runs: _Optional[int] = ..., failures: _Optional[int] = ..., skipped: _Optional[int] = ...) -> None: ...

class GetSchedulerStatusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetSchedulerStatusResponse(_message.Message):
    __slots__ = ("jobs", "zone")
    JOBS_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[ScheduledJob]
    zone: str
    def __init__(self, jobs: _Optional[_Iterable[_Union[ScheduledJob, _Mapping]]] = ..., zone: _Optional[str] = ...) -> None: ...

class PauseJobRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class PauseJobResponse(_message.Message):
    __slots__ = ("job",)
    JOB_FIELD_NUMBER: _ClassVar[int]
    job: ScheduledJob
    def __init__(self, job: _Optional[_Union[ScheduledJob, _Mapping]] = ...) -> None: ...

class ResumeJobRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class ResumeJobResponse(_message.Message):
    __slots__ = ("job",)
    JOB_FIELD_NUMBER: _ClassVar[int]
    job: ScheduledJob
    def __init__(self, job: _Optional[_Union[ScheduledJob, _Mapping]] = ...) -> None: ...

class RunJobRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class RunJobResponse(_message.Message):
    __slots__ = ("name", "result", "started_ms", "duration_ms", "error", "said")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    STARTED_MS_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    SAID_FIELD_NUMBER: _ClassVar[int]
    name: str
    result: str
    started_ms: int
    duration_ms: int
    error: str
    said: str
    def __init__(self, name: _Optional[str] = ..., result: _Optional[str] = ..., started_ms: _Optional[int] = ..., duration_ms: _Optional[int] = ..., error: _Optional[str] = ..., said: _Optional[str] = ...) -> None: ...

class Bullet(_message.Message):
    __slots__ = ("text", "grip_ids", "kind", "weight", "timestamp_ms")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    GRIP_IDS_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_MS_FIELD_NUMBER: _ClassVar[int]
    text: str
    grip_ids: _containers.RepeatedScalarFieldContainer[str]
    kind: str
    weight: int
    timestamp_ms: int
    def __init__(self, text: _Optional[str] = ..., grip_ids: _Optional[_Iterable[str]] = ..., kind: _Optional[str] = ..., weight: _Optional[int] = ..., timestamp_ms: _Optional[int] = ...) -> None: ...

class Topic(_message.Message):
    __slots__ = ("text", "weight")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    text: str
    weight: int
    def __init__(self, text: _Optional[str] = ..., weight: _Optional[int] = ...) -> None: ...

class TocNode(_message.Message):
    __slots__ = ("node_id", "level", "title", "bullets", "keywords", "topics", "children", "start_ms", "end_ms", "agents", "harnesses", "sessions", "session_count", "issues", "event_count", "version", "provisional", "written_by")
    NODE_ID_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    BULLETS_FIELD_NUMBER: _ClassVar[int]
    KEYWORDS_FIELD_NUMBER: _ClassVar[int]
    TOPICS_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    START_MS_FIELD_NUMBER: _ClassVar[int]
    END_MS_FIELD_NUMBER: _ClassVar[int]
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    HARNESSES_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    SESSION_COUNT_FIELD_NUMBER: _ClassVar[int]
    ISSUES_FIELD_NUMBER: _ClassVar[int]
    EVENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PROVISIONAL_FIELD_NUMBER: _ClassVar[int]
    WRITTEN_BY_FIELD_NUMBER: _ClassVar[int]
    node_id: str
    level: str
    title: str
    bullets: _containers.RepeatedCompositeFieldContainer[Bullet]
    keywords: _containers.RepeatedScalarFieldContainer[str]
    topics: _containers.RepeatedCompositeFieldContainer[Topic]
    children: _containers.RepeatedScalarFieldContainer[str]
    start_ms: int
    end_ms: int
    agents: _containers.RepeatedScalarFieldContainer[str]
    harnesses: _containers.RepeatedScalarFieldContainer[str]
    sessions: _containers.RepeatedScalarFieldContainer[str]
    session_count: int
    issues: _containers.RepeatedScalarFieldContainer[int]
    event_count: int
    version: int
    provisional: bool
    written_by: str
    def __init__(self, node_id: _Optional[str] = ..., level: _Optional[str] = ..., title: _Optional[str] = ..., bullets: _Optional[_Iterable[_Union[Bullet, _Mapping]]] = ..., keywords: _Optional[_Iterable[str]] = ..., topics: _Optional[_Iterable[_Union[Topic, _Mapping]]] = ..., children: _Optional[_Iterable[str]] = ..., start_ms: _Optional[int] = ..., end_ms: _Optional[int] = ..., agents: _Optional[_Iterable[str]] = ..., harnesses: _Optional[_Iterable[str]] = ..., sessions: _Optional[_Iterable[str]] = ..., session_count: _Optional[int] = ..., issues: _Optional[_Iterable[int]] = ..., event_count: _Optional[int] = ..., version: _Optional[int] = ..., provisional: _Optional[bool] = ..., written_by: _Optional[str] = ...) -> None: ...

class Span(_message.Message):
    __slots__ = ("event_id", "start", "end")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    start: int
    end: int
    def __init__(self, event_id: _Optional[str] = ..., start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class Grip(_message.Message):
    __slots__ = ("grip_id", "excerpt", "event_id_start", "event_id_end", "timestamp_ms", "toc_node_id", "spans")
    GRIP_ID_FIELD_NUMBER: _ClassVar[int]
    EXCERPT_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_START_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_END_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_MS_FIELD_NUMBER: _ClassVar[int]
    TOC_NODE_ID_FIELD_NUMBER: _ClassVar[int]
    SPANS_FIELD_NUMBER: _ClassVar[int]
    grip_id: str
    excerpt: str
    event_id_start: str
    event_id_end: str
    timestamp_ms: int
    toc_node_id: str
    spans: _containers.RepeatedCompositeFieldContainer[Span]
    def __init__(self, grip_id: _Optional[str] = ..., excerpt: _Optional[str] = ..., event_id_start: _Optional[str] = ..., event_id_end: _Optional[str] = ..., timestamp_ms: _Optional[int] = ..., toc_node_id: _Optional[str] = ..., spans: _Optional[_Iterable[_Union[Span, _Mapping]]] = ...) -> None: ...

class SyncViewsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SyncViewsResponse(_message.Message):
    __slots__ = ("events", "nodes")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    events: int
    nodes: int
    def __init__(self, events: _Optional[int] = ..., nodes: _Optional[int] = ...) -> None: ...

class RebuildTocRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RebuildTocResponse(_message.Message):
    __slots__ = ("events", "nodes")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    events: int
    nodes: int
    def __init__(self, events: _Optional[int] = ..., nodes: _Optional[int] = ...) -> None: ...

class RebuildIndexRequest(_message.Message):
    __slots__ = ("index",)
    INDEX_FIELD_NUMBER: _ClassVar[int]
    index: str
    def __init__(self, index: _Optional[str] = ...) -> None: ...

class RebuildIndexResponse(_message.Message):
    __slots__ = ("entries",)
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: int
    def __init__(self, entries: _Optional[int] = ...) -> None: ...

class GetTocRootRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetTocRootResponse(_message.Message):
    __slots__ = ("nodes",)
    NODES_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[TocNode]
    def __init__(self, nodes: _Optional[_Iterable[_Union[TocNode, _Mapping]]] = ...) -> None: ...

class GetNodeRequest(_message.Message):
    __slots__ = ("node_id",)
    NODE_ID_FIELD_NUMBER: _ClassVar[int]
    node_id: str
    def __init__(self, node_id: _Optional[str] = ...) -> None: ...

class GetNodeResponse(_message.Message):
    __slots__ = ("node",)
    NODE_FIELD_NUMBER: _ClassVar[int]
    node: TocNode
    def __init__(self, node: _Optional[_Union[TocNode, _Mapping]] = ...) -> None: ...

class BrowseTocRequest(_message.Message):
    __slots__ = ("node_id", "cursor", "limit")
    NODE_ID_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    node_id: str
    cursor: str
    limit: int
    def __init__(self, node_id: _Optional[str] = ..., cursor: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class BrowseTocResponse(_message.Message):
    __slots__ = ("nodes", "next")
    NODES_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[TocNode]
    next: str
    def __init__(self, nodes: _Optional[_Iterable[_Union[TocNode, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class ExpandGripRequest(_message.Message):
    __slots__ = ("grip_id", "before", "after")
    GRIP_ID_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    grip_id: str
    before: int
    after: int
    def __init__(self, grip_id: _Optional[str] = ..., before: _Optional[int] = ..., after: _Optional[int] = ...) -> None: ...

class ExpandGripResponse(_message.Message):
    __slots__ = ("grip", "events_before", "excerpt_events", "events_after")
    GRIP_FIELD_NUMBER: _ClassVar[int]
    EVENTS_BEFORE_FIELD_NUMBER: _ClassVar[int]
    EXCERPT_EVENTS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_AFTER_FIELD_NUMBER: _ClassVar[int]
    grip: Grip
    events_before: _containers.RepeatedCompositeFieldContainer[Event]
    excerpt_events: _containers.RepeatedCompositeFieldContainer[Event]
    events_after: _containers.RepeatedCompositeFieldContainer[Event]
    def __init__(self, grip: _Optional[_Union[Grip, _Mapping]] = ..., events_before: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., excerpt_events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., events_after: _Optional[_Iterable[_Union[Event, _Mapping]]] = ...) -> None: ...

class SearchRequest(_message.Message):
    __slots__ = ("query", "kinds", "agent", "harness", "role", "session_id", "issue", "since_ms", "until_ms", "now_ms", "limit", "explain", "like")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    HARNESS_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ISSUE_FIELD_NUMBER: _ClassVar[int]
    SINCE_MS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    NOW_MS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_FIELD_NUMBER: _ClassVar[int]
    LIKE_FIELD_NUMBER: _ClassVar[int]
    query: str
    kinds: _containers.RepeatedScalarFieldContainer[str]
    agent: str
    harness: str
    role: str
    session_id: str
    issue: str
    since_ms: int
    until_ms: int
    now_ms: int
    limit: int
    explain: bool
    like: str
    def __init__(self, query: _Optional[str] = ..., kinds: _Optional[_Iterable[str]] = ..., agent: _Optional[str] = ..., harness: _Optional[str] = ..., role: _Optional[str] = ..., session_id: _Optional[str] = ..., issue: _Optional[str] = ..., since_ms: _Optional[int] = ..., until_ms: _Optional[int] = ..., now_ms: _Optional[int] = ..., limit: _Optional[int] = ..., explain: _Optional[bool] = ..., like: _Optional[str] = ...) -> None: ...

class SearchHit(_message.Message):
    __slots__ = ("doc_id", "kind", "score", "snippet", "marks", "timestamp_ms", "project", "session_id", "harness", "agent", "role", "issue", "tokens", "also", "why", "origin", "alike")
    DOC_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    MARKS_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_MS_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    HARNESS_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    ISSUE_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    ALSO_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    ALIKE_FIELD_NUMBER: _ClassVar[int]
    doc_id: str
    kind: str
    score: float
    snippet: str
    marks: _containers.RepeatedScalarFieldContainer[int]
    timestamp_ms: int
    project: str
    session_id: str
    harness: str
    agent: str
    role: str
    issue: str
    tokens: int
    also: _containers.RepeatedScalarFieldContainer[str]
    why: _containers.RepeatedScalarFieldContainer[str]
    origin: str
    alike: int
    def __init__(self, doc_id: _Optional[str] = ..., kind: _Optional[str] = ..., score: _Optional[float] = ..., snippet: _Optional[str] = ..., marks: _Optional[_Iterable[int]] = ..., timestamp_ms: _Optional[int] = ..., project: _Optional[str] = ..., session_id: _Optional[str] = ..., harness: _Optional[str] = ..., agent: _Optional[str] = ..., role: _Optional[str] = ..., issue: _Optional[str] = ..., tokens: _Optional[int] = ..., also: _Optional[_Iterable[str]] = ..., why: _Optional[_Iterable[str]] = ..., origin: _Optional[str] = ..., alike: _Optional[int] = ...) -> None: ...

class SearchResponse(_message.Message):
    __slots__ = ("hits", "sessions", "layers", "plan", "notes", "since_ms", "until_ms")
    HITS_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    SINCE_MS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[SearchHit]
    sessions: _containers.RepeatedScalarFieldContainer[str]
    layers: _containers.RepeatedScalarFieldContainer[str]
    plan: _containers.RepeatedScalarFieldContainer[str]
    notes: _containers.RepeatedScalarFieldContainer[str]
    since_ms: int
    until_ms: int
    def __init__(self, hits: _Optional[_Iterable[_Union[SearchHit, _Mapping]]] = ..., sessions: _Optional[_Iterable[str]] = ..., layers: _Optional[_Iterable[str]] = ..., plan: _Optional[_Iterable[str]] = ..., notes: _Optional[_Iterable[str]] = ..., since_ms: _Optional[int] = ..., until_ms: _Optional[int] = ...) -> None: ...

class GetRetrievalCapabilitiesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetRetrievalCapabilitiesResponse(_message.Message):
    __slots__ = ("bm25", "vectors", "modes", "why_off", "hint")
    BM25_FIELD_NUMBER: _ClassVar[int]
    VECTORS_FIELD_NUMBER: _ClassVar[int]
    MODES_FIELD_NUMBER: _ClassVar[int]
    WHY_OFF_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    bm25: bool
    vectors: bool
    modes: _containers.RepeatedScalarFieldContainer[str]
    why_off: str
    hint: str
    def __init__(self, bm25: _Optional[bool] = ..., vectors: _Optional[bool] = ..., modes: _Optional[_Iterable[str]] = ..., why_off: _Optional[str] = ..., hint: _Optional[str] = ...) -> None: ...

class GetIndexStatusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetIndexStatusResponse(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: TextIndexStatus
    def __init__(self, text: _Optional[_Union[TextIndexStatus, _Mapping]] = ...) -> None: ...

class TextIndexStatus(_message.Message):
    __slots__ = ("ready", "documents", "passages", "bytes_on_disk", "generation", "entries_left")
    READY_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    BYTES_ON_DISK_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_LEFT_FIELD_NUMBER: _ClassVar[int]
    ready: bool
    documents: int
    passages: int
    bytes_on_disk: int
    generation: str
    entries_left: int
    def __init__(self, ready: _Optional[bool] = ..., documents: _Optional[int] = ..., passages: _Optional[int] = ..., bytes_on_disk: _Optional[int] = ..., generation: _Optional[str] = ..., entries_left: _Optional[int] = ...) -> None: ...
