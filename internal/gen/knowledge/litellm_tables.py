"""Merges the names of all releases into the tables: one line per name, with the releases that have it and the history of its default."""

HEADER = ["section", "name", "type", "releases", "deprecated", "default", "choices", "renamed_to", "attrs", "source"]
KINDS = ["settings", "flags", "envs", "metrics", "enums", "constants", "routes"]
RUNS = ("import", "presence", "read")  # attributes that hold for some releases only


def escape(text, bar=True):
    text = text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\n").replace("`", "\\q").strip()
    return text.replace("|", "\\p") if bar else text


def runs(present, versions):
    """Runs of releases, such as "1.85.7..1.85.7 1.90.0..", from a set of versions; a run that touches an end of the list is open there."""
    out, start = [], None
    for i, version in enumerate(versions + [None]):
        if version in present and version is not None:
            start = i if start is None else start
        elif start is not None:
            first = "" if start == 0 else versions[start]
            last = "" if i == len(versions) else versions[i - 1]
            out.append(f"{first}..{last}")
            start = None
    return " ".join(out)


def same(a, b):
    """Whether two defaults are one value: 10, 10.0 and the text '10' of an environment variable are."""
    if a == b:
        return True
    try:
        return float(a.strip("'\"")) == float(b.strip("'\""))
    except (AttributeError, ValueError):
        return False


def history(values, versions):
    """"1.60.0: 10 | 1.90.0: 20": each step holds from its release on. Releases without a value do not end a step."""
    out, last = [], None
    for version in versions:
        value = values.get(version)
        if value is not None and not same(value, last):
            out.append(f"{version}: {escape(value)}".strip())
            last = value
    return " | ".join(out)


def rows(kind, state, versions):
    """The lines of one table."""
    seen = {}  # (section, name) -> {version: row}
    for version in versions:
        for section, name, row in state[version][kind]:
            seen.setdefault((section, name), {})[version] = row
    native = {v: state[v]["native"] for v in versions}
    mentions = {v: set(state[v]["mentions"].split("\n")) for v in versions}
    out = []
    for (section, name), found in sorted(seen.items(), key=lambda i: (i[0][0].encode(), i[0][1].encode())):
        present = set(found)
        elsewhere = {"native": set(), "mentioned": set()}
        if kind in {"envs", "metrics"}:
            # A name whose read is not seen any more but which still stands in a text of the program, or in its compiled part, has not gone.
            first = min(map(versions.index, found))
            for version in versions[first:]:
                if version not in present:
                    where = "mentioned" if kind == "envs" and name in mentions[version] else "native" if name in native[version] else None
                    if where:
                        elsewhere[where].add(version)
        for where in elsewhere.values():
            present |= where
        newest = next(v for v in reversed(versions) if v in found)
        row = found[newest]
        attrs = {k: v for k, v in row["attrs"].items() if k not in RUNS and k != "deprecated"}
        for attribute in RUNS:
            holding = {v for v, r in found.items() if r["attrs"].get(attribute)}
            if holding and not (attribute == "read" and holding == present):
                attrs[attribute] = runs(holding, versions)
        for attribute, holding in elsewhere.items():
            if holding:
                attrs[attribute] = runs(holding, versions)
        deprecated = next((v for v in versions if v in found and found[v]["attrs"].get("deprecated")), "")
        defaults = {v: r["default"] for v, r in found.items() if r["default"] is not None and not (kind == "envs" and r["default"] == "None")}
        types = [r["type"] for v, r in sorted(found.items(), key=lambda i: versions.index(i[0])) if r["type"]]
        out.append([
            section, name, escape(types[-1], False) if types else "", runs(present, versions), deprecated, history(defaults, versions),
            history({v: r["choices"] for v, r in found.items() if r["choices"]}, versions), "",
            " | ".join(f"{k}={escape(str(attrs[k]))}" for k in sorted(attrs)), escape(f"litellm {newest}, {row['source']}", False),
        ])
    renames(out, versions)
    return out


def renames(table, versions):
    """Marks a name that ends where the same name with a suffix begins, as litellm_remaining_tokens and litellm_remaining_tokens_metric do."""
    begins = {(r[0], r[1]): r[3].split()[0].split("..")[0] for r in table}
    for row in table:
        last = row[3].split()[-1].split("..")[1]
        if not last:
            continue
        next_version = versions[versions.index(last) + 1]
        for candidate in (row[1] + "_metric", row[1] + "s", row[1].removesuffix("s")):
            if candidate != row[1] and begins.get((row[0], candidate)) == next_version:
                row[7] = candidate


def write(state, folder):
    """state: version -> names of the release, or the reason why it could not be read."""
    versions = [v for v, s in state.items() if isinstance(s, dict)]
    if not versions:
        raise SystemExit("no release was read")
    with open(folder / "litellm_releases.tsv", "w") as out:
        out.write("version\tstate\tnote\n")
        for version, value in state.items():
            out.write(f"{version}\tread\t{value['note']}\n" if isinstance(value, dict) else f"{version}\tmissing\t{escape(value, False)}\n")
    for kind in KINDS:
        with open(folder / f"litellm_{kind}.tsv", "w") as out:
            out.write("\t".join(HEADER) + "\n")
            for row in rows(kind, state, versions):
                out.write("\t".join(row) + "\n")
    print(f"wrote the tables of {len(versions)} LiteLLM releases, {len(state) - len(versions)} missing")
