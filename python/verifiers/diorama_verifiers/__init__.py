"""The suites of a Diorama service as tasksets of verifiers."""

from .taskset import DioramaConfig, DioramaData, DioramaTask, DioramaTaskConfig, DioramaTaskset

__all__ = ["DioramaConfig", "DioramaData", "DioramaTask", "DioramaTaskConfig", "DioramaTaskset"]
__version__ = "0.1.0"
