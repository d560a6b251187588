"""Download published Python artefacts and keep only the Python files that an extractor reads.

The index is reached through pip's own classes, so mirrors, certificates and proxies are those of the user's pip configuration. `pip download` itself
cannot be used for vLLM: it builds the metadata of a source archive, which needs torch and a compiler. A release that only exists as a wheel is read with
pip's lazy zip, which fetches the archive's directory and the wanted members instead of several hundred megabytes.
"""

import contextlib
import fnmatch
import os
import pathlib
import shutil
import sys
import tarfile
import tempfile
import zipfile

from pip._internal.commands import create_command
from pip._internal.network.download import Downloader
from pip._internal.network.lazy_wheel import HTTPRangeRequestUnsupported, LazyZipOverHTTP
from pip._vendor.packaging.version import Version


def cache_root():
    """The folder outside the repository that holds sources and extracted name sets."""
    base = os.environ.get("AGENTLINT_KNOWLEDGE_CACHE")
    if base:
        return pathlib.Path(base)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "agentlint-knowledge"


class Index:
    """One package on the configured index."""

    def __init__(self, package):
        self.package = package
        command = create_command("download")
        options, _ = command.parse_args(["--no-deps", package])
        with contextlib.ExitStack() as stack:
            stack.enter_context(command.main_context())
            self.session = command.get_default_session(options)
            finder = command._build_package_finder(options, self.session, ignore_requires_python=True)
            finder.format_control.disallow_binaries()
            self.sdists = self._links(finder)
            stack.pop_all()
        self._wheels = None

    def _links(self, finder):
        links = {}
        for candidate in finder.find_all_candidates(self.package):
            links.setdefault(str(candidate.version), []).append(candidate.link)
        return links

    def wheels(self):
        """version -> links of every wheel on the index, whatever its platform."""
        if self._wheels is None:
            from pip._internal.index.collector import LinkCollector
            from pip._internal.models.search_scope import SearchScope
            from pip._internal.models.wheel import Wheel

            command = create_command("download")
            options, _ = command.parse_args([self.package])
            collector = LinkCollector.create(self.session, options=options)
            self._wheels = {}
            for source in collector.collect_sources(self.package, lambda link: []).index_urls:
                response = collector.fetch_response(source.link) if source else None
                if response is None:
                    continue
                from pip._internal.index.collector import parse_links

                for link in parse_links(response):
                    if link.filename.endswith(".whl"):
                        self._wheels.setdefault(Wheel(link.filename).version, []).append(link)
        return self._wheels

    def releases(self):
        """Every final or post release, oldest first."""
        found = {v for v in list(self.sdists) + list(self.wheels()) if not Version(v).is_prerelease}
        return sorted(found, key=Version)


def wanted(name, patterns, excluded):
    return any(fnmatch.fnmatch(name, p) for p in patterns) and not any(fnmatch.fnmatch(name, p) for p in excluded)


def safe_target(folder, name):
    target = (folder / name).resolve()
    if folder.resolve() not in target.parents:
        raise ValueError(f"{name}: path leaves the archive")
    return target


def from_sdist(index, link, folder, patterns, excluded):
    with tempfile.TemporaryDirectory() as scratch:
        path, _ = Downloader(index.session, "off")(link, scratch)
        with tarfile.open(path) as archive:
            for member in archive:
                name = member.name.split("/", 1)[-1]
                if not member.isfile() or not wanted(name, patterns, excluded):
                    continue
                target = safe_target(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.extractfile(member) as source, open(target, "wb") as out:
                    shutil.copyfileobj(source, out)


def from_wheel(index, link, folder, patterns, excluded):
    try:
        source = LazyZipOverHTTP(link.url_without_fragment, index.session)
    except HTTPRangeRequestUnsupported:
        scratch = tempfile.mkdtemp()
        source, _ = Downloader(index.session, "off")(link, scratch)
    with zipfile.ZipFile(source) as archive:
        for name in archive.namelist():
            if not wanted(name, patterns, excluded):
                continue
            target = safe_target(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(name))


def sources(index, version, patterns, excluded=()):
    """The folder with the wanted files of one release; downloaded once. Returns None when the index serves no artefact of it."""
    folder = cache_root() / index.package / "src" / version
    if (folder / ".complete").exists():
        return folder
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    if version in index.sdists:
        from_sdist(index, index.sdists[version][0], folder, patterns, excluded)
        kind = index.sdists[version][0].filename
    elif version in index.wheels():
        links = sorted(index.wheels()[version], key=lambda l: l.filename)
        from_wheel(index, links[-1], folder, patterns, excluded)
        kind = links[-1].filename
    else:
        shutil.rmtree(folder)
        return None
    (folder / ".complete").write_text(kind + "\n")
    return folder


def fetch_all(package, first, patterns, excluded=()):
    """Fetch every release from `first` on. Returns (versions fetched, versions missing)."""
    index = Index(package)
    got, missing = [], []
    for version in index.releases():
        if Version(version) < Version(first):
            continue
        try:
            folder = sources(index, version, patterns, excluded)
        except Exception as error:  # one unreadable artefact is reported, the others still count
            print(f"{package} {version}: {error}", file=sys.stderr)
            folder = None
        (got if folder else missing).append(version)
        print(f"{package} {version}: {'ok' if folder else 'MISSING'}", flush=True)
    return got, missing
