"""Sections of the benchmark. Import this package first: it limits every library to one thread."""

import os

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"
