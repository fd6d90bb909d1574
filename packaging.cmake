# cpack: Debian packages that install and run on a clean Debian 12 (tests/install/package.sh), cpack -G RPM, archives (cpack -G
# TGZ); cpack --config CPackSourceConfig.cmake makes the archive of the sources. Recipes of Spack, EasyBuild and Docker are in
# packaging/.
# The programs that are linked with an MPI library are in packages of their own, so that whoever only analyses needs none.
# dpkg-shlibdeps finds what each package depends on.
set(CPACK_GENERATOR DEB)
# Who makes the packages, as Debian's own tools have it (dch, DEBFULLNAME and DEBEMAIL).
set(packager_name "The rmacast authors")
set(packager_address "rmacast@example.org")
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
set(CPACK_COMPONENT_UNSPECIFIED_DESCRIPTION "Records one-sided MPI programs, finds their wait states, replays them on
 described clusters. This package has the command, the library and the
 recorders.")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/compress.cmake)
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_PACKAGE_LICENSE GPL-3.0-or-later)
set(CPACK_RPM_PACKAGE_GROUP Applications/Engineering)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_UNSPECIFIED_PACKAGE_NAME rmacast)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME rmacast-${PROJECT_VERSION}-source)
set(CPACK_SOURCE_IGNORE_FILES "/\\\\.git" "/build/" "/demo-out/")
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
  set(CPACK_RPM_${upper}_PACKAGE_NAME rmacast-${library})
endforeach()
list(REMOVE_DUPLICATES CPACK_COMPONENTS_ALL)

# What Debian wants in each package: a changelog in its own form, and the licence.
string(TIMESTAMP changed "%a, %d %b %Y 00:00:00 +0000" UTC)
file(WRITE ${CMAKE_BINARY_DIR}/changelog "rmacast (${PROJECT_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md.

 -- ${packager_name} <${packager_address}>  ${changed}
")
execute_process(COMMAND gzip -9nfk ${CMAKE_BINARY_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
foreach(component ${CPACK_COMPONENTS_ALL})
  string(REPLACE "-Unspecified" "" package rmacast-${component})
  install(FILES ${CMAKE_BINARY_DIR}/changelog.gz packaging/copyright COMPONENT ${component}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package})
endforeach()
install(FILES packaging/man/rmacast-analyze-mpi.1 packaging/man/rmacast-bench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        COMPONENT mpich)
if(OPENMPI_FOUND)
  install(FILES packaging/man/rmacast-bench-openmpi.1 packaging/man/rmacast-probe-openmpi.1
          DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT openmpi)
endif()
if(OPENMPI_FOUND) # rmacast-probe becomes the program for Open MPI below its launcher
  set(CPACK_COMPONENT_OPENMPI_DEPENDS Unspecified mpich)
endif()
include(CPack)
