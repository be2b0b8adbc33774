"""What uproot takes to tell the sizes of all branches of files: prints the seconds per file as JSON.

root_reference.py REPEAT FILE...
"""

import json
import sys
import time

import uproot


def sizes(path):
    with uproot.open(path) as file:
        found = {}
        for name in file.keys(filter_classname="TTree", cycle=False):
            for branch_name, branch in file[name].iteritems(recursive=True):
                found[branch_name] = (branch.compressed_bytes, branch.uncompressed_bytes)
        return found


def main(repeat, paths):
    sizes(paths[0])  # warm
    seconds = []
    for _ in range(repeat):
        for path in paths:
            begun = time.perf_counter()
            sizes(path)
            seconds.append(time.perf_counter() - begun)
    print(json.dumps({"seconds": sorted(seconds)[len(seconds) // 2], "branches": len(sizes(paths[0]))}))


main(int(sys.argv[1]), sys.argv[2:])
