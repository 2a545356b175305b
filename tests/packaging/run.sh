#!/bin/sh
# What others build packages from says the project's version, licence, description, dependencies and switches.
#   run.sh SOURCE_FOLDER
set -u
cd "$1" || exit 2
version=$(sed -n 's/^project(kvbudget VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
about=$(sed -n 's/^project(.*DESCRIPTION "\(.*\)")/\1/p' CMakeLists.txt)
failed=0
holds() { # FILE TEXT
    grep -qF -- "$2" "$1" || { echo "$1 does not say '$2'" >&2; failed=1; }
}
lacks() { # FILE PATTERN WHY
    ! grep -nE -- "$2" "$1" >&2 || { echo "$1: $3" >&2; failed=1; }
}

holds packaging/PKGBUILD "pkgver=$version"
holds packaging/kvbudget.rb "version \"$version\""
holds packaging/kvbudget.rb "kvbudget-$version.tar.xz"
holds packaging/flake.nix "version = \"$version\";"
holds packaging/Containerfile "image.version=\"$version\""
holds web/npm/package.json "\"version\": \"$version\""
holds debian/changelog "kvbudget ($version)"
holds docs/CHANGELOG.md "## $version ("
holds "debian/libkvbudget${version%.*}.install" "libkvbudget.so"
for file in packaging/PKGBUILD packaging/kvbudget.rb packaging/flake.nix web/npm/package.json; do
    holds $file "$about"
done
for file in packaging/PKGBUILD packaging/kvbudget.rb packaging/flake.nix packaging/Containerfile web/npm/package.json; do
    grep -qi 'mit\b' $file && head -n 1 LICENSE | grep -q 'MIT' || { echo "$file names another licence than LICENSE" >&2; failed=1; }
done

# Every library that CMake asks pkg-config for, by the name each calls it.
asked=$(sed -n 's/.*pkg_check_modules([A-Z]* .*IMPORTED_TARGET \([a-z0-9.-]*\)).*/\1/p' CMakeLists.txt | sort -u)
for library in $asked; do
    case $library in
    yaml-0.1) debian=libyaml-dev name=libyaml ;;
    libcyaml) debian=libcyaml-dev name=libcyaml ;;
    libcurl) debian=libcurl4-openssl-dev name=curl ;;
    *) echo "CMake asks for $library, which tests/packaging/run.sh does not know" >&2; failed=1; continue ;;
    esac
    holds debian/control "$debian"
    holds scripts/packages.sh "need $debian "
    holds packaging/PKGBUILD "'$name'"
    holds packaging/kvbudget.rb "depends_on \"$name\""
    holds packaging/flake.nix "pkgs.$name"
    [ $library = libcurl ] || holds packaging/Containerfile "$debian"
done
[ "$(echo "$asked" | wc -w)" -ge 3 ] || { echo "the libraries that CMake asks for were not found" >&2; failed=1; }

# Every switch they set is one that CMakeLists.txt has.
for switch in $(grep -ohE 'DKVB_[A-Z_]+' packaging/* debian/rules scripts/release* | sed 's/^D//' | sort -u); do
    grep -qE "(option|set)\($switch " CMakeLists.txt || { echo "packages set $switch, which is no option" >&2; failed=1; }
done

# Recipes that are written for an address name it, the tar and the tar's own checksum, and nothing is left to fill in.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "not really a tar" >"$work/kvbudget-$version.tar.xz"
address=https://example.org/releases/$version
scripts/release-recipes "$address" "$work/kvbudget-$version.tar.xz" "$work/made" || failed=1
sum=$(sha256sum <"$work/kvbudget-$version.tar.xz" | cut -d' ' -f1)
# shellcheck disable=SC2016
said=$(bash -c '. "$1" && echo "$source $sha256sums"' bash "$work/made/PKGBUILD")
[ "$said" = "$address/kvbudget-$version.tar.xz $sum" ] || { echo "PKGBUILD was written as '$said'" >&2; failed=1; }
holds "$work/made/kvbudget.rb" "url \"$address/kvbudget-$version.tar.xz\""
holds "$work/made/kvbudget.rb" "sha256 \"$sum\""
lacks "$work/made/PKGBUILD" 'SOURCE|SHA256' "something is left to fill in"
lacks "$work/made/kvbudget.rb" 'SOURCE|SHA256' "something is left to fill in"
for wrong in example.org http://example.org 'https://example.org/a b' https:// 'https://example.org/&' https://example.org/; do
    ! scripts/release-recipes "$wrong" "$work/kvbudget-$version.tar.xz" "$work/none" 2>/dev/null || { echo "'$wrong' was taken for an address" >&2; failed=1; }
done
lacks packaging/PKGBUILD '^(sha256sums=.*[0-9a-f]{64})' "a checksum of a tar that changes with every commit"
exit $failed
