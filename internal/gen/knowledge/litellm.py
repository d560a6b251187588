"""Reads every LiteLLM release that the package index serves and writes internal/knowledge/data/litellm_*.tsv.

    python3 litellm.py            read what is new, then write the tables
    python3 litellm.py read       only read; names are kept in the cache
    python3 litellm.py tables     only write the tables, from the cache
    python3 litellm.py examples   print the folder with the example configurations of the wheels

The cache is $AGENTLINT_KNOWLEDGE_CACHE, else agentlint-knowledge in the user's cache folder. Wheels are fetched with pip, read in memory and deleted;
kept are the facts of each file by its content, the names of each release, and the example configurations.
"""

import argparse
import functools
import hashlib
import json
import marshal
import multiprocessing
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
import zlib

import litellm_facts
import litellm_names
import litellm_tables

HERE = pathlib.Path(__file__).resolve().parent
FIRST = "1.60.0"
NATIVE_ENV = re.compile(rb"[A-Z][A-Z0-9_]{5,}")
NATIVE_METRIC = re.compile(rb"litellm_[a-z0-9_]{4,}")


def cache():
    base = os.environ.get("AGENTLINT_KNOWLEDGE_CACHE")
    root = pathlib.Path(base) if base else pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "agentlint-knowledge"
    return root / "litellm"


def digest(*modules):
    """Changes when the code that makes a cached result changes."""
    h = hashlib.sha256()
    for module in modules:
        h.update(pathlib.Path(module.__file__).read_bytes())
    return h.hexdigest()[:12]


def key(version):
    """Sorts versions of numbers with an optional .postN; None for pre-releases."""
    match = re.fullmatch(r"(\d+(?:\.\d+)*)(?:\.post(\d+))?", version)
    return None if match is None else (tuple(map(int, match[1].split("."))), int(match[2]) if match[2] else -1)


@functools.cache
def served(package="litellm", first=FIRST):
    """The releases of a package on the index, oldest first."""
    run = subprocess.run([sys.executable, "-m", "pip", "index", "versions", package, "--disable-pip-version-check"], capture_output=True, text=True, check=True)
    line = next(l for l in run.stdout.splitlines() if l.startswith("Available versions:"))
    versions = [v.strip() for v in line.split(":", 1)[1].split(",")]
    return sorted((v for v in versions if key(v) and key(v) >= key(first)), key=key)


class Facts:
    """Facts by file content, shared by all releases."""

    def __init__(self):
        cache().mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(cache() / f"facts-{digest(litellm_facts)}.sqlite", timeout=120)
        self.db.execute("pragma journal_mode=wal")
        self.db.execute("pragma synchronous=off")  # a cache that is lost is read again
        self.db.execute("create table if not exists facts (key text primary key, value blob)")

    def of(self, path, source):
        # The path counts too: some facts depend on it.
        name = hashlib.sha256(path.encode() + b"\0" + source).hexdigest()
        row = self.db.execute("select value from facts where key=?", (name,)).fetchone()
        if row is None:
            value = zlib.compress(marshal.dumps(litellm_facts.facts(path, source.decode("utf-8-sig"))), 1)
            self.db.execute("insert or ignore into facts values (?, ?)", (name, value))
            self.db.commit()
        return name

    def have(self, names):
        return all(self.db.execute("select 1 from facts where key=?", (name,)).fetchone() for name in names)

    def get(self, name):
        return marshal.loads(zlib.decompress(self.db.execute("select value from facts where key=?", (name,)).fetchone()[0]))


def fetch(package, version):
    """The path of a wheel in a scratch folder, or the reason why there is none."""
    folder = tempfile.TemporaryDirectory(prefix="agentlint-knowledge-")
    run = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--quiet", "--disable-pip-version-check",
         "--dest", folder.name, f"{package}=={version}"], capture_output=True, text=True)
    wheels = list(pathlib.Path(folder.name).glob("*.whl"))
    if run.returncode or not wheels:
        message = (run.stderr.strip().splitlines() or ["no wheel"])[-1]
        return None, folder, message
    return wheels[0], folder, ""


def manifest(package, version, facts):
    """{"files": {path: facts key}, "extra": {...}} of one wheel; read once."""
    target = cache() / "wheels" / f"{package}-{version}-{digest(litellm_facts)}.json"
    if target.exists():
        known = json.loads(target.read_text())
        if facts.have(known["files"].values()):
            return known
    wheel, folder, why = fetch(package, version)
    with folder:
        if wheel is None:
            return {"missing": why}
        files, extra = {}, {"native": "", "enterprise": None}
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith(".py") and not name.startswith(("litellm/proxy/example_config_yaml/", "litellm/proxy/_experimental/out/")):
                    files[name] = facts.of(name, archive.read(name))
                elif name.endswith("integrations/generic_api/generic_api_compatible_callbacks.json"):
                    extra["generic_callbacks"] = sorted(json.loads(archive.read(name)))
                elif name.endswith("llms/openai_like/providers.json"):
                    extra["providers"] = sorted(json.loads(archive.read(name)))
                elif name.endswith((".so", ".pyd")):
                    data = archive.read(name)
                    found = {m.decode() for m in NATIVE_ENV.findall(data) if b"_" in m} | {m.decode() for m in NATIVE_METRIC.findall(data)}
                    extra["native"] = "\n".join(sorted(found))
                elif name.endswith("METADATA"):
                    # A pin, or the lower end of a range: what the release was built with.
                    pin = re.search(r"^Requires-Dist: litellm-enterprise ?\(?[=>]=([\w.]+)", archive.read(name).decode(), re.M)
                    extra["enterprise"] = pin[1] if pin else None
                elif re.fullmatch(r"litellm/proxy/(example_config_yaml/)?[\w.-]+\.ya?ml", name):
                    example = cache() / "examples" / version / name
                    example.parent.mkdir(parents=True, exist_ok=True)
                    example.write_bytes(archive.read(name))
        result = {"files": files, "extra": extra}
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(result))
        return result


def read(version):
    """Keeps the names of one release in the cache; returns why it could not be read, or nothing."""
    target = names_file(version)
    if target.exists():
        return ""
    if unavailable(version).exists():
        return unavailable(version).read_text()
    facts = Facts()
    data = manifest("litellm", version, facts)
    if "missing" in data:
        if "No matching distribution" in data["missing"]:
            unavailable(version).parent.mkdir(parents=True, exist_ok=True)
            unavailable(version).write_text("no wheel on the index")
        return data["missing"]
    files = {path: facts.get(name) for path, name in data["files"].items()}
    pin, used = data["extra"].get("enterprise"), None
    if pin:
        # The index does not have every release that is pinned; the newest before it stands in, and the table of releases says so.
        candidates = [v for v in served("litellm-enterprise", "0.1.0") if key(v) <= key(pin)]
        used = candidates[-1]
        enterprise = manifest("litellm-enterprise", used, facts)
        if "missing" in enterprise:
            return f"litellm-enterprise {used}: {enterprise['missing']}"
        files.update({path: facts.get(name) for path, name in enterprise["files"].items()})
    found = litellm_names.names(version, files, data["extra"])
    found["native"] = data["extra"]["native"]
    found["note"] = f"litellm-enterprise {used} read for {pin}" if used != pin else ""
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_suffix(f".{os.getpid()}")
    scratch.write_text(json.dumps(found))
    scratch.replace(target)
    return ""


def names_file(version):
    return cache() / "names" / f"{version}-{digest(litellm_facts, litellm_names)}.json"


def unavailable(version):
    """Where it is noted that a release has no wheel; delete it to ask again."""
    return cache() / "missing" / version


def work(version):
    try:
        why = read(version)
    except SystemExit as stop:
        why = f"STOP {stop}"
    print(f"litellm {version}: {why or 'read'}", flush=True)
    return version, why


def ends(versions):
    """The first and last release of each minor."""
    minors = {}
    for version in versions:
        minors.setdefault(key(version)[0][:2], []).append(version)
    return {v for minor in minors.values() for v in (minor[0], minor[-1])}


def signature(version):
    """What a release says, without the lines where it says it; two releases of one signature need nothing read between them."""
    found = json.loads(names_file(version).read_text())
    del found["native"], found["note"], found["mentions"]
    for rows in found.values():
        for _, _, row in rows:
            row["source"] = ""
    return json.dumps(found, sort_keys=True)


def between(versions, missing):
    """The middle of every gap of unread releases between two that differ."""
    have = [i for i, v in enumerate(versions) if names_file(v).exists()]
    signatures = {i: hashlib.sha256(signature(versions[i]).encode()).digest() for i in have}
    out = set()
    for left, right in zip(have, have[1:]):
        gap = [versions[i] for i in range(left + 1, right) if versions[i] not in missing]
        if gap and signatures[left] != signatures[right]:
            out.add(gap[len(gap) // 2])
    return out


def read_all(versions, jobs):
    """Reads both ends of each minor and then halves the gaps between releases that differ; returns why releases are missing."""
    missing, wanted = {}, ends(versions)
    served("litellm-enterprise", "0.1.0")  # asked once, known to every worker
    while wanted:
        # Two ends at once: neighbours share most of their files, so each worker stays on its side.
        order, queue = [], sorted(wanted, key=key)
        while queue:
            order.append(queue.pop())
            if queue:
                order.append(queue.pop(0))
        with multiprocessing.Pool(jobs, maxtasksperchild=8) as pool:
            results = dict(pool.imap_unordered(work, order))
        stopped = sorted(f"{v}: {why}" for v, why in results.items() if why.startswith("STOP"))
        if stopped:
            raise SystemExit("\n".join(stopped))
        missing.update({v: why for v, why in results.items() if why})
        wanted = between(versions, missing)
    return missing


def states(versions, missing):
    """version -> its names. A release that was not read lies between two that say the same, and says it too; None is a release that could not be read."""
    out, last = {}, None
    for version in versions:
        if version in missing:
            out[version] = missing[version]
        elif names_file(version).exists():
            last = json.loads(names_file(version).read_text())
            out[version] = last
        elif last is not None:
            out[version] = last
        else:
            raise SystemExit(f"litellm {version}: not read")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", nargs="?", choices=["all", "read", "tables", "examples"], default="all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", help="read only these releases")
    arguments = parser.parse_args()
    if arguments.step == "examples":
        print(cache() / "examples")
        return
    versions = arguments.only or served()
    missing = {v: unavailable(v).read_text() for v in versions if unavailable(v).exists()}
    if arguments.step in {"all", "read"}:
        missing = read_all(versions, arguments.jobs)
    if arguments.step in {"all", "tables"}:
        if arguments.step == "tables":
            left = between(versions, missing)
            if left:
                raise SystemExit(f"releases between {sorted(left, key=key)} are not read: run the step read")
        litellm_tables.write(states(versions, missing), HERE.parent.parent / "knowledge" / "data")


if __name__ == "__main__":
    main()
