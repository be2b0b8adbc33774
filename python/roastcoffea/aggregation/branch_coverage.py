"""How much of the files was read."""

from roastcoffea.legacy.chunks import aggregate_branch_coverage, parse_accessed_branches

__all__ = ["aggregate_branch_coverage", "parse_accessed_branches"]
