# cython: language_level=3
"""A module that asks for the ABI it was compiled with, and does nothing else."""

from loa cimport check_abi

check_abi()
