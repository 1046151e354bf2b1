"""Runs: multi-phase work as events, resumable anywhere, mergeable in git, with parallel lanes.

    happening --decide--> events --appended, synced--> fold --> Run --> files
                                                        ^
                       every clone's files, in any order

Events are facts, one folder an actor. Everything else in a run's folder is made from
them and may be deleted.
"""
