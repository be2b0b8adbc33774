"""Statistics over chunks."""

from roastcoffea.legacy.chunks import aggregate_chunk_metrics, build_chunk_info

__all__ = ["aggregate_chunk_metrics", "build_chunk_info"]
