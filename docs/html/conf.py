# SPDX-License-Identifier: Apache-2.0
# How Sphinx makes the manual of the pages that stage.py collects. RHOST_VERSION is the version of the program.
import os

project = "rhost"
author = "the rhost maintainers"
copyright = author  # noqa: A001
version = release = os.environ.get("RHOST_VERSION", "")
extensions = ["myst_parser"]
exclude_patterns = ["extra"]
html_extra_path = ["extra"] if os.path.isdir(os.path.join(os.getcwd(), "extra")) else []
myst_heading_anchors = 4
highlight_language = "none"
# Excerpts that are no whole program, and code of types that Pygments has no words for, are shown plain.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
html_theme = "furo"
html_title = f"rhost {version}".strip()
html_static_path = ["static"]
html_css_files = ["manual.css"]
html_js_files = ["manual.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
html_theme_options = {"navigation_with_keys": True, "top_of_page_button": None}
