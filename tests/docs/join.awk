# Writes the document with every command's output replaced by FOLDER/N.got.
function flush_output(  line) {
    while ((getline line < sprintf("%s/%03d.got", folder, n)) > 0) print line
}
/^```/ { inside = ($0 == "```console"); started = 0; print; next }
inside && /^\$ / {
    n++; started = 1; print
    continued = /\\$/
    if (!continued) flush_output()
    next
}
inside && continued { print; continued = /\\$/; if (!continued) flush_output(); next }
inside && started { next }
{ print }
