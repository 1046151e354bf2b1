"""What a user may set about work."""

from __future__ import annotations

from agentx.kernel.values import frozen, setting


@frozen
class WorkSettings:
    """Where issues are kept."""

    mode: str = setting(
        "local",
        "Where issues live: files in .agentx/issues, or GitHub.",
        choices=("local", "github"),
        persons=True,
    )


@frozen
class GithubSettings:
    """The repository whose issues are used in GitHub mode."""

    repository: str = setting(
        "", "owner/name; empty takes it from the git remote `origin`.", persons=True
    )
    base_url: str = setting("https://api.github.com", "Address of the REST API.", persons=True)
    token_env: str = setting(
        "GITHUB_TOKEN",
        "Environment variable with the token; without one `gh` is asked.",
        persons=True,
    )
    notify: str = setting(
        "",
        "Who decides on GitHub, names with commas: mentioned where a person must; their replies "
        "count. A team is mentioned alone: nobody is known as one of it.",
        persons=True,
    )
