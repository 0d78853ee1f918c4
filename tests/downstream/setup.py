import os
import sys
import sysconfig

from Cython.Build import cythonize
from setuptools import Extension, setup

# Cython finds the declarations of loa on Python's path. Where pip builds apart from the environment
# it installs into, this adds what is installed there: the loa that the module will run with.
sys.path.append(sysconfig.get_path("platlib"))

setup(
    ext_modules=cythonize(
        Extension(
            "*",
            ["*.pyx"],
            language="c++",
            extra_compile_args=["/std:c++20" if os.name == "nt" else "-std=c++20"],
        )
    )
)
