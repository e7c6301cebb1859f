"""Collecting experience: policies act in environments, transitions go to a buffer."""

from arena.collector.async_collector import AsyncCollector
from arena.collector.collector import Collector

__all__ = ["AsyncCollector", "Collector"]
