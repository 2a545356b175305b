# The rooms of src, left to right: ROOM=what it may include beside itself and the public headers. This one list
# makes the include paths of every room and is what tests/layering reads.
set(KVB_ROOMS
  "base="
  "release=base"
  "text=base release"
  "helm=base release text"
  "budget=base release"
  "engines/vllm=base release budget"
  "engines/generic=base release budget"
  "engines/sglang=base release budget"
  "engines/llamacpp=base release budget"
  "engines=base release budget engines/vllm engines/generic engines/sglang engines/llamacpp"
  "plan=base release budget engines"
  "logs=base release budget engines"
  "catalogue=base release text"
  "model/config=base release text catalogue"
  "model/checkpoint=base release text model/config"
  "command=base release text budget engines"
  "model=base release text catalogue model/config model/checkpoint"
  "fetch=base release text model/config model/checkpoint"
  "hub=base release text catalogue model/config model/checkpoint model"
  "machine=base release text catalogue"
  "deployment=base release text budget engines catalogue model command machine"
  "history=base release text"
  "manifest=base release text helm budget engines catalogue model command deployment"
  "answer=base release text budget engines plan catalogue model command machine deployment"
  "gate=base release text budget engines command history manifest answer hub"
  "report=base release budget engines command"
  "cli=base release text budget engines command report"
  "tool=base cli"
)

# One folder per room with links to its headers alone, so that a room sees the rooms it may see and no other.
# A room's own subfolders belong to it unless they are rooms of their own.
set(room_names "")
foreach(row IN LISTS KVB_ROOMS)
  string(REGEX REPLACE "=.*" "" room "${row}")
  list(APPEND room_names "${room}")
endforeach()

set(links "${CMAKE_BINARY_DIR}/rooms")
file(REMOVE_RECURSE "${links}")

# All files of a room with this ending.
function(kvb_room_files out room ending)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/src/${room}/*.${ending})
  set(files "")
  foreach(file IN LISTS found)
    get_filename_component(folder "${file}" DIRECTORY)
    set(owner "${folder}")
    while(NOT owner IN_LIST room_names)
      get_filename_component(owner "${owner}" DIRECTORY)
    endwhile()
    if(owner STREQUAL room)
      list(APPEND files "${file}")
    endif()
  endforeach()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

foreach(room IN LISTS room_names)
  kvb_room_files(headers "${room}" h)
  kvb_room_files(rows "${room}" inc)
  string(REPLACE "/" "-" folder "${room}")
  file(MAKE_DIRECTORY "${links}/${folder}")
  foreach(header IN LISTS headers rows)
    get_filename_component(inside "${header}" DIRECTORY)
    file(MAKE_DIRECTORY "${links}/${folder}/${inside}")
    file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src/${header}" "${links}/${folder}/${header}" SYMBOLIC)
  endforeach()
endforeach()

# The include folders of a room: its own and those of its row.
function(kvb_room_includes out room)
  set(folders "")
  foreach(row IN LISTS KVB_ROOMS)
    if(row MATCHES "^${room}=(.*)$")
      separate_arguments(seen UNIX_COMMAND "${room} ${CMAKE_MATCH_1}")
      foreach(name IN LISTS seen)
        string(REPLACE "/" "-" folder "${name}")
        list(APPEND folders "${links}/${folder}")
      endforeach()
    endif()
  endforeach()
  set(${out} "${folders}" PARENT_SCOPE)
endfunction()

string(REPLACE ";" "\n" rows "${KVB_ROOMS}")
file(WRITE "${CMAKE_BINARY_DIR}/rooms.txt" "${rows}\n")
