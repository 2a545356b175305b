# What distributions build with: KVB_HARDEN makes the tool position-independent with read-only relocations, and checks
# stack and buffers. Fortified functions need optimisation, and glibc knows level 3 since 2.34.
if(KVB_HARDEN)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -Werror")
  check_c_source_compiles("
    #include <string.h>
    #if !defined __USE_FORTIFY_LEVEL || __USE_FORTIFY_LEVEL < 3
    #error no level 3
    #endif
    int main(void) { return 0; }" KVB_FORTIFY_3)
  unset(CMAKE_REQUIRED_FLAGS)
  set(fortify $<IF:$<BOOL:${KVB_FORTIFY_3}>,3,2>)
  set(optimised $<NOT:$<CONFIG:Debug>>)
  target_compile_options(kvb_flags INTERFACE -fstack-protector-strong
    $<${optimised}:-U_FORTIFY_SOURCE> $<${optimised}:-D_FORTIFY_SOURCE=${fortify}>)
  target_link_options(kvb_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
