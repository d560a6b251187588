"""Regenerates the vLLM tables of internal/knowledge/data from the releases on the package index.

    python3 internal/gen/knowledge/vllm.py [--first 0.4.1] [--offline]
    cd internal/gen && go run ./knowledge/tables

Sources and name sets are kept in ~/.cache/agentlint-knowledge (or $AGENTLINT_KNOWLEDGE_CACHE): a second run reads only new releases.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import sys

from pip._vendor.packaging.version import Version

import artefacts
import pytree
import vllm_flags
import vllm_names
import vllm_tables

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parents[1] / "knowledge" / "data"

# 0.4.0 and older have no environment table and another command line.
FIRST = "0.4.1"

# The modelling code is most of an artefact and names nothing.
FILES = ["vllm/*.py"]
EXCLUDED = ["vllm/model_executor/models/*", "vllm/third_party/*", "vllm/vllm_flash_attn/*"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", default=FIRST, help="oldest release of the tables")
    parser.add_argument("--offline", action="store_true", help="use the releases in the cache only")
    options = parser.parse_args()
    if options.offline:
        folder = artefacts.cache_root() / "vllm" / "src"
        versions = sorted((p.parent.name for p in folder.glob("*/.complete")), key=Version)
        missing = []
    else:
        versions, missing = artefacts.fetch_all("vllm", options.first, FILES, EXCLUDED)
    versions = [v for v in versions if Version(v) >= Version(options.first)]
    if missing:
        print(f"not read, so the tables know nothing of them: {', '.join(missing)}", file=sys.stderr)
    if not versions:
        raise SystemExit("no release was read")
    with concurrent.futures.ProcessPoolExecutor() as pool:
        state = dict(zip(versions, pool.map(names, versions)))
    for version, found in state.items():
        empty = [k for k in ("flags", "envs", "metrics") if not found[k] and not (k == "envs" and version == "0.4.1")]
        if empty:
            raise SystemExit(f"vllm {version}: found no {' and no '.join(empty)}; the layout of the sources has changed")
    vllm_tables.write(state, DATA)
    print(f"wrote the tables of {len(versions)} vLLM releases, {versions[0]} to {versions[-1]}")


def names(version):
    """The names of one release, from the cache when the scripts that read them are still the same."""
    folder = artefacts.cache_root() / "vllm"
    cached = folder / "names" / f"{version}.json"
    mark = scripts()
    if cached.exists():
        content = json.loads(cached.read_text())
        if content["scripts"] == mark:
            return content["names"]
    found = vllm_names.names(pytree.Tree(folder / "src" / version))
    listed = {kind: [[section, name, row] for (section, name), row in sorted(rows.items())] for kind, rows in found.items()}
    cached.parent.mkdir(parents=True, exist_ok=True)
    cached.write_text(json.dumps({"scripts": mark, "names": listed}))
    print(f"vllm {version}: " + ", ".join(f"{len(rows)} {kind}" for kind, rows in listed.items()), flush=True)
    return listed


def scripts():
    digest = hashlib.sha256()
    for module in (pytree, vllm_flags, vllm_names):
        digest.update(pathlib.Path(module.__file__).read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    main()
