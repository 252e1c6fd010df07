"""Forum, Q&A, ticket and comment packages that no longer run: their own templates, without their code."""
# mypy: disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research.engines.packages import PACKAGES, Package
from research.engines.saving import LANGUAGES, Job, authors_of, date_of, tree_order

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Pages of our own around the comments of packages that leave the article to the site.
_HOSTS = Path(__file__).with_name("hosts")
_NOT_SHOWN = {"tests", "docs", "static", "exampleapp", "rforum-example"}


def main() -> None:
    """Render the threads with the templates of a package."""
    name = sys.argv.pop()
    package = PACKAGES[name]
    job = Job.of_command(name, title_alone=package.is_comments, kind=package.kind)
    if package.title_alone:
        job.threads = [{**thread, "body": ""} for thread in job.threads]
    folders = _template_folders(Path(sys.prefix) / "packages" / name)
    spoken = {path.parents[1].name[:2].lower() for each in folders for path in each.parent.glob("locale/*/*/*.mo")}
    job.languages = [each for each in LANGUAGES if each == "en" or each[:2] in spoken]
    pages = _Pages(package, folders, authors_of(job.threads))
    for number in range(len(job.threads)):
        order = tree_order(job.threads[number]) if package.nested else [*range(len(job.threads[number]["replies"]))]
        size = package.size or len(order) + 1
        for page, begin in enumerate(range(0, len(order) + 1, size), 1):
            shown = order[max(0, begin - 1) : begin + size - 1]
            html = pages.html(job, number, shown, page, 1 + len(order) // size)
            path = f"/{package.path}/{number + 1}/" + (f"?page={page}" if page > 1 else "")
            job.save(number, package.look, path, html, shown=shown, nested=package.nested, page=page)


def _template_folders(folder: Path) -> list[Path]:
    """The folders of templates of a package, and of what it needs."""
    found = [path for path in sorted(folder.rglob("templates")) if path.is_dir()]
    return [path for path in found if not _NOT_SHOWN & {*path.relative_to(folder).parts}]


class _Pages:
    def __init__(self, package: Package, folders: Sequence[Path], authors: Sequence[str]) -> None:
        import django
        from django.conf import settings

        from research.engines.lenient import BASE, User, be_lenient

        here = Path("templates").absolute()
        here.mkdir(exist_ok=True)
        own = dict(package.templates)
        if package.repair:
            broken = next(path for each in folders if (path := each / package.template).exists())
            own[package.template] = broken.read_text(encoding="utf-8").replace(*package.repair)
        hosts = {path.name: path.read_text(encoding="utf-8").rstrip("\n") for path in sorted(_HOSTS.iterdir())}
        for name, text in {**hosts, **own}.items():
            (here / name).parent.mkdir(exist_ok=True, parents=True)
            (here / name).write_text(text or BASE, encoding="utf-8")
        options = {
            "builtins": ["research.engines.lenient"],
            "loaders": ["django.template.loaders.filesystem.Loader", ("research.engines.lenient.Fallback", {})],
            "context_processors": ["django.template.context_processors.i18n"],
        }
        engine = "django.template.backends.django.DjangoTemplates"
        settings.configure(
            SECRET_KEY="known", USE_TZ=True, TIME_ZONE="UTC", USE_I18N=True, USE_L10N=True,  # noqa: S106
            INSTALLED_APPS=["django.contrib.humanize"],
            LOCALE_PATHS=[str(each.parent / "locale") for each in folders],
            TEMPLATES=[{"BACKEND": engine, "DIRS": [str(here), *map(str, folders)], "OPTIONS": options}],
        )  # fmt: skip
        django.setup()
        be_lenient(package.includes)
        self.package, self.folders = package, folders
        self.users = {name: User(name, number) for number, name in enumerate(authors, 1)}

    def html(self, job: Job, number: int, shown: Sequence[int], page: int, pages: int) -> str:
        from django.template import loader
        from django.utils import translation

        from research.engines.lenient import Board, Guest, green_tree

        topic = self._topic(job, number, shown, page, pages)
        known = {
            "topic": topic, "posts": topic.posts_, "replies": topic.replies_, "roots": topic.roots_, "board": Board(),
            "green": green_tree(topic.roots_), "guest": Guest(), "title": topic.title_, "all": topic.posts_,
        }  # fmt: skip
        context = {
            "user": known["guest"], "request": {"user": known["guest"], "path": "/"}, "site_name": "Help and support",
            "page_obj": topic.posts_, "is_paginated": pages > 1, "paginator": topic.posts_.paginator, "forum": Board(),
            "layout": f"host{number % 3}.html", "object": topic,
        }  # fmt: skip
        for key, value in self.package.context.items():
            context[key] = known.get(value, value) if isinstance(value, str) else value
        with translation.override(job.language(number)):
            return str(loader.render_to_string(self.package.template, context))

    def _topic(self, job: Job, number: int, shown: Sequence[int], page: int, pages: int) -> Any:
        from research.engines.lenient import Many, Post, Topic

        thread, texts = job.threads[number], self.package.texts
        body = thread["body"] or ""
        topic = Topic(body, self.users[thread["author"]], date_of(number, 0), number, texts=texts)
        made: dict[int, Post] = {}
        for place, reply in enumerate(thread["replies"]):
            when, author = date_of(number, place + 1), self.users[reply["author"]]
            made[place] = post = Post(reply["text"], author, when, place, texts=texts)
            if reply["parent"] is not None:
                parent = post.parent = made[reply["parent"]]
                post.level = parent.level + 1
                parent.children_.append(post)
        replies = Many(made[place] for place in shown)
        posts = Many([topic, *replies] if page == 1 else replies)
        for each in (posts, replies):
            each.number, each.pages = page, pages
        topic.show(thread["title"], posts, replies, Many(post for post in made.values() if post.parent is None))
        known = {"topic": topic, "title": thread["title"]}
        vars(topic).update({key: known.get(value, value) for key, value in self.package.attributes.items()})
        return topic


if __name__ == "__main__":
    main()
