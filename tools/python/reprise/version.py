"""The version of the package, which has one place: pyproject.toml, and so the metadata of what is installed."""
import re
from importlib import metadata
from pathlib import Path


def find_version():
    source = Path(__file__).resolve().parents[1] / "pyproject.toml"  # of a checkout
    if source.is_file():
        found = re.search(r'^name = "gpu-reprise"\nversion = "(.*)"$', source.read_text(), re.M)
        if found:
            return found.group(1)
    try:
        return metadata.version("gpu-reprise")
    except metadata.PackageNotFoundError:
        return "unknown"
