"""Packs the raw MUFU sweeps of `record` into tar files of at most 15 MB each (delta + lzma)."""
import array, io, lzma, os, sys, tarfile
from multiprocessing import Pool

def pack(path):
    w = array.array("I", open(path, "rb").read())
    try:
        import numpy as np
        a = np.frombuffer(w, dtype=np.uint32)
        d = np.diff(a.astype(np.int64), prepend=0).astype(np.uint32)
        raw = d.view(np.uint8).reshape(-1, 4).T.copy().tobytes()
    except ImportError:
        raise SystemExit("numpy is needed")
    return os.path.basename(path) + ".xz", lzma.compress(raw, preset=2)

if __name__ == "__main__":
    src, dst = sys.argv[1:3]
    files = sorted(os.path.join(src, f) for f in os.listdir(src) if f.endswith(".raw"))
    with Pool() as pool:
        done = pool.map(pack, files, chunksize=1)
    part, size, tar = 0, 0, None
    for name, data in done:
        print(name, len(data))
        if tar is None or size + len(data) > 15_000_000:
            if tar: tar.close()
            tar, size = tarfile.open(f"{dst}/part{part}.tar", "w"), 0
            part += 1
        info = tarfile.TarInfo(name); info.size = len(data)
        tar.addfile(info, io.BytesIO(data)); size += len(data) + 1024
    tar.close()
