# Sourced by the other scripts: what other machines than this one need of Debian's archives. Nothing of the system's own
# lists is changed.

# Runs apt-get in an empty folder of its own, told of KIND (deb or deb-src) alone: KIND FOLDER WORD...
apt_apart() {
    kind=$1 apart=$2
    shift 2
    mkdir -p "$apart/lists/partial"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
        [ -s "$list" ] || continue
        sed "s/^Types: deb\$/Types: $kind/; s/^deb /$kind /" "$list" >"$apart/source.${list##*.}"
        (cd "$apart" && apt-get -qq -o "Dir::Etc::sourcelist=$apart/source.${list##*.}" -o Dir::Etc::sourceparts=/dev/null \
            -o "Dir::State::lists=$apart/lists" -o APT::Sandbox::User=root "$@") >>"$apart/log" 2>&1 && return 0
    done
    return 1
}

# Unpacks Debian's source of PACKAGE into FOLDER, unless it is there.
fetch_source() { # PACKAGE FOLDER
    [ ! -d "$2" ] || return 0
    fetched=$(mktemp -d)
    apt_apart deb-src "$fetched" update && apt_apart deb-src "$fetched" source --download-only "$1" || true
    mkdir -p "$2"
    if ! tar -C "$2" --strip-components=1 -xf "$fetched/$1"_*.orig.tar.*z 2>/dev/null; then
        cat "$fetched/log" >&2
        rm -rf "$2" "$fetched"
        echo "Debian's source of $1 cannot be had" >&2
        return 77
    fi
    rm -rf "$fetched"
}

# Unpacks Debian's packages for another MACHINE into FOLDER, unless it is there.
fetch_packages() { # MACHINE FOLDER PACKAGE...
    machine_asked=$1 unpacked=$2
    shift 2
    [ ! -d "$unpacked" ] || return 0
    fetched=$(mktemp -d)
    options="-o APT::Architecture=$machine_asked -o APT::Architectures=$machine_asked -o Dir::State::status=/dev/null"
    # shellcheck disable=SC2086
    if ! { apt_apart deb "$fetched" $options update && apt_apart deb "$fetched" $options download "$@"; }; then
        cat "$fetched/log" >&2
        rm -rf "$fetched"
        echo "Debian's packages for $machine_asked cannot be had" >&2
        return 77
    fi
    mkdir -p "$unpacked"
    for package in "$fetched"/*.deb; do dpkg-deb -x "$package" "$unpacked"; done
    rm -rf "$fetched"
}
