"""NodeBB, a forum on Node.js, in the three themes that come with it: pages of twenty posts.

`npm` and `redis-server` have to be on the path. The package is installed into the folder of the run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import partial
from typing import TYPE_CHECKING, Any

from research.engines.saving import (
    SIGNATURE,
    Job,
    authors_of,
    date_of,
    has_signature,
    paragraphs,
    posts_of,
    running,
    served,
)

if TYPE_CHECKING:
    from pathlib import Path

_VERSION = "1.4.0"
_REDIS, _PORT = 18_720, 18_721
_POSTS = 20  # of a page
_THEMES = ("persona", "vanilla", "lavender")
_SETUP = {
    "url": "http://forum.example",
    "secret": "known",
    "database": "redis",
    "redis:host": "127.0.0.1",
    "redis:port": _REDIS,
    "redis:password": "",
    "redis:database": "0",
    "admin:username": "root",
    "admin:password": "known-to-all",
    "admin:password:confirm": "known-to-all",
    "admin:email": "root@forum.example",
}
# Adds the users and topics of the JSON file named on the command line; prints the paths of the topics.
_FILL = """
const { promisify } = require('util'), path = require('path'), nconf = require('nconf');
nconf.file({ file: path.join(__dirname, 'config.json') });
nconf.defaults({ base_dir: __dirname, themes_path: path.join(__dirname, 'node_modules'), relative_path: '',
  views_dir: path.join(__dirname, 'public/templates'), isPrimary: 'true', isCluster: 'false' });
const db = require('./src/database'), meta = require('./src/meta'), user = require('./src/user');
const topics = require('./src/topics'), posts = require('./src/posts');
const call = (object, name, ...args) => promisify(object[name].bind(object))(...args);
(async () => {
  await call(db, 'init');
  await call(meta.configs, 'init');
  for (const [name, value] of [['usePagination', 1], ['postsPerPage', SIZE], ['newbiePostDelay', 0]]) {
    await call(meta.configs, 'set', name, value);
  }
  const { users, threads } = JSON.parse(require('fs').readFileSync(process.argv[2])), uids = {};
  for (const { username, signature } of users) {
    uids[username] = await call(user, 'create', { username, email: username + '@forum.example' });
    await call(user, 'setUserField', uids[username], 'signature', signature);
  }
  for (const { title, entries } of threads) {
    const uid = uids[entries[0].author], pids = [];
    const tid = await call(topics, 'create', { uid, cid: 2, title, timestamp: entries[0].timestamp });
    for (const { author, content, parent, timestamp, votes } of entries) {
      const data = { uid: uids[author], tid, content, timestamp, isMain: !pids.length };
      if (parent) { data.toPid = pids[parent]; }
      const post = await call(posts, 'create', data);
      pids.push(post.pid);
      await call(posts, 'setPostFields', post.pid, { votes, upvotes: votes });
    }
    process.stdout.write('/topic/' + await call(topics, 'getTopicField', tid, 'slug') + '\\n');
  }
  process.exit(0);
})().catch((error) => { console.error(error); process.exit(1); });
"""
_SET_THEME = """
const nconf = require('nconf'), path = require('path');
nconf.file({ file: path.join(__dirname, 'config.json') });
nconf.defaults({ base_dir: __dirname, themes_path: path.join(__dirname, 'node_modules') });
const done = (error) => { if (error) { console.error(error); } process.exit(error ? 1 : 0); };
require('./src/database').init((error) => error ? done(error)
  : require('./src/meta').themes.set({ type: 'local', id: 'nodebb-theme-' + process.argv[2] }, done));
"""


def main() -> None:
    """Fill a forum, and save two thirds of its threads in each theme."""
    job = Job.of_command("nodebb")
    app = _installed(job.folder)
    redis = ["redis-server", "--port", str(_REDIS), "--bind", "127.0.0.1", "--save", "", "--loglevel", "warning"]
    with running(subprocess.Popen(redis)):  # noqa: S603
        _node(app, "app", f"--setup={json.dumps(_SETUP)}")
        config = json.loads((app / "config.json").read_text())
        (app / "config.json").write_text(json.dumps({**config, "port": _PORT, "bind_address": "127.0.0.1"}))
        (app / "fill.js").write_text(_FILL.replace("SIZE", str(_POSTS)))
        (app / "set_theme.js").write_text(_SET_THEME)
        (job.folder / "threads.json").write_text(json.dumps(_content(job)))
        paths = [line for line in _node(app, "fill", job.folder / "threads.json").split("\n") if line[:7] == "/topic/"]
        environment = {**os.environ, "NODE_ENV": "production"}
        for place, theme in enumerate(_THEMES):
            _node(app, "set_theme", theme)
            _node(app, "app", "--build")
            with running(subprocess.Popen(["node", "app"], cwd=app, env=environment, stdout=subprocess.DEVNULL)):  # noqa: S607
                for number in range(len(paths)):
                    if number % len(_THEMES) != place:
                        job.save_all(number, theme, paths[number], partial(served, _PORT), size=_POSTS, nested=True)


def _installed(folder: Path) -> Path:
    """Install the package, and make it a folder with its requirements inside it."""
    (folder / "package.json").write_text("{}")
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", f"nodebb@{_VERSION}"]
    subprocess.run(install, check=True, cwd=folder)  # noqa: S603
    shutil.move(folder / "node_modules" / "nodebb", folder / "app")
    shutil.move(folder / "node_modules", folder / "app" / "node_modules")
    (folder / "app" / "public" / "uploads" / "sounds").mkdir(parents=True, exist_ok=True)  # empty, so not packed
    return folder / "app"


def _content(job: Job) -> dict[str, Any]:
    names = authors_of(job.threads)
    users = [{"username": name, "signature": SIGNATURE if has_signature(name) else ""} for name in names]
    threads = []
    for number, thread in enumerate(job.threads):
        entries = [
            {
                "author": author,
                "content": paragraphs(text),
                "timestamp": int(date_of(number, place).timestamp() * 1000),
            }
            for place, (author, text) in enumerate(posts_of(thread))
        ]
        for entry, reply in zip(entries[1:], thread["replies"], strict=True):
            entry |= {"votes": reply["votes"], "parent": None if reply["parent"] is None else reply["parent"] + 1}
        threads.append({"title": thread["title"], "entries": [{"votes": 0, **entry} for entry in entries]})
    return {"users": users, "threads": threads}


def _node(app: Path, *command: str | Path) -> str:
    done = subprocess.run(["node", *command], check=True, cwd=app, stdout=subprocess.PIPE, text=True)  # noqa: S603, S607
    return done.stdout


if __name__ == "__main__":
    main()
