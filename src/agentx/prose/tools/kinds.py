"""Which tools are of a kind: who asks for "the database" means one that nobody calls a database.

    database         Postgres, SQLite, MySQL, ...
    package manager  npm, pnpm, uv, ...

The table is common knowledge and far from whole: what is missing in it is found by its words.
"""

from __future__ import annotations

import re

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_TABLE = """
database, db, data store, datastore, data base, datenbank:
    postgres postgresql psql sqlite mysql mariadb mongodb mongo cockroachdb dynamodb duckdb
    cassandra scylladb oracle mssql firestore firebase supabase planetscale clickhouse neo4j
    couchdb tidb timescaledb rocksdb leveldb
queue, job queue, task queue, broker, message broker, message queue, message bus, event bus:
    celery rq sidekiq resque bullmq rabbitmq sqs kafka nats dramatiq huey arq pulsar zeromq
    mosquitto mqtt delayed_job oban pgmq
web framework, backend framework, server framework:
    django flask fastapi starlette rails sinatra nestjs fastify koa hono laravel symfony spring
    quarkus phoenix gin axum actix
frontend framework, ui framework, ui library:
    react vue svelte sveltekit solid angular preact qwik htmx nextjs nuxt remix astro flutter
    swiftui
package manager, dependency manager, paketmanager:
    npm pnpm yarn bun pip pipenv poetry uv conda mamba pdm rye cargo bundler composer nuget
    maven gradle homebrew cocoapods
test runner, test framework, testing framework, test library:
    pytest unittest nose2 jest vitest mocha ava jasmine rspec minitest junit testng phpunit
    playwright cypress selenium xctest googletest catch2 exunit bats
linter:
    eslint biome ruff flake8 pylint golangci clippy rubocop oxlint tslint shellcheck stylelint
    ktlint detekt swiftlint checkstyle
formatter, code formatter:
    prettier black ruff gofmt gofumpt biome rustfmt dprint yapf autopep8 spotless
type checker:
    mypy pyright pyre pytype tsc typescript sorbet
bundler, build tool, build system:
    webpack vite rollup esbuild parcel turbopack swc bazel gradle maven cmake meson ninja buck2
    sbt turborepo nx
orm, query builder:
    sqlalchemy sqlmodel prisma drizzle typeorm sequelize knex kysely hibernate gorm ecto peewee
    tortoise activerecord doctrine diesel sqlx sqlc jooq
ci, ci system, ci service, ci provider, pipeline:
    github gitlab jenkins circleci travis buildkite drone woodpecker teamcity bitbucket
    concourse tekton argo
cloud, cloud provider, hosting, host, hoster, platform:
    aws gcp azure heroku vercel netlify hetzner digitalocean railway cloudflare linode ovh
    scaleway firebase supabase
cache, cache store:
    redis memcached valkey keydb dragonfly varnish hazelcast ehcache caffeine
http client, http library:
    httpx aiohttp urllib3 axios undici superagent reqwest okhttp retrofit faraday guzzle
    alamofire
state management, state library, store library:
    redux zustand mobx recoil jotai pinia vuex xstate riverpod bloc
css framework, css library, component library:
    tailwind bootstrap bulma sass mui chakra shadcn radix mantine antd
search engine, search backend:
    elasticsearch opensearch meilisearch typesense solr lucene tantivy algolia vespa
web server, reverse proxy, proxy, load balancer, ingress:
    nginx caddy traefik haproxy envoy apache lighttpd gunicorn uvicorn hypercorn puma unicorn
orchestrator, orchestration, container platform:
    kubernetes k8s k3s nomad swarm openshift ecs rancher systemd
logger, logging library:
    structlog loguru winston pino bunyan zap zerolog logrus slog serilog log4j logback
monitoring, metrics, observability:
    prometheus grafana datadog sentry newrelic honeycomb opentelemetry jaeger loki zabbix nagios
migration tool, migrations tool:
    alembic flyway liquibase goose dbmate sqitch knex prisma
editor, ide:
    vim neovim emacs vscode cursor zed intellij pycharm webstorm xcode
payment provider, payments provider:
    stripe paypal adyen mollie braintree klarna
mail provider, email provider, mail service, email service:
    sendgrid mailgun postmark ses mailjet brevo resend sparkpost
auth, auth provider, login, identity provider, authentication:
    jwt oauth oidc saml cookie cookies auth0 clerk keycloak cognito okta passkeys passkey
    webauthn ldap
licence, license:
    mit apache gpl agpl lgpl bsd mpl isc unlicense epl
secret store, secrets manager, vault:
    vault doppler sops infisical 1password bitwarden kms
language, programming language:
    python typescript javascript golang rust java kotlin swift ruby php elixir scala haskell
    ocaml zig dart
"""
_ENTRY = re.compile(r"^(?P<names>\S[^:\n]*):(?P<tools>[^:]*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
_LEAD = compile_late(r"\A(?i:(?:the|our|your|their|main|own|a|an|kind of|sort of|type of) )+")

_HELD = compile_late(
    r"\A\W*(?:and |so )?(?:which|what) (?P<thing>[^?.!\n]{2,60}?) (?:do|are|does|is) "
    r"(?:(?:we|they|the team|wir)|the [\w-]+|our [\w-]+|[\w-]+) (?:now |currently |still |today )?"
    r"(?:us(?:e|ing)|on|run(?:ning)?(?: on)?|go(?:ing)? with|stick with|deploy\w* (?:to|with))\b"
    r"|\A\W*what do we (?:now |currently )?use (?:for|as|to) (?P<end>[^?.!\n]{2,60})"
    r"|\A\W*(?:and |so )?what(?: is|'s) our (?P<own>[^?.!\n]{2,40})",
    re.IGNORECASE,
)


@frozen(kw_only=False)
class AskedKind:
    """Of what it is asked which is used, and the tools of that kind where it is one of tools."""

    thing: str
    tools: frozenset[str]


def _read_table() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for entry in _ENTRY.finditer(_TABLE):
        tools = frozenset(entry["tools"].split())
        for name in entry["names"].split(","):
            found[name.strip()] = tools
    return found


_TOOLS = _read_table()


def list_tools(kind: str) -> frozenset[str]:
    """Return the tools of a kind, as they are called; none if the kind is not known."""
    words = _LEAD.sub("", kind.strip()).casefold()
    for name in (words, words.removesuffix("s")):
        if name in _TOOLS:
            return _TOOLS[name]
    return frozenset()


def read_kind(question: str) -> AskedKind | None:
    """Return of what a question asks which is used, if it does: `which database do we use?`."""
    if (asked := _HELD.match(question)) is None:
        return None
    thing = asked["thing"] or asked["end"] or asked["own"]
    tools = list_tools(thing)
    return AskedKind(thing, tools) if tools or not asked["own"] else None
