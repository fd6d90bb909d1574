# cpack: Debian packages that install and run on a clean Debian 12 (tests/install/package.sh), and archives (cpack -G TGZ).
# The programs that are linked with an MPI library are in packages of their own, so that whoever only analyses needs none.
# dpkg-shlibdeps finds what each package depends on.
set(CPACK_GENERATOR DEB)
# Who makes the packages, as Debian's own tools have it (dch, DEBFULLNAME and DEBEMAIL); else root of this machine.
cmake_host_system_information(RESULT packager_host QUERY FQDN)
set(packager_name "root")
set(packager_address "root@${packager_host}")
if(DEFINED ENV{DEBFULLNAME})
  set(packager_name $ENV{DEBFULLNAME})
endif()
if(DEFINED ENV{DEBEMAIL})
  set(packager_address $ENV{DEBEMAIL})
endif()
set(CPACK_PACKAGE_CONTACT "${packager_name} <${packager_address}>")
set(CPACK_PACKAGE_VENDOR rmacast)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)

set(CPACK_COMPONENTS_ALL Unspecified mpich)
set(CPACK_COMPONENT_UNSPECIFIED_DESCRIPTION "Replays traces of one-sided MPI communication on described platforms
 Records one-sided MPI programs, finds their wait states, replays them on
 described clusters. This package has the command, the library and the
 recorders.")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME rmacast)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS "mpich, openmpi-bin, rmacast-mpich, rmacast-openmpi")
foreach(library mpich openmpi)
  if(library STREQUAL openmpi AND NOT OPENMPI_FOUND)
    continue()
  endif()
  string(TOUPPER ${library} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${library})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "What rmacast has for ${library}: network bench, probe
 The programs that rmacast calibrate and rmacast probe launch as ranks of
 ${library}. With MPICH also the analysis and parameter studies in many ranks.")
  set(CPACK_COMPONENT_${upper}_DEPENDS Unspecified)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME rmacast-${library})
endforeach()
list(REMOVE_DUPLICATES CPACK_COMPONENTS_ALL)
if(OPENMPI_FOUND) # rmacast-probe becomes the program for Open MPI below its launcher
  set(CPACK_COMPONENT_OPENMPI_DEPENDS Unspecified mpich)
endif()
include(CPack)
