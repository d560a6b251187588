"""Merges the names of all vLLM releases into the tables of internal/knowledge/data; docs/knowledge.md describes their columns."""

import pathlib

HEADER = ["section", "name", "type", "releases", "deprecated", "default", "choices", "renamed_to", "attrs", "source"]
KINDS = ["settings", "flags", "envs", "metrics", "enums"]


def escape(text, bar=True):
    text = text.replace("\\", "\\\\").replace("\t", "\\t").replace("\r", "").replace("\n", "\\n").replace("`", "\\q").strip()
    return text.replace("|", "\\p") if bar else text


def runs(present, versions):
    """Runs of releases, such as "0.9.1..0.9.2 0.11.0..", from a set of versions; a run that touches an end of the list is open there."""
    out, start = [], None
    for i, version in enumerate(versions + [None]):
        if version in present:
            start = i if start is None else start
        elif start is not None:
            out.append(("" if start == 0 else versions[start]) + ".." + ("" if i == len(versions) else versions[i - 1]))
            start = None
    return " ".join(out)


def history(values, versions):
    """"0.4.1: 0.9 | 0.20.0: 0.92": each step holds from its release on. A release without the name ends no step."""
    out, last = [], None
    for version in versions:
        value = values.get(version)
        if value is not None and value != last:
            out.append(f"{version}: {escape(value)}".rstrip())
            last = value
    return "" if last is None or (last == "" and len(out) == 1) else " | ".join(out)


def first(versions, found, condition):
    return next((v for v in versions if v in found and condition(found[v])), "")


def table(kind, state, versions, renames):
    """The lines of one table. state: version -> kind -> [[section, name, row], ...]."""
    seen = {}
    for version in versions:
        for section, name, row in state[version][kind]:
            seen.setdefault((section, name), {})[version] = row
    out = []
    for (section, name), found in sorted(seen.items(), key=lambda i: (i[0][0].encode(), i[0][1].encode())):
        newest = next(v for v in reversed(versions) if v in found)
        row = found[newest]
        attrs = dict(row["attrs"])
        if kind == "metrics":
            del attrs["engines"]
            attrs["v1_since"] = first(versions, found, lambda r: "v1" in r["attrs"]["engines"].split()) or "never"
            attrs["hidden"] = first(versions, found, lambda r: r["hidden"])
        negated = {v for v, r in found.items() if r["attrs"].get("negation")}
        if negated:
            attrs["negation"] = next(r["attrs"]["negation"] for r in (found[v] for v in reversed(versions) if v in negated)).replace(" ", ",")
            if negated != set(found):
                attrs["negated"] = runs(negated, versions)
        if kind == "flags":
            attrs["size"] = runs({v for v, r in found.items() if r["attrs"].get("size")}, versions)
        renamed, instead, why = renames.get((kind, name), ("", "", ""))
        if instead:
            attrs["instead"] = instead
        if why:
            attrs["instead_source"] = why
        out.append([
            section, name, escape(row["type"], False), runs(found, versions), first(versions, found, lambda r: r["deprecated"]),
            history({v: r["default"] for v, r in found.items() if has_default(kind, r)}, versions),
            history({v: ",".join(r["choices"]) for v, r in found.items()}, versions), renamed,
            " | ".join(f"{k}={escape(v)}" for k, v in sorted(attrs.items()) if v), f"vllm {newest}, {row['source']}",
        ])
    unused = sorted(name for k, name in renames if k == kind and not any(n == name for _, n in seen))
    if unused:
        raise SystemExit(f"vllm_renames.tsv names {kind} that no release has: {', '.join(unused)}")
    return out


def has_default(kind, row):
    return kind in ("flags", "envs", "settings") and (row["default"] != "" or row["type"] == "str" and kind == "flags")


def read_renames():
    """What to write instead of a removed name: kept by hand, since no release says it in its code."""
    out = {}
    lines = (pathlib.Path(__file__).parent / "vllm_renames.tsv").read_text().splitlines()
    if lines[0] != "kind\tname\trenamed_to\tinstead\tsource":
        raise SystemExit("vllm_renames.tsv: unexpected header")
    for line in lines[1:]:
        kind, name, renamed, instead, source = line.split("\t")
        if (kind, name) in out:
            raise SystemExit(f"vllm_renames.tsv: {name} stands twice")
        out[kind, name] = renamed, instead, source
    return out


def write(state, folder):
    """state: version -> names of the release, oldest first."""
    versions = list(state)
    renames = read_renames()
    with open(folder / "vllm_releases.tsv", "w") as out:
        out.write("version\tstate\tnote\n")
        for version in versions:
            out.write(f"{version}\tread\t\n")
    for kind in KINDS:
        with open(folder / f"vllm_{kind}.tsv", "w") as out:
            out.write("\t".join(HEADER) + "\n")
            for row in table(kind, state, versions, renames):
                out.write("\t".join(row) + "\n")
