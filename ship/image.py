"""An image of one program: python3 image.py PROGRAM TARGET VERSION ARCHITECTURE. The same input gives the same bytes."""

import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SINCE = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
# As in images without a distribution: a user that is nobody elsewhere.
USER = 65532


def entry(name, mode, size=None, owner=0):
    """A file, or a folder if it has no size."""
    info = tarfile.TarInfo(name)
    info.mode, info.mtime, info.uid, info.gid = mode, SINCE, owner, owner
    info.type = tarfile.DIRTYPE if size is None else tarfile.REGTYPE
    info.size = size or 0
    return info


def layer(program):
    """All files of the image."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        tar.addfile(entry("data/", 0o755, owner=USER))
        for name, mode, content in [
            ("incrowd", 0o755, program),
            *((f"licenses/{name}", 0o644, (ROOT / name).read_bytes()) for name in ("LICENSE-APACHE", "LICENSE-MIT", "NOTICE")),
        ]:
            tar.addfile(entry(name, mode, len(content)), io.BytesIO(content))
        tar.addfile(entry("tmp/", 0o1777))
    return packed.getvalue()


def main(program, target, version, architecture):
    blobs = {}

    def blob(content, kind):
        digest = hashlib.sha256(content).hexdigest()
        blobs[digest] = content
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}

    files = layer(Path(program).read_bytes())
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(SINCE))
    labels = {
        "org.opencontainers.image.title": "incrowd",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
        "org.opencontainers.image.source": "https://github.com/incrowd/incrowd",
    }
    packed = blob(gzip.compress(files, 9, mtime=0), "layer.v1.tar+gzip")
    config = blob(
        json.dumps({
            "created": created,
            "architecture": architecture,
            "os": "linux",
            "config": {
                "User": f"{USER}:{USER}",
                "WorkingDir": "/data",
                "Entrypoint": ["/incrowd"],
                "Cmd": ["--help"],
                "Env": ["PATH=/"],
                "Labels": labels,
            },
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(files).hexdigest()}"]},
            "history": [{"created": created, "created_by": "ship/image"}],
        }).encode(),
        "config.v1+json",
    )
    manifest = blob(
        json.dumps({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": config,
            "layers": [packed],
            "annotations": labels,
        }).encode(),
        "manifest.v1+json",
    )
    tag = f"incrowd:{version}"
    place = lambda it: f"blobs/sha256/{it['digest'][7:]}"
    index = {
        "schemaVersion": 2,
        "manifests": [manifest | {
            "platform": {"architecture": architecture, "os": "linux"},
            "annotations": {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": tag},
        }],
    }
    texts = {
        "oci-layout": {"imageLayoutVersion": "1.0.0"},
        "index.json": index,
        "manifest.json": [{"Config": place(config), "RepoTags": [tag], "Layers": [place(packed)]}],
    }
    with tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as tar:
        for folder in ("blobs/", "blobs/sha256/"):
            tar.addfile(entry(folder, 0o755))
        for digest, content in sorted(blobs.items()):
            tar.addfile(entry(f"blobs/sha256/{digest}", 0o644, len(content)), io.BytesIO(content))
        for name, value in texts.items():
            content = json.dumps(value).encode()
            tar.addfile(entry(name, 0o644, len(content)), io.BytesIO(content))
    print(f"{target}: {Path(target).stat().st_size / 1e6:.1f} MB, {manifest['digest']}")


main(*sys.argv[1:])
