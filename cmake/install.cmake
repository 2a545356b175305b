# What an installation holds: the tool, the library with headers, and how CMake and pkg-config find it.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/kvbudget)

install(TARGETS kvbudget)
if(TARGET kvbudget-hub)
  install(TARGETS kvbudget-hub RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR})
endif()
if(KVB_INSTALL_STATIC)
  install(TARGETS kvbudget_library EXPORT kvbudget)
endif()
if(KVB_INSTALL_SHARED)
  install(TARGETS kvbudget_shared EXPORT kvbudget)
endif()
if(TARGET manual)
  install(DIRECTORY ${share}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(DIRECTORY ${share}/bash-completion ${share}/zsh ${share}/fish ${share}/kvbudget DESTINATION ${CMAKE_INSTALL_DATADIR})
endif()
install(DIRECTORY include/kvbudget DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_BINARY_DIR}/include/kvbudget/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kvbudget)

install(EXPORT kvbudget NAMESPACE kvbudget:: FILE kvbudgetTargets.cmake DESTINATION ${package})
configure_package_config_file(cmake/kvbudgetConfig.cmake.in ${CMAKE_BINARY_DIR}/kvbudgetConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kvbudgetConfigVersion.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/kvbudgetConfig.cmake ${CMAKE_BINARY_DIR}/kvbudgetConfigVersion.cmake
  DESTINATION ${package})

# Who links the shared library needs nothing else; who links the static one, what it is made with.
set(KVB_PC_PRIVATE .private)
if(NOT KVB_INSTALL_SHARED)
  set(KVB_PC_PRIVATE "")
endif()
list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE KVB_PC_LIBS)
configure_file(cmake/kvbudget.pc.in ${CMAKE_BINARY_DIR}/kvbudget.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/kvbudget.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
