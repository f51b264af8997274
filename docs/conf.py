"""How Sphinx makes the site of these pages (`make docs`). It asks nothing of the network."""

import os
import sys
from pathlib import Path

from daxlab import __version__
from daxlab.report.drawing import PALETTE

sys.path.insert(0, str(Path(__file__).parent))  # pages.py

os.environ.pop("DAXLAB_LEDGER", None)  # the tutorial has one of its own

project = "daxlab"
author = copyright = "The daxlab authors"
version = release = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton", "pages"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"  # the tutorial is run whenever it is built
nb_execution_in_temp = True
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_preserve_defaults = True
default_role = "code"  # a name between `backquotes` in a docstring
highlight_language = "none"
python_maximum_signature_line_length = 100

nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!daxlab\.).*"),  # other libraries, whose pages are not here
    (
        "py:class",
        r".*\.(Accuracy|Event|ExportedModel|Grammar|Group|NetworkLearner|Run|Sizes|Task)",
    ),  # met in signatures alone
]

html_theme = "furo"
html_title = "daxlab"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = html_show_sphinx = False
html_theme_options = {
    f"{theme}_css_variables": {"color-brand-primary": color, "color-brand-content": color, "color-brand-visited": color}
    for theme, color in zip(("light", "dark"), PALETTE["ours"], strict=True)
}
