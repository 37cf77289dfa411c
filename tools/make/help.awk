# Prints a line for each target with a comment of two #: "target: ... ## text".
/^[a-z][a-zA-Z0-9_-]*(\$1)?:.*## / {
    text = $0
    sub(/.*## /, "", text)
    sub(/:.*/, "")
    sub(/\$1/, "NAME")
    printf "%-22s %s\n", $0, text
}
