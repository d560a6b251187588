"""Open the files that the rules name as evidence in the released artefacts, and look for the quoted symbols.

Reads {"questions": [{artefact, file, symbol}], "clones": {repository: folder}} and writes a JSON list of results in the same order: "found",
"no symbol", "no file", or "unchecked: why". Artefacts on the Python package index are downloaded. Charts and routers are not there: they are read
at their tag in a git clone, when one is given.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "knowledge"))

import artefacts  # noqa: E402

PACKAGES = {"litellm", "litellm-proxy-extras", "litellm-enterprise", "vllm", "ai-dynamo", "sglang-router", "vllm-router", "smg", "ray", "transformers", "sglang", "lmcache", "pyyaml"}

# Artefacts that only a repository has: its name, the tag of a release, and the folder in it.
REPOSITORIES = [
    (r"aibrix (\d[\w.]*)", "vllm-project/aibrix", "v{}", ""),
    (r"gateway-api-inference-extension (\d[\w.]*)", "kubernetes-sigs/gateway-api-inference-extension", "v{}", ""),
    (r"llm-d-router (\d[\w.]*)", "llm-d/llm-d-router", "v{}", ""),
    (r"production-stack vllm-stack-(\d[\w.]*)", "vllm-project/production-stack", "vllm-stack-{}", ""),
    (r"vllm-stack (\d[\w.]*)", "vllm-project/production-stack", "vllm-stack-{}", "helm/"),
    (r"litellm-helm (\d[\w.]*)", "BerriAI/litellm", "v{}", "helm/litellm-helm/"),
    (r"litellm (\d[\w.]*) \(chart\)", "BerriAI/litellm", "v{}", "helm/litellm/"),
]


def files_of(package, version, names):
    """The folder with the wanted files of a release, and the name of the artefact; None when the index has no such release."""
    index = artefacts.Index(package)
    folder = artefacts.cache_root() / "evidence" / package / version
    have = all((folder / n).exists() for n in names)
    if not have:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if version in index.sdists:
            artefacts.from_sdist(index, index.sdists[version][0], folder, names, ())
        elif version not in index.wheels():
            return None
        # A wheel holds what the build adds, and is the only form of some packages.
        if not all((folder / n).exists() for n in names) and version in index.wheels():
            links = sorted(index.wheels()[version], key=lambda l: ("x86_64" not in l.filename, l.filename))
            artefacts.from_wheel(index, links[0], folder, names, ())
    return folder


def look(path, symbol):
    if not path.is_file():
        return "no file"
    return "found" if symbol in path.read_text(errors="replace") else "no symbol"


def in_clone(question, clones):
    """Looks at the tag of a release in a clone; the version stands in the first group of the pattern."""
    for pattern, name, tag, folder in REPOSITORIES:
        m = re.fullmatch(pattern, question["artefact"])
        if not m:
            continue
        tag = tag.format(m[1])
        if name not in clones:
            return f"unchecked: not on the Python package index; tag {tag} of the repository {name} has it (-clone {name}=FOLDER)"
        git = ["git", "-C", clones[name]]
        if subprocess.run([*git, "rev-parse", "--quiet", "--verify", f"refs/tags/{tag}"], capture_output=True).returncode:
            return f"unchecked: the clone of {name} has no tag {tag}"
        shown = subprocess.run([*git, "show", f"refs/tags/{tag}:{folder}{question['file']}"], capture_output=True)
        if shown.returncode:
            return "no file"
        return "found" if question["symbol"] in shown.stdout.decode(errors="replace") else "no symbol"
    return f"unchecked: {question['artefact']} is neither on the Python package index nor a repository that is known here"


def main():
    asked = json.load(sys.stdin)
    wanted = asked["questions"]
    results = [None] * len(wanted)
    groups = {}
    here = pathlib.Path(__file__).resolve().parents[3]
    for i, e in enumerate(wanted):
        if e["artefact"] == "agentlint":
            results[i] = look(here / e["file"], e["symbol"])
            continue
        m = re.fullmatch(r"([a-z0-9-]+) (\d[\w.]*)", e["artefact"])
        if not m or m[1] not in PACKAGES:
            results[i] = in_clone(e, asked["clones"])
        elif not e["file"] or not e["symbol"]:
            results[i] = "unchecked: no file or symbol is quoted"
        else:
            groups.setdefault((m[1], m[2]), []).append(i)
    for (package, version), items in sorted(groups.items()):
        print(f"{package} {version}: {len(items)} pieces of evidence", file=sys.stderr)
        try:
            folder = files_of(package, version, sorted({wanted[i]["file"] for i in items}))
            why = "" if folder else "unchecked: the index has no such release"
        except Exception as error:  # one artefact that cannot be opened leaves the others checked
            folder, why = None, f"unchecked: {type(error).__name__}: {error}"
        for i in items:
            if folder is None:
                results[i] = why
                continue
            results[i] = look(folder / wanted[i]["file"], wanted[i]["symbol"])
    json.dump(results, sys.stdout)


main()
