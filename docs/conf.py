"""How Sphinx makes the site of these pages (`make docs`). It asks nothing of the network."""

import logging
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from daxlab import __version__
from daxlab.report.drawing import PALETTE

sys.path.insert(0, str(Path(__file__).parent))  # pages.py

# The tutorial has a ledger of its own, and an IPython that nobody has configured and that says nothing of its sockets.
os.environ.pop("DAXLAB_LEDGER", None)
ipython = TemporaryDirectory(prefix="daxlab-docs-")
os.environ["IPYTHONDIR"] = ipython.name
profile = Path(ipython.name) / "profile_default"
profile.mkdir()
(profile / "ipython_kernel_config.json").write_text('{"IPKernelApp": {"log_level": "ERROR"}}')
logging.getLogger("traitlets").setLevel(logging.WARNING)

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
nb_output_stderr = "remove"  # progress, which a reader of the page does not wait for

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_preserve_defaults = True
default_role = "code"  # a name between `backquotes` in a docstring
highlight_language = "none"
python_maximum_signature_line_length = 100

smartquotes_action = "qe"  # quotes and dots, but -- begins an option
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
