"""WordPress: a blog over pages with archives, categories, tags, comments, answer forms, search, feeds and a sitemap."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from research.engines.fill_wordpress import FILL, copy_program, database, php
from research.engines.saving import date_of
from research.site_crawls.sites import articles
from research.site_crawls.sites.job import SiteJob, run

# PHP's own server answers 404 for addresses with a dot that are no files, such as the sitemap's.
_ROUTER = """<?php
$path = __DIR__ . rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
if (is_file($path) || (is_dir($path) && $path !== __DIR__ . '/' && is_file($path . '/index.php'))) { return false; }
$_SERVER['SCRIPT_NAME'] = '/index.php';
require __DIR__ . '/index.php';
"""
_SET = """<?php
require __DIR__ . '/wp-load.php';
switch_theme('twentytwentyone');
foreach (['permalink_structure' => '/%year%/%monthnum%/%postname%/', 'default_pingback_flag' => 0] as $name => $value) {
  update_option($name, $value);
}
wp_insert_post(['post_type' => 'page', 'post_status' => 'publish', 'post_title' => 'About this site',
  'post_content' => 'A blog for a measurement.']);
foreach (['archives-3' => 'archives', 'tag_cloud-3' => 'tag_cloud', 'calendar-3' => 'calendar'] as $id => $kind) {
  update_option("widget_$kind", [3 => [], '_multiwidget' => 1]);
}
update_option('sidebars_widgets', ['sidebar-1' => ['archives-3', 'calendar-3', 'tag_cloud-3'], 'array_version' => 3]);
global $wp_rewrite;
$wp_rewrite->init();
$wp_rewrite->set_permalink_structure('/%year%/%monthnum%/%postname%/');
flush_rewrite_rules(true);
"""
_CATEGORIES = """<?php
require __DIR__ . '/wp-load.php';
$made = [];
foreach (json_decode($argv[1]) as $name) { $made[] = wp_insert_term($name, 'category')['term_id']; }
foreach (get_posts(['numberposts' => -1, 'orderby' => 'ID', 'order' => 'ASC']) as $number => $post) {
  wp_set_post_categories($post->ID, [$made[$number % count($made)]]);
  echo parse_url(get_permalink($post), PHP_URL_PATH), "\\n";
}
"""


def fill(job: SiteJob) -> None:
    """Install the blog and write its posts."""
    found = job.content()
    site = job.folder / "site"
    posts = [
        _post(article, number, slug)
        for number, (article, slug) in enumerate(zip(found, articles.slugs_of(found), strict=True))
    ]
    with database(job.folder, "blog") as socket:
        copy_program(site, socket, job.host)
        for name, script in (("fill", FILL), ("set", _SET), ("categories", _CATEGORIES), ("router", _ROUTER)):
            (site / f"{name}.php").write_text(script)
        (job.folder / "posts.json").write_text(json.dumps(posts))
        php(site / "fill.php", str(job.folder / "posts.json"))
        php(site / "set.php")
        paths = php(site / "categories.php", json.dumps(articles.CATEGORIES)).split()
    job.write_known(articles.article_item(article, path) for article, path in zip(found, paths, strict=True))


def _post(article: dict[str, Any], number: int, slug: str) -> dict[str, object]:
    comments = [
        {
            "comment_content": comment["text"],
            "comment_author": comment["author"],
            "comment_author_email": f"{comment['author']}@blog.example",
            "comment_parent": None,
            "comment_date": f"{date_of(number * 7 // 3, place):%Y-%m-%d %H:%M:%S}",
        }
        for place, comment in enumerate(article["comments"], 1)
    ]
    post = {
        "post_title": article["title"],
        "post_name": slug,
        "post_content": "\n\n".join(article["paragraphs"]),
        "post_date": f"{articles.day_of(number)} 08:15:00",
        "tags_input": articles.tags_of(number),
    }
    return {"post": post, "comments": comments}


def serve(job: SiteJob) -> None:
    """Run the database and PHP's own server."""
    site = job.folder / "site"
    with database(job.folder, "blog"):
        command = ["php", "-S", f"127.0.0.1:{job.port}", "-t", str(site), str(site / "router.php")]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)  # noqa: S603


if __name__ == "__main__":
    run(fill, serve)
