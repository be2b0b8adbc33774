"""Writing runs down: measurement directories and tables."""
