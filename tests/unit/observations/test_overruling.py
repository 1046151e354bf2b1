"""Goal: a ruling that a person overturned is known as such, and no ruling on another thing is."""

from __future__ import annotations

from time import process_time

import pytest

from agentx.kernel.clock import Millis
from agentx.observations.model import Category
from agentx.observations.validity.overruled import _overrules, overrules
from agentx.observations.validity.reading import Comparable
from agentx.observations.validity.supersede import find_superseded
from agentx.prose.settling.stances import read_stances

# An older ruling, and a later one that takes it back.
OVERRULED = [
    # from one to another, with and without what it is for
    ("We take Mongo for the catalogue.", "Move the catalogue from Mongo to Cassandra."),
    ("Let's use Jenkins for the builds.", "Switch from Jenkins to Buildkite."),
    ("Bundle with webpack instead of rollup.", "Replace webpack with esbuild, it is faster."),
    ("Use Memcached for the sessions.", "Swap Memcached for Valkey."),
    ("We migrate users with Flyway.", "Migrate from Flyway to Liquibase, licences cost too much."),
    ("Use moment for dates.", "Use dayjs for dates instead of moment."),
    ("We render charts with D3.", "Drop D3, the bundle is too large."),
    ("Use gRPC for the scheduler.", "We no longer use gRPC for the scheduler."),
    ("Use Selenium for the smoke tests.", "Stop using Selenium for the smoke tests."),
    ("Install Datadog on every host.", "Get rid of Datadog."),
    ("Use cspell in pre-commit.", "Turn cspell off in pre-commit, it is noisy."),
    ("Enable strict mode in the compiler.", "Disable strict mode in the compiler."),
    ("Always rebase before pushing.", "No more rebase before pushing, merge main instead."),
    # in the words of every day
    ("Read the files with polars.", "duckdb then, polars out."),
    ("We take Jenkins for the builds.", "out with Jenkins, Buildkite it is"),
    ("Keep using `make ship`.", "`make ship` is dead, it's `just release` now"),
    ("Let's do policy classes for the permissions.", "the policy classes are history"),
    (
        "move the mail queue to kafka topics",
        "kafka lost mails on sunday, so no kafka for queues, back to cron",
    ),
    ("We take Jenkins for the builds.", "Jenkins gets replaced by Buildkite."),
    ("We take Jenkins for the builds.", "Jenkins wird durch Buildkite ersetzt."),
    ("Usamos Jenkins para los builds.", "Jenkins fue reemplazado por Buildkite."),
    # another number for the same thing
    ("Keep the lease time at 20 seconds.", "Set the lease time to 45 seconds."),
    ("The upload limit is 10 MB.", "Raise the upload limit to 25 MB."),
    ("Retry a webhook 3 times.", "Retry a webhook 7 times, partners are flaky."),
    ("Run the nightly export at 02:00.", "Run the nightly export at 04:30."),
    ("Mails go at 06:00 instead of 07:00.", "Mails go at 05:30 instead of 06:00, Oslo joined."),
    ("Wrap comments at 80 columns.", "Wrap comments at 100 columns from now on."),
    ("Use four spaces for indentation.", "Use two spaces for indentation."),
    ("Coverage must stay above 80%.", "Coverage must stay above 90%."),
    ("Use port 8080 for the gateway.", "Use port 9000 for the gateway."),
    ("We require Node 18 at least.", "Minimum is Node 22 now."),
    ("Respond with 400 for a bad cursor.", "Respond with 422 for a bad cursor."),
    # forbidden, then allowed; wanted, then forbidden
    ("Never mock the clock in unit tests.", "You may mock the clock in unit tests now."),
    ("Do not bump the lockfile.", "Ok bump the lockfile after all."),
    ("Don't cache the profile page.", "Cache the profile page after all, it is slow."),
    ("No feature flags in the core package.", "Feature flags are fine in the core package now."),
    ("Force pushes are forbidden.", "Force pushes are allowed now."),
    ("Always run the e2e suite before a commit.", "Don't run the e2e suite before a commit."),
    ("Use default exports in components.", "Do not use default exports in components."),
    ("Log request bodies at debug level.", "Never log request bodies at debug level."),
    ("Do not raise the quota.", "Finance agreed so raise the quota to 2Gi and bump workers to 12."),
    # a ban that is lifted, in the words in which people do
    ("Never print on printer-2, its drum is worn.", "printer-2 works again, you can use it"),
    ("Do not use the Lyon mirror.", "The Lyon mirror may be used again."),
    ("don't call tax-api, it is down", "tax-api is fine now, use it"),
    ("Never deploy to node-7.", "node-7 got a new disk, you can use it again"),
    ("Avoid using runner-b.", "ok, we can use runner-b again"),
    ("Never book room R4.", "btw room R4 is repaired, you can book it again"),
    ("Nie auf host-9 bauen, er ist defekt.", "du kannst host-9 wieder benutzen"),
    ("Never build on host-9.", "host-9 darf wieder verwendet werden"),
    ("Never query replica-2.", "replica-2 l\u00e4uft wieder, du kannst sie benutzen"),
    ("Nunca uses cache-1.", "ya puedes volver a usar cache-1"),
    ("Batch size 32.", "batch size 96 now that we have two nodes"),
    ("Pool size 10.", "now that the server is bigger, pool size 40"),
    # another choice for the same thing
    ("Store invoices in GridFS.", "Store invoices in the bucket instead."),
    ("Use Vitest for the widgets rather than Jest.", "Use Mocha for the widgets."),
    ("Use npm as the package manager.", "Use pnpm as the package manager."),
    ("Use tabs for indentation.", "Use spaces for indentation."),
    ("Return null for a missing key.", "Return undefined for a missing key."),
    ("The default theme is dark.", "The default theme is light now."),
    ("Use Mapbox for the maps, no Leaflet.", "We go back to Leaflet for the maps."),
    # other languages
    ("Wir nehmen Gradle f\u00fcr den Build.", "Ersetze Gradle durch Bazel."),
    ("Nimm Kotlin f\u00fcr das Backend statt Java.", "Nimm doch Java f\u00fcr das Backend."),
    ("Setze das Timeout auf 30 Sekunden.", "Setze das Timeout auf 90 Sekunden."),
    ("Utilise Redux pour le panier.", "Remplace Redux par Zustand."),
    ("On utilise Gulp au lieu de Grunt.", "Abandonne Gulp."),
    ("Usa Angular para el panel.", "Usa Svelte para el panel en vez de Angular."),
    ("Nunca uses Lodash en el cliente.", "Ahora puedes usar Lodash en el cliente."),
    ("\u540e\u7aef\u7528 Flask,\u4e0d\u7528 Django\u3002", "\u540e\u7aef\u6539\u7528 Django\u3002"),
    ("\u7f13\u5b58\u7528 Redis\u3002", "\u4e0d\u518d\u4f7f\u7528 Redis\u3002"),
    (
        "\u753b\u50cf\u306fS3\u306b\u4fdd\u5b58\u3059\u308b\u3002",
        "\u753b\u50cf\u306fS3\u3067\u306f\u306a\u304fGCS\u306b\u4fdd\u5b58\u3057\u3066\u304f\u3060\u3055\u3044\u3002",
    ),
    (
        "\uac80\uc0c9\uc740 Solr\ub97c \uc0ac\uc6a9\ud574\uc8fc\uc138\uc694.",
        "\uac80\uc0c9\uc740 Solr \ub9d0\uace0 Elastic\uc744 \uc0ac\uc6a9\ud574\uc8fc\uc138\uc694.",
    ),
]
# Near, and both stand.
SIDE_BY_SIDE = [
    ("move the mail queue to kafka topics", "no kafka for logs please, they go to a file"),
    ("move the mail queue to kafka topics", "no topics for the mail digest"),
    ("send the stock list to night shift leads", "no night runs for the stock list of the museum"),
    # no name is dropped
    ("Read the files with polars.", "print it out, then polars reads it"),
    ("Print the log of polars.", "find out why polars is slow"),
    ("Use Jenkins for the builds.", "the old Jenkins box is dead, use Jenkins on the new one"),
    ("Keep the dead letters for a week.", "mark those that are dead, then go on"),
    # another service, place or file
    ("Use Mongo for the catalogue.", "Use Cassandra for the audit trail instead of Mongo."),
    ("Use Redis for the basket.", "Drop Redis for the ranking."),
    ("Use Redis for the basket.", "Never use Redis for the ranking."),
    ("Deploy the api with Helm.", "Deploy the website with kustomize instead of Helm."),
    (
        "Set the timeout of the importer to 30 seconds.",
        "Set the timeout of the mailer to 90 seconds.",
    ),
    ("Set the pool size to 10.", "Set the pool size of the reporting replica to 40."),
    ("No lodash in the client.", "Lodash is fine in the build scripts."),
    ("Never log tokens in the gateway.", "Log token counts in the planner."),
    ("Use tabs in Makefiles.", "Use tabs in Go files from now on."),
    ("Use tabs in Makefiles.", "Use two spaces in TOML files."),
    ("Do not edit src/gen.py.", "Edit src/main.py instead."),
    ("Never touch vendor/.", "Never touch third_party/."),
    ("Turn telemetry off in tests.", "Turn telemetry on in staging."),
    ("Store avatars in S3.", "Store receipts in the database instead."),
    ("Use Vue for the shop.", "Use React for the admin now."),
    ("The api returns 404 for deleted users.", "The api returns 410 for deleted posts."),
    ("Return 201 for a created order.", "Return 202 for a queued order."),
    # another number, unit or measure
    ("Mails go at 06:00.", "Reports go at 05:30 instead of 06:00."),
    ("Keep logs for 30 days.", "Keep logs under 5 GB."),
    ("Keep logs for 30 days.", "Keep backups for 90 days."),
    ("Retry 5 times.", "Wait 30 seconds before a retry."),
    ("Work on tenant 23 first.", "Work on tenant 28 first."),
    ("Close #26.", "Close #27."),
    ("We support iOS 15 and up.", "We support Android 9 and up."),
    ("Limit uploads to 10 MB.", "Limit downloads to 50 MB."),
    ("At most 4 workers in CI.", "At most 2 retries in CI."),
    ("Look at topic 3 for me.", "Look at topic 4 for me."),
    ("Start phase 2 on Monday.", "Start phase 3 on Tuesday."),
    # an exception, or only a part
    ("Use Kafka for events.", "Use Kafka for metrics too."),
    ("Always squash when merging.", "Do not squash release branches."),
    ("Never push to main.", "Push to main is fine for the docs robot."),
    ("Do not log emails.", "Log emails in the audit service."),
    ("Use strict types.", "Do not use strict types in the legacy folder."),
    ("Use Postgres.", "Use SQLite for the unit tests instead of Postgres."),
    ("Every comment ends with a stop.", "Remove the comment."),
    ("Use Redis for tests.", "Remove the Redis test."),
    # another thing is lifted, or this one in some case, for a part, or not yet
    ("Never print on printer-2.", "printer-3 works again, you can use it"),
    ("Never print on printer-2.", "printer-2 works again"),
    ("Never print on printer-2.", "if printer-2 works again, you can use it"),
    ("Never print on printer-2.", "can we use printer-2 again?"),
    ("Never print on printer-2.", "you can use printer-2 again for drafts"),
    ("Never print on printer-2.", "printer-2 has no toner, you can't use it again"),
    ("Never log request bodies of the gateway.", "The gateway works again, you can use it"),
    ("Batch size 32.", "pool size 96 now that we have two nodes"),
    # more of it
    ("Use pytest for the tests.", "Use Docker for the tests."),
    ("Use ruff for linting.", "Also use mypy for linting."),
    ("Write tests for the parser.", "Write tests for the lexer."),
    ("Never commit secrets.", "Never commit large binaries."),
    ("Prefer small functions.", "Prefer small commits."),
    ("Use British spelling in the docs.", "Use short sentences in the docs."),
    ("Put tests in tests/unit.", "Put docs in docs/guide."),
    # another person's scope, or only said of it
    ("Anna reviews the schema.", "Tom reviews the frontend now."),
    ("Use feature branches for the mobile team.", "No feature branches for the data team."),
    ("Never call the bank from tests.", "The tests of the bank run at night now."),
    ("Use Celery for mails.", "Celery needs a newer broker."),
    ("Use Celery for mails.", "Should we drop Celery?"),
    ("Do not rename the table.", "Rename the column after all."),
    # other languages
    ("Nimm Redis f\u00fcr den Warenkorb.", "Kein Redis f\u00fcr die Rangliste."),
    (
        "Setze das Timeout des Imports auf 30 Sekunden.",
        "Setze das Timeout des Exports auf 90 Sekunden.",
    ),
    ("Utilise Vue pour la boutique.", "Utilise React pour le tableau de bord."),
    ("Usa Redis para el carrito.", "Usa Postgres para el libro en vez de Redis."),
    ("\u524d\u7aef\u7528 Vue\u3002", "\u540e\u7aef\u6539\u7528 React\u3002"),
    (
        "\u753b\u50cf\u306fS3\u306b\u4fdd\u5b58\u3059\u308b\u3002",
        "\u52d5\u753b\u306fS3\u3067\u306f\u306a\u304fGCS\u306b\u4fdd\u5b58\u3059\u308b\u3002",
    ),
]


def is_overruled(old: str, new: str) -> bool:
    return overrules(read_stances(new), read_stances(old))


@pytest.mark.parametrize(("old", "new"), OVERRULED)
def test_what_a_person_overturned_is_overruled(old: str, new: str) -> None:
    assert is_overruled(old, new)


@pytest.mark.parametrize(("old", "new"), SIDE_BY_SIDE)
def test_rulings_on_two_things_stand_side_by_side(old: str, new: str) -> None:
    assert not is_overruled(old, new)


def said(number: int, text: str, **more: object) -> Comparable:
    fields = {"id": f"m-{number}", "session_id": f"s-{number}", **more}
    return Comparable(at_ms=Millis(number), text=text, **fields)  # type: ignore[arg-type]  # its fields


def test_of_rulings_in_one_store_the_later_stands_whatever_kind_they_were_kept_as() -> None:
    old = said(1, "The user said: Keep the lease time at 20 seconds.")
    other = said(2, "The user said: Keep the grace time at 20 seconds.")
    new = said(
        3,
        "The user said: Set the lease time to 45 seconds, nodes are slow.",
        category=Category.KEY_FACT,
    )

    assert find_superseded([old, other, new]) == [(old.id, new.id)]


def test_what_an_agent_says_overrules_no_person() -> None:
    old = said(1, "The user said: Keep the lease time at 20 seconds.")
    new = said(2, "Set the lease time to 45 seconds.", category=Category.KEY_FACT)

    assert find_superseded([old, new]) == []


def test_in_one_session_the_later_word_of_the_user_stands() -> None:
    old = said(1, "The user said: Wrap comments at 80 columns.", session_id="s")
    new = said(2, "The user said: Wrap comments at 100 columns.", session_id="s")
    tabs = said(1, "The user said: Use tabs for indentation.", session_id="s")
    spaces = said(1, "The user said: Use spaces for indentation.", session_id="s", id="m-0")

    assert find_superseded([old, new]) == [(old.id, new.id)]
    assert find_superseded([tabs, spaces]) == []


def test_what_rules_several_things_stands_while_most_of_it_does() -> None:
    old = said(1, "The user said: Deploy with Helm. Never log mails. Wrap comments at 80 columns.")
    new = said(2, "The user said: Drop Helm.")
    joined = said(1, "The user said: Keep zstd. Batch size 32, and always set the seed to 7.")
    batch = said(2, "The user said: batch size 96 now that we have two nodes.")
    brief = said(1, "The user said: stream it. do not raise the limit, infra pays per Gi")
    raised = said(2, "The user said: infra gave us 1Gi now so raise the limit to 1Gi and go on")

    assert find_superseded([old, new]) == []
    assert find_superseded([joined, batch]) == []
    assert find_superseded([brief, raised]) == [(brief.id, raised.id)]


def test_a_ruling_for_another_service_is_not_given_up() -> None:
    old = said(1, "The user said: Use Redis for the cart service.", issue=4)
    new = said(2, "The user said: Use Postgres for the ledger service instead of Redis.", issue=4)

    assert find_superseded([old, new]) == []


@pytest.mark.parametrize(
    "text", ["no " * 900, "use a for b, " * 900, "12 " * 900, "\u7528" * 900, ""]
)
def test_no_ruling_takes_long_to_read(text: str) -> None:
    begun = process_time()
    stances = read_stances(text)
    overrules(stances, stances)

    assert process_time() - begun < 1


def test_what_an_agent_chose_falls_by_a_word_of_the_user() -> None:
    old = said(
        1,
        "I chose `polars` over `pandas` because we need three columns.",
        category=Category.DECISION,
    )
    other = said(2, "The importer reads `polars.toml`.", category=Category.KEY_FACT)
    new = said(3, "The user said: duckdb then, polars out", category=Category.DECISION)

    assert find_superseded([old, other, new]) == [(old.id, new.id)]


def test_how_the_agent_took_a_ruling_keeps_nothing_of_it() -> None:
    said = "The user said: good. Batch size 64"
    old = Comparable(
        id="old", at_ms=Millis(1), text=f"{said}; The agent: Set seed 9 and batch size 64 in `a.y`."
    )
    new = Comparable(
        id="new", at_ms=Millis(2), text="The user said: batch size 128 now that we have two nodes."
    )

    assert find_superseded([old, new]) == [("old", "new")]


def test_how_a_tool_is_called_outlives_the_file_it_was_called_on() -> None:
    failed, worked = (
        "`npx cypress open ops/tide.yml` failed: no display",
        "`npx cypress run` worked",
    )
    old = Comparable(id="old", at_ms=Millis(1), category=Category.ERROR, text=f"{failed}; {worked}")
    new = Comparable(id="new", at_ms=Millis(2), text="Removed `ops/tide.yml`; ship.yml does both")
    gone = Comparable(
        id="gone",
        at_ms=Millis(3),
        category=Category.CODE_CHANGE,
        text="remove Cypress (commit 1a2b3c4)",
    )

    assert find_superseded([old, new]) == []
    assert find_superseded([old, gone]) == [("old", "gone")]


def test_rulings_that_share_no_word_overrule_nothing() -> None:
    read = [stance for pair in OVERRULED for text in pair for stance in read_stances(text)]
    apart = [(new, old) for new in read for old in read if new.named.isdisjoint(old.named)]
    assert len(apart) > 1_000
    assert not [pair for pair in apart if _overrules(*pair)]
