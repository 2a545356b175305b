#!/bin/sh
# The recipes of docs/ci.md: the very lines shown there are run, with an empty home and a folder of their own for /tmp.
# The address of the project is served from its files; apt-get only writes down what it is asked for, and a build copies
# the tool that is tested (scripts/ci-install is whole otherwise).
#   recipes.sh TOOL      in the source folder
set -eu
tool=$1 source=$PWD
command -v git >/dev/null || { echo "git is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
    echo "$1" >&2
    failed=1
}

# ---- a machine with nothing on it but the recipe's needs

mkdir -p "$work/bin" "$work/home" "$work/tmp" "$work/project/scripts"
export HOME="$work/home" GIT_CONFIG_NOSYSTEM=1
for file in ci-install hook packages.sh; do cp "$source/scripts/$file" "$work/project/scripts/"; done
cp "$source/.pre-commit-hooks.yaml" "$work/project/"
git -C "$work/project" init -q .
git -C "$work/project" add -A
git -C "$work/project" -c user.name=a -c user.email=a@example.com commit -qm one
git config --global "url.file://$work/project.insteadOf" https://example.com/kvbudget
git config --global --add safe.directory '*'
printf '#!/bin/sh\necho "$@" >>%s/asked\n' "$work" >"$work/bin/apt-get"
cat >"$work/bin/cmake" <<STUB
#!/bin/sh
# Configures and builds by copying.
while [ \$# -gt 0 ]; do
    case \$1 in
    -B) folder=\$2; shift ;;
    --build) folder=\$2; shift; mkdir -p "\$folder"; cp "$tool" "\$folder/kvbudget"; echo "\$folder" >>"$work/built" ;;
    esac
    shift
done
STUB
chmod +x "$work/bin/apt-get" "$work/bin/cmake"
mkdir "$work/others" # all that is on PATH but a kvbudget that somebody installed
(IFS=:; for folder in $PATH; do cp -sn "$folder"/* "$work/others/" 2>/dev/null || true; done)
rm -f "$work/others/kvbudget"
PATH=$work/bin:$work/others

# ---- the lines of a recipe

# The first block of code below the heading.
block() { # HEADING
    awk -v heading="## $1" '
        $0 == heading { found = 1; next }
        found && /^```/ { if (inside) exit; inside = 1; next }
        inside { print }
    ' "$source/docs/ci.md"
}
# The commands of a job: the items of the lists under these keys.
commands() { # HEADING
    block "$1" | awk '
        /^ *(before_script|script|commands):$/ { inside = 1; match($0, /^ */); depth = RLENGTH; next }
        inside { match($0, /^ */); if (RLENGTH <= depth) inside = 0; else { sub(/^ *- /, ""); print } }'
}

repo=$work/repo
fresh() {
    rm -rf "$repo" "$work/tmp" "$work/local" "$work/asked" "$work/built"
    mkdir -p "$repo/deploy" "$work/tmp" "$work/local"
    printf '#!/bin/sh\nvllm serve Qwen/Qwen2.5-0.5B-Instruct --max-model-len 4096 # kvbudget: gpu=l4\n' >"$repo/deploy/a.sh"
}
spoil() { printf '#!/bin/sh\nvllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 131072 # kvbudget: gpu=l4\n' >"$repo/deploy/b.sh"; }

# Runs lines as services do: one after the other, until one fails.
run() { # EXIT NAME LINES
    printf '%s\n' "$3" | sed -e "s:/tmp/:$work/tmp/:g" -e "s:^\(.*/ci-install\)\$:\1 $work/local:" >"$work/lines"
    [ -s "$work/lines" ] || complain "$2: no lines in docs/ci.md"
    code=0
    (cd "$repo" && PATH="$work/local:$PATH" sh -e "$work/lines") >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = "$1" ] || complain "$2: exit $code, expected $1: $(cat "$work/out" "$work/err")"
}

for service in GitLab Buildkite; do
    lines=$(commands "$service")
    fresh
    run 0 "$service" "$lines"
    grep -q '<testsuites name="kvbudget" tests="1" failures="0"' "$repo/kvbudget.xml" || complain "$service: no report"
    spoil
    rm -rf "$work/tmp" && mkdir "$work/tmp"
    run 1 "$service" "$lines"
    grep -q '<failure message=' "$repo/kvbudget.xml" || complain "$service: no failure in the report"
done
block GitLab | grep -q 'junit: kvbudget.xml' || complain "GitLab: another report is shown"
block Buildkite | grep -q 'artifact_paths: kvbudget.xml' || complain "Buildkite: another report is shown"

lines=$(block "Any other service")
fresh
run 0 "shell" "$lines"
grep -q '^1 passed, 0 failed' "$work/out" || complain "shell: $(cat "$work/out")"
spoil
rm -rf "$work/tmp" && mkdir "$work/tmp"
run 1 "shell" "$lines"

# GitLab's own line names packages that exist, where a list of packages is at hand.
fresh
run 0 GitLab "$(commands GitLab)"
grep -q 'install -y --no-install-recommends ca-certificates curl git' "$work/asked" || complain "GitLab: $(cat "$work/asked")"

# ---- a release's binary instead of a build

release=$work/release
name=kvbudget-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m).tar.gz
mkdir -p "$release" "$work/packed"
printf '#!/bin/sh\nexec %s "$@"\n' "$tool" >"$work/packed/kvbudget"
chmod +x "$work/packed/kvbudget"
tar -czf "$release/$name" -C "$work/packed" kvbudget
(cd "$release" && sha256sum "$name" >"$name.sha256")
install_from() { # ADDRESS
    fresh
    KVBUDGET_RELEASE=$1 "$work/project/scripts/ci-install" "$work/local" >"$work/out" 2>"$work/err" || complain "ci-install: $(cat "$work/err")"
    "$work/local/kvbudget" --version >/dev/null || complain "ci-install: what it installed does not run"
}
if command -v curl >/dev/null; then
    install_from "file://$release"
    grep -q 'of the release$' "$work/out" && [ ! -e "$work/built" ] || complain "the release was not used: $(cat "$work/out")"
fi
install_from "file://$work/nothing-here"
grep -q 'built from source$' "$work/out" && [ -s "$work/built" ] || complain "without a release: $(cat "$work/out")"
install_from "http://example.com/not-safe"
grep -q 'built from source$' "$work/out" || complain "an address that is not safe was used"
if command -v curl >/dev/null; then
    echo spoilt >>"$release/$name"
    install_from "file://$release"
    grep -q 'built from source$' "$work/out" || complain "a release that is not whole was used"
    grep -q 'is not what its .sha256 says' "$work/err" || complain "nothing is said of it"
fi

# ---- pre-commit: its own entry, once to build and once to use, and the files it is given

entry=$(sed -n 's/^  entry: //p' "$source/.pre-commit-hooks.yaml")
id=$(sed -n 's/^- id: //p' "$source/.pre-commit-hooks.yaml")
block pre-commit | grep -q "id: $id" || complain "docs/ci.md shows another hook"
fresh
hook() { # EXIT FILE...
    wanted=$1 code=0
    shift
    (cd "$repo" && "$work/project/$entry" "$@") >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = "$wanted" ] || complain "hook $*: exit $code, expected $wanted: $(cat "$work/out" "$work/err")"
}
hook 0 deploy/a.sh
spoil
echo 'nothing: here' >"$repo/--other.yaml"
hook 1 deploy/a.sh deploy/b.sh --other.yaml
[ "$(wc -l <"$work/built")" = 1 ] || complain "it was built twice"
pattern=$(sed -n "s/^  files: '\(.*\)'\$/\1/p" "$source/.pre-commit-hooks.yaml")
for file in a.yaml deploy/b.yml c.json d.py e.ipynb f.tf g.sbatch Makefile x/justfile Dockerfile.gpu Procfile h.service \
    values.yaml.gotmpl i.nomad j.sh.j2 supervisord.conf; do
    echo "$file" | grep -qE "$pattern" || complain "pre-commit would not hand over $file"
done
for file in README.md a.c image.png; do
    if echo "$file" | grep -qE "$pattern"; then complain "pre-commit would hand over $file"; fi
done
exit $failed
