# libkvbudget, static and shared from the same objects, of which kvb_ask needs the tool's commands, too. BUILD_SHARED_LIBS
# ON or OFF installs that one alone; not set, both. The tool always takes the static one.
set(KVB_INSTALL_STATIC ON)
set(KVB_INSTALL_SHARED ON)
if(DEFINED BUILD_SHARED_LIBS)
  set(KVB_INSTALL_SHARED ${BUILD_SHARED_LIBS})
  if(BUILD_SHARED_LIBS)
    set(KVB_INSTALL_STATIC OFF)
  endif()
endif()

function(kvb_library target kind)
  add_library(${target} ${kind} ${library_objects})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME kvbudget)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:kvb_flags> PkgConfig::YAML PkgConfig::CYAML ${CMAKE_DL_LIBS}
    Threads::Threads)
endfunction()

kvb_library(kvbudget_library STATIC)
set_target_properties(kvbudget_library PROPERTIES EXPORT_NAME static)
add_library(kvbudget::static ALIAS kvbudget_library)

if(KVB_INSTALL_SHARED)
  # Before 1.0 structs change with every minor release, so that the name the loader looks for holds it.
  configure_file(cmake/kvbudget.map.in ${CMAKE_BINARY_DIR}/kvbudget.map @ONLY)
  kvb_library(kvbudget_shared SHARED)
  set_target_properties(kvbudget_shared PROPERTIES EXPORT_NAME shared VERSION ${PROJECT_VERSION} 
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LINK_DEPENDS ${CMAKE_BINARY_DIR}/kvbudget.map)
  target_link_options(kvbudget_shared PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/kvbudget.map)
  add_library(kvbudget::shared ALIAS kvbudget_shared)
  add_library(kvbudget::kvbudget ALIAS kvbudget_shared)
else()
  add_library(kvbudget::kvbudget ALIAS kvbudget_library)
endif()

# What tests link, which see more than the public names.
add_library(kvb_tests INTERFACE)
if(tests_share)
  kvb_library(kvbudget_tests SHARED)
  set_target_properties(kvbudget_tests PROPERTIES OUTPUT_NAME kvbudget_tests)
  target_link_libraries(kvb_tests INTERFACE kvbudget_tests)
  target_compile_options(kvb_tests INTERFACE -fPIC) # variables of the library stay in the library
else()
  target_link_libraries(kvb_tests INTERFACE kvbudget_library)
endif()
