"""WordPress with its themes: a question as the post of a blog, answers as comments in a tree or on pages.

The program is not on PyPI: Debian's packages wordpress, wordpress-theme-twentytwenty{one,two,three}, php-cli,
php-mysql and mariadb-server have to be installed. PHP's own server serves the pages, from a database of our own.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from research.engines.saving import Job, date_of, running, served, tree_order

if TYPE_CHECKING:
    from collections.abc import Iterator

_INSTALLED = Path("/usr/share/wordpress")
_HOST = "blog.example"
_SITE = f"http://{_HOST}"
_PORT = 18_722
_THEMES = ("twentytwentyone", "twentytwentytwo", "twentytwentythree")
_COMMENTS = 20  # of a page, where they are flat
_CONFIG = """<?php
define('DB_NAME', 'blog'); define('DB_USER', 'root'); define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:%s'); define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('WP_HOME', 'http://%s'); define('WP_SITEURL', 'http://%s');
define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true); define('WP_DEFAULT_THEME', 'twentytwentyone');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $key) {
  define($key . '_KEY', 'known');
  define($key . '_SALT', 'known');
}
$table_prefix = 'wp_';
if (!defined('ABSPATH')) { define('ABSPATH', __DIR__ . '/'); }
require_once ABSPATH . 'wp-settings.php';
"""
# Installs the blog, and adds the posts and comments of a JSON file.
FILL = """<?php
define('WP_INSTALLING', true);
require __DIR__ . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Help and support', 'root', 'root@blog.example', true, '', 'known');
wp_delete_post(1, true);
foreach (json_decode(file_get_contents($argv[1]), true) as $post) {
  $id = wp_insert_post(wp_slash($post['post'] + ['post_status' => 'publish', 'post_author' => 1]), true);
  if (is_wp_error($id)) { exit(1); }
  $made = [];
  foreach ($post['comments'] as $comment) {
    $comment['comment_parent'] = $comment['comment_parent'] === null ? 0 : $made[$comment['comment_parent']];
    $made[] = wp_insert_comment(wp_slash($comment + ['comment_post_ID' => $id, 'comment_approved' => 1]));
  }
  echo $id, ' ';
}
"""
SET = """<?php
require __DIR__ . '/wp-load.php';
switch_theme($argv[1]);
foreach (json_decode($argv[2], true) as $name => $value) { update_option($name, $value); }
"""
_NESTED = {"thread_comments": 1, "thread_comments_depth": 6, "page_comments": 0}
_FLAT = {"thread_comments": 0, "page_comments": 1, "comments_per_page": _COMMENTS, "default_comments_page": "oldest"}


def main() -> None:
    """Fill a blog, and save its posts in each theme, half of them with a tree of comments and half with pages."""
    job = Job.of_command("wordpress", title_alone=True)
    site = job.folder / "site"
    with database(job.folder, "blog") as socket, running(_server(site)):
        copy_program(site, socket, _HOST)
        for name, script in (("fill", FILL), ("set", SET)):
            (site / f"{name}.php").write_text(script)
        (job.folder / "posts.json").write_text(json.dumps(_posts(job)))
        posts = php(site / "fill.php", str(job.folder / "posts.json")).split()
        for place, theme in enumerate(_THEMES):
            numbers = [number for number in range(len(posts)) if number % len(_THEMES) != place]
            php(site / "set.php", theme, json.dumps(_NESTED))
            for number in numbers[::2]:
                html = _page_at(f"/?p={posts[number]}")
                shown = tree_order(job.threads[number])
                job.save(number, f"{theme}-tree", f"/?p={posts[number]}", html, shown=shown, nested=True, site=_SITE)
            php(site / "set.php", theme, json.dumps(_FLAT))
            for number in numbers[1::2]:
                _save_pages(job, number, f"{theme}-flat", posts[number])


def copy_program(site: Path, socket: Path, host: str) -> None:
    """Copy the installed program, set for a host and a database."""
    shutil.copytree(_INSTALLED, site, ignore=shutil.ignore_patterns("wp-config.php"), dirs_exist_ok=True)
    (site / "wp-config.php").write_text(_CONFIG % (socket, host, host))


def _save_pages(job: Job, number: int, skin: str, post: str) -> None:
    count = len(job.threads[number]["replies"])
    for page, begin in enumerate(range(0, count, _COMMENTS), 1):
        path = f"/?p={post}" + (f"&cpage={page}" if page > 1 else "")
        shown = range(begin, min(count, begin + _COMMENTS))
        job.save(number, skin, path, _page_at(path), shown=shown, page=page, repeats=True, site=_SITE)


def _posts(job: Job) -> list[object]:
    posts: list[object] = []
    for number, thread in enumerate(job.threads):
        comments = [
            {
                "comment_content": reply["text"],
                "comment_author": reply["author"],
                "comment_author_email": f"{reply['author']}@{_HOST}",
                "comment_parent": reply["parent"],
                "comment_date": f"{date_of(number, place):%Y-%m-%d %H:%M:%S}",
            }
            for place, reply in enumerate(thread["replies"], 1)
        ]
        post = {
            "post_title": thread["title"],
            "post_content": thread["body"],
            "post_date": f"{date_of(number, 0):%Y-%m-%d %H:%M:%S}",
        }
        posts.append({"post": post, "comments": comments})
    return posts


@contextmanager
def database(folder: Path, name: str) -> Iterator[Path]:
    """Run a database server without a network port, with a database of a name; yields its socket."""
    data, socket = folder / "database", folder / "socket"
    options = ["--no-defaults", f"--datadir={data}", "--user=root"]
    make = ["mariadb-install-db", *options, "--auth-root-authentication-method=normal", "--skip-test-db"]
    if not data.exists():
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    socket.unlink(missing_ok=True)
    server = subprocess.Popen(["mariadbd", *options, f"--socket={socket}", "--skip-networking"])  # noqa: S603, S607
    try:
        while not socket.exists() and server.poll() is None:
            time.sleep(0.2)
        create = [
            "mariadb",
            "--no-defaults",
            f"--socket={socket}",
            "-uroot",
            "-e",
            f"CREATE DATABASE IF NOT EXISTS {name}",
        ]
        subprocess.run(create, check=True)  # noqa: S603
        yield socket
    finally:
        server.terminate()
        server.wait()


def _server(site: Path) -> subprocess.Popen[bytes]:
    command = ["php", "-S", f"127.0.0.1:{_PORT}", "-t", str(site)]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)  # noqa: S603


def php(*command: str | Path) -> str:
    """Run a script; returns what it prints."""
    return subprocess.run(["php", *command], check=True, capture_output=True, text=True).stdout  # noqa: S603, S607


_page_at = partial(served, _PORT, headers={"Host": _HOST})


if __name__ == "__main__":
    main()
