"""How RocksDB is set for a store: small, few threads, and no damage skipped unseen."""

from __future__ import annotations

from rocksdict import (
    BlockBasedOptions,
    Cache,
    DBCompactionStyle,
    DBCompressionType,
    DBRecoveryMode,
    FifoCompactOptions,
    Options,
)

from agentx.host.kv.port import Family
from agentx.host.limits import OUTBOX_BYTES_MAX

_MB = 1024 * 1024
# All memtables together; commands live briefly and the daemon shares a laptop.
_MEMTABLES_BYTES = 32 * _MB
_WAL_BYTES = 64 * _MB
_INFO_LOGS_MAX = 2
_OPENING_THREADS = 2

_WRITE_BUFFER_BYTES = {Family.EVENTS: 8 * _MB, Family.OUTBOX: _MB}
_WRITE_BUFFER_BYTES_ELSE = 2 * _MB
_UNCOMPRESSED = frozenset({Family.KEYS, Family.OUTBOX})


def database_options() -> Options:
    """Return how a store is kept."""
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_max_background_jobs(2)
    # FIFO compaction works only when every table stays open.
    options.set_max_open_files(-1)
    # By itself RocksDB starts 16 threads to open a few tables.
    options.set_max_file_opening_threads(_OPENING_THREADS)
    options.set_db_write_buffer_size(_MEMTABLES_BYTES)
    options.set_max_total_wal_size(_WAL_BYTES)
    options.set_keep_log_file_num(_INFO_LOGS_MAX)
    options.set_max_log_file_size(_MB)
    options.set_stats_dump_period_sec(0)
    options.set_stats_persist_period_sec(0)
    options.set_manifest_preallocation_size(64 * 1024)
    # A torn last record was never acknowledged. Damage before it is not skipped unseen.
    options.set_wal_recovery_mode(DBRecoveryMode.tolerate_corrupted_tail_records())
    return options


def salvaging_options(*, is_lenient: bool) -> Options:
    """Return how a store is opened to get out of it what can be read."""
    options = database_options()
    options.create_if_missing(False)
    options.create_missing_column_families(False)
    if is_lenient:
        options.set_paranoid_checks(False)
        options.set_wal_recovery_mode(DBRecoveryMode.skip_any_corrupted_record())
    return options


def family_options(family: Family, cache: Cache) -> Options:
    """Return how a family is kept."""
    options = Options(raw_mode=True)
    options.set_write_buffer_size(_WRITE_BUFFER_BYTES.get(family, _WRITE_BUFFER_BYTES_ELSE))
    options.set_compression_type(
        DBCompressionType.none() if family in _UNCOMPRESSED else DBCompressionType.zstd()
    )
    table = BlockBasedOptions()
    table.set_block_cache(cache)
    table.set_bloom_filter(10, block_based=False)
    options.set_block_based_table_factory(table)
    if family is Family.EVENTS:
        options.set_compaction_style(DBCompactionStyle.universal())
    if family is Family.OUTBOX:
        options.set_compaction_style(DBCompactionStyle.fifo())
        oldest_first = FifoCompactOptions()
        oldest_first.max_table_files_size = OUTBOX_BYTES_MAX
        options.set_fifo_compaction_options(oldest_first)
    return options
