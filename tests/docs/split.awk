# Writes every command of the ```console blocks to FOLDER/N.cmd and its output to FOLDER/N.want.
function number() { return sprintf("%s/%03d", folder, n) }
/^```/ { inside = ($0 == "```console"); started = 0; next }
inside && /^\$ / {
    n++; started = 1
    print substr($0, 3) > (number() ".cmd")
    printf "" > (number() ".want")
    continued = /\\$/
    next
}
inside && continued { print > (number() ".cmd"); continued = /\\$/; next }
inside && started { print > (number() ".want") }
