#!/bin/sh
# The happy path, against nginx: TLS, ranges, a checkpoint of 163 shards and 91,991 tensors, within 30 MB. How long it took
# is printed and not judged, for a busy machine takes as long as it likes: only what hangs is ended.
# Then through a proxy, to an endpoint whose addresses are laid out as ModelScope's.
#   tls.sh KVBUDGET STAND_IN PROXY
set -u
tool=$1 stand_in=$2 proxy=$3
nginx=$(command -v nginx || command -v /usr/sbin/nginx) && command -v openssl >/dev/null 2>&1 || {
    echo "nginx or openssl is not here: left out"
    exit 77
}
work=$(mktemp -d) || exit 2
trap 'kill "$(cat "$work/nginx.pid")" 2>/dev/null; rm -rf "$work"' EXIT
failed=0
commit=0123456789abcdef0123456789abcdef01234567
complain() {
    echo "$1" >&2
    failed=1
}

for size in small large; do
    mkdir -p "$work/root/test/$size/resolve"
    "$stand_in" "$size" "$work/root/test/$size/resolve/main" >"$work/$size" || exit 2
    ln -s main "$work/root/test/$size/resolve/$commit"
done
mkdir -p "$work/root/models/test/small/resolve"
ln -s "$work/root/test/small/resolve/main" "$work/root/models/test/small/resolve/master"
ln -s master "$work/root/models/test/small/resolve/$commit"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,DNS:www.modelscope.cn \
    -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null || exit 2

owner=
[ "$(id -u)" -ne 0 ] || owner="user root;"
# A port that is free now; another try where somebody was quicker.
start() {
    port=$((20000 + ($$ + $1 * 977) % 20000))
    cat >"$work/nginx.conf" <<CONF
worker_processes 1;
$owner
pid $work/nginx.pid;
error_log $work/error.log;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path $work/t1; proxy_temp_path $work/t2; fastcgi_temp_path $work/t3; uwsgi_temp_path $work/t4; scgi_temp_path $work/t5;
    server {
        listen 127.0.0.1:$port ssl http2;
        ssl_certificate $work/certificate.pem;
        ssl_certificate_key $work/key.pem;
        root $work/root;
        add_header X-Repo-Commit $commit always;
    }
}
CONF
    "$nginx" -c "$work/nginx.conf" -p "$work" 2>"$work/nginx.said"
}
for try in 1 2 3 4 5; do start $try && break; done || { cat "$work/nginx.said" >&2; exit 2; }

unset KVBUDGET_OFFLINE HF_HUB_OFFLINE HF_TOKEN HF_HUB_CACHE HF_HOME https_proxy HTTPS_PROXY all_proxy KVBUDGET_LIBEXEC REQUESTS_CA_BUNDLE CURL_CA_BUNDLE SSL_CERT_FILE
export HOME="$work/home" KVBUDGET_CACHE="$work/cache" HF_ENDPOINT="https://localhost:$port"

# A certificate that nobody vouches for.
"$tool" hub pull test/small >"$work/said" 2>&1 && complain "a certificate of its own was trusted"
grep -q 'its certificate cannot be trusted' "$work/said" || complain "of the certificate it says: $(cat "$work/said")"

export CURL_CA_BUNDLE="$work/certificate.pem"
"$tool" plan --model test/small --gpu l4 >"$work/out" 2>"$work/said" || complain "plan: $(cat "$work/said")"
grep -q 'fetched test/small' "$work/said" || complain "plan says $(cat "$work/said")"

"$tool" plan --model test/large --gpu h200 --tensor-parallel-size 8 --json >"$work/fetched.json" 2>"$work/said" ||
    complain "plan of the large one: $(cat "$work/said")"
"$tool" hub list >"$work/list"
# The report of the helper itself: ok COMMIT FILES HEADERS BYTES MILLISECONDS.
mkdir "$work/into"
timeout 120 "$(dirname "$tool")/kvbudget-hub" 1 "$HF_ENDPOINT" test/large main - "$work/into" >"$work/report" ||
    complain "the helper fails or hangs"
read -r end said files headers bytes took <"$work/report"
[ "$end $said $files $headers" = "ok $commit 2 163" ] || complain "the helper says $(cat "$work/report")"
[ "$bytes" -le 30000000 ] || complain "$bytes bytes were transferred"
echo "163 shards, $(cat "$work/large"): $bytes bytes in $took ms"

# Counted as the built-in model of that shape, and read from what was kept the next time.
"$tool" plan --model deepseek-ai/DeepSeek-V3 --gpu h200 --tensor-parallel-size 8 --json >"$work/builtin.json" || complain "plan"
figures() { grep -E '"(parameters|verdict|tokens|total_tokens|kv_cache_bytes)"' "$1"; }
[ "$(figures "$work/fetched.json")" = "$(figures "$work/builtin.json")" ] ||
    complain "it is planned otherwise: $(figures "$work/fetched.json") and $(figures "$work/builtin.json")"
counted=$(find "$work/cache" -name kvbudget-counted.json | wc -l)
[ "$counted" -eq 2 ] || complain "$counted counts were kept"
grep -q '"checkpoint"' "$work/fetched.json" || complain "the weights are not from the checkpoint"
HF_HUB_OFFLINE=1 "$tool" plan --model test/large --gpu h200 --tensor-parallel-size 8 --json >"$work/again.json" 2>&1 ||
    complain "the second plan fails"
sed '/"problems"/,$d' "$work/fetched.json" >"$work/a"
sed '/"problems"/,$d' "$work/again.json" >"$work/b"
cmp -s "$work/a" "$work/b" || complain "the second plan differs"

# A proxy makes the tunnel; ModelScope's addresses begin with /models, and its branch is master.
mkfifo "$work/hold"
: >"$work/asked"
"$proxy" "$port" "$work/asked" <"$work/hold" >"$work/proxy" &
exec 9>"$work/hold"
while [ ! -s "$work/proxy" ]; do sleep 0.05; done
HTTPS_PROXY=http://127.0.0.1:$(cat "$work/proxy")
export HTTPS_PROXY
"$tool" hub prune test/small >/dev/null || complain "prune"
"$tool" hub pull test/small >"$work/out" 2>"$work/said" || complain "through a proxy: $(cat "$work/said")"
grep -qx "localhost:$port" "$work/asked" || complain "the proxy was asked for $(cat "$work/asked")"
"$tool" hub prune test/small >/dev/null || complain "prune"
HF_ENDPOINT=https://www.modelscope.cn "$tool" plan --model test/small --gpu l4 >"$work/out" 2>"$work/said" ||
    complain "ModelScope: $(cat "$work/said")"
grep -q "fetched test/small from https://www.modelscope.cn" "$work/said" || complain "ModelScope: $(cat "$work/said")"
grep -qx "www.modelscope.cn:443" "$work/asked" || complain "the proxy was asked for $(cat "$work/asked")"
: >"$work/asked"
"$tool" hub prune test/small >/dev/null || complain "prune"
NO_PROXY=localhost "$tool" hub pull test/small >"$work/out" 2>"$work/said" || complain "beside the proxy: $(cat "$work/said")"
[ ! -s "$work/asked" ] || complain "NO_PROXY: the proxy was asked for $(cat "$work/asked")"
exec 9>&-
exit $failed
