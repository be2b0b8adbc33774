"""The pages that are made from the code, and the picture in the README, are what the code says today."""

import os
import subprocess
import sys

from built import BUILD, ROOT


def test_the_documentation_made_from_the_code_is_up_to_date():
    check = subprocess.run(
        [sys.executable, ROOT / "scripts" / "update-docs", "--check"],
        capture_output=True, text=True, check=False, env={**os.environ, "ROAST_BUILD_DIR": str(BUILD)},
    )  # fmt: skip
    assert check.returncode == 0, check.stdout + check.stderr
