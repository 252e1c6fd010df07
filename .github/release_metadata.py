"""Writes the addresses of the repository into pyproject.toml and the README, before a release is built.

Relative links of the README lead nowhere on the page of a package index. Usage, in a checkout::

    python .github/release_metadata.py https://github.com/OWNER/NAME v1.0.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_HOMEPAGE = re.compile(r"^Homepage = .*$", re.MULTILINE)
_LINK = re.compile(r"(!?)(\[[^\]]*\])\((?!https?:|#)([^)\s]+)\)")


def absolute_links(markdown: str, repository: str, ref: str) -> str:
    """Return Markdown whose relative links lead to the files of a repository, and those of pictures to their bytes."""

    def absolute(match: re.Match[str]) -> str:
        picture, text, path = match.groups()
        return f"{picture}{text}({repository}/{'raw' if picture else 'blob'}/{ref}/{path})"

    return _LINK.sub(absolute, markdown)


def with_urls(project: str, repository: str, ref: str) -> str:
    """Return the text of pyproject.toml with the URLs of the project."""
    urls = {
        "Homepage": repository,
        "Documentation": f"{repository}/blob/{ref}/docs/README.md",
        "Changelog": f"{repository}/blob/{ref}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    lines = "\n".join(f'{name} = "{url}"' for name, url in urls.items())
    changed, number = _HOMEPAGE.subn(lines, project)
    if number != 1:
        raise ValueError(f"pyproject.toml has {number} lines that start with 'Homepage = '; one was expected")
    return changed


def main(repository: str, ref: str) -> None:
    """Change the README and pyproject.toml in the current folder."""
    readme, project = Path("README.md"), Path("pyproject.toml")
    readme.write_text(absolute_links(readme.read_text(encoding="utf-8"), repository, ref), encoding="utf-8")
    project.write_text(with_urls(project.read_text(encoding="utf-8"), repository, ref), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
