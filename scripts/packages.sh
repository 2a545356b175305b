# Sourced by the other scripts: finds out what is missing and installs it as Debian packages.

have_command() { command -v "$1" >/dev/null 2>&1; }
have_library() { have_command pkg-config && pkg-config --exists "$1"; }

have_jsonschema() { [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; }

have_fuzzer() { have_command clang && [ -f "$(clang -print-file-name="libclang_rt.fuzzer-$(uname -m).a")" ]; }

# Adds PACKAGE to $missing unless the check that follows it succeeds.
need() {
    package=$1
    shift
    "$@" || missing="$missing $package"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; elif have_command sudo; then sudo "$@"; else return 1; fi
}

# Installs the packages in $missing; nothing to do, and no network used, when there are none.
install_missing() {
    [ -n "$missing" ] || return 0
    echo "installing:$missing" >&2
    if ! have_command apt-get; then
        echo "please install:$missing" >&2
        return 1
    fi
    # shellcheck disable=SC2086
    {
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update &&
            as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing
    } >&2 || {
        echo "could not install them; as root: apt-get install$missing" >&2
        return 1
    }
    missing=
}

need_build_tools() {
    missing=
    need gcc have_command gcc
    need libc6-dev test -e /usr/include/stdio.h
    need make have_command make
    need cmake have_command cmake
    need pkg-config have_command pkg-config
    need libyaml-dev have_library yaml-0.1
    need libcyaml-dev have_library libcyaml
    need libcurl4-openssl-dev have_library libcurl
}

jobs() { nproc 2>/dev/null || echo 2; }
