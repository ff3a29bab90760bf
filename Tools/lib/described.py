"""Python packages that a script needs and the machine may lack. Each is installed once, into a cache folder of its own."""

import importlib
import os
import subprocess
import sys
import venv

# The versions of the Python packages with which the scripts were tested.
PYYAML = "PyYAML==6.0.3"
SCHEMATHESIS = "schemathesis==4.32.5"
DUCKDB = "duckdb==2.0.0"


class Missing(Exception):
    """A package could not be installed."""


def cached(package, *others):
    """The Python of a virtual environment with the package and others, which is created if there is none."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(cache, "greentea-check", package.replace("==", "-"))
    python = os.path.join(folder, "bin", "python")
    # This mark is written last, so that an interrupted installation is started again.
    mark = os.path.join(folder, "installed")
    if os.path.exists(mark):
        return python
    print(f"installing {package} into {folder}", file=sys.stderr)
    try:
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "10", package, *others], check=True)
    except (subprocess.CalledProcessError, OSError) as error:
        raise Missing(f"pip could not install {package}: {error}") from None
    with open(mark, "w", encoding="utf-8") as file:
        file.write(package + "\n")
    return python


def yaml_module():
    """PyYAML, from the machine or from the cache."""
    try:
        return importlib.import_module("yaml")
    except ImportError:
        found = subprocess.run(
            [cached(PYYAML), "-c", "import os, yaml; print(os.path.dirname(os.path.dirname(yaml.__file__)))"], check=True,
            capture_output=True, text=True)
        sys.path.append(found.stdout.strip())
        return importlib.import_module("yaml")


def load(source):
    """The value of a YAML document. Of two equal keys in one mapping PyYAML keeps the last without a word; here they are an error."""
    yaml = yaml_module()

    class Strict(yaml.SafeLoader):
        def construct_mapping(self, node, deep=False):
            lines = {}
            for key, _ in node.value:
                first = lines.setdefault((key.tag, key.value), key.start_mark.line + 1)
                if first != key.start_mark.line + 1:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {key.value} stands here and in line {first}: rename or delete one of them", key.start_mark)
            return super().construct_mapping(node, deep)

    return yaml.load(source, Loader=Strict)
