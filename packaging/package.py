# Spack: spack repo create rmacast-repo; copy this file to rmacast-repo/packages/rmacast/package.py; spack repo add rmacast-repo;
# spack dev-build rmacast@0.1.0 in a clone.
from spack.package import *


class Rmacast(CMakePackage):
    """Records one-sided MPI programs, finds their wait states, and replays them on described clusters."""

    license("GPL-3.0-or-later")

    version("0.1.0")

    variant("openmpi", default=False, description="Records programs of Open MPI, too")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpich")
    depends_on("otf2@3:")
    depends_on("simgrid@3.32:")
    depends_on("gsl")
    depends_on("cjson")
    depends_on("elfutils")
    depends_on("openmpi@4:", when="+openmpi")

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False)]
