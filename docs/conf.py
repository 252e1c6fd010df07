"""Configuration of the documentation site: ``sphinx-build -W docs docs/_build``."""

from __future__ import annotations

from scrapy_semtext import __version__

project = "scrapy-semtext"
author = "The scrapy-semtext developers"
copyright = author  # noqa: A001  the name is Sphinx's
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
root_doc = "index"
default_role = "code"  # of docstrings: `name`
exclude_patterns = ["_build", "README.md"]  # the second is the index on a code host

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True

html_theme = "furo"
html_title = f"scrapy-semtext {version}"
html_copy_source = False

copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
copybutton_exclude = ".linenos, .gp, .go"

# For `sphinx-build -b linkcheck`, which looks up all external addresses.
linkcheck_ignore = [r"https?://(127\.0\.0\.1|localhost)", r"https?://([\w-]+\.)*example(\.com)?/"]
linkcheck_anchors = False
