"""Builds the module against the loa that is installed; docs/embedding.md explains it."""

import os
import sys
import sysconfig

from Cython.Build import cythonize
from setuptools import Extension, setup

# Where pip builds apart from the environment it installs into, loa is found there all the same.
sys.path.append(sysconfig.get_path("platlib"))

setup(
    ext_modules=cythonize(
        Extension(
            "uct_cython",
            ["uct_cython.pyx"],
            language="c++",
            extra_compile_args=["/O2", "/std:c++20"] if os.name == "nt" else ["-O3", "-std=c++20"],
        )
    )
)
