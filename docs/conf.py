"""Settings of the documentation site: `sphinx-build -W docs docs/_build`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import samapprox

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "samapprox"
author = "The samapprox authors"
project_copyright = author
version = release = samapprox.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    # Our own, in _extensions.
    "docstrings_of_data",
    "links_to_sources",
    "mathml",
    "plain_docstrings",
    "public_names",
]

exclude_patterns = ["_build", "ci", "gallery/*", "jupyter_execute", "package-index.md"]
# Code in docstrings: a link where it is a public name. Not all of it is one.
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [("py:obj", ".*"), ("py:class", r"(collections|numpy|os|typing)\..*")]
templates_path = ["_templates"]
root_doc = "index"

# Pages: MyST, and notebooks that are executed at every build.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120

# Public names: one page each.
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings state the types
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# The pictures of the gallery are made at every build, by the scripts in docs/gallery.
sphinx_gallery_conf = {
    "examples_dirs": ["gallery"],
    "gallery_dirs": ["auto_gallery"],
    "filename_pattern": r"plot_",
    "image_scrapers": ("figures.scrape",),
    "capture_repr": (),
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "notebook_extensions": set(),  # no notebooks among the sources
    "download_all_examples": False,
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10,
}

# Commands and their outputs: the copy button takes the commands.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "samapprox"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(HERE / "_static" / "scorer.js")
html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}  # light or dark, as the system has it
html_math_renderer = "mathml"  # browsers show MathML themselves: no script, no network
html_show_sourcelink = False
html_copy_source = False
# Only the publisher knows the address of the site.
html_baseurl = os.environ.get("READTHEDOCS_CANONICAL_URL", os.environ.get("DOCS_BASE_URL", ""))
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}
