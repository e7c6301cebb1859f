"""The sections of the benchmark. Importing this package, before all else, sets one thread for everything."""

import os

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"
