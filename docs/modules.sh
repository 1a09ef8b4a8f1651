#!/bin/sh
# Prints the modules with their lines of src/main/java as a Markdown table: docs/modules.sh
# With --write it puts the table into docs/architecture.md instead, between its markers.
set -eu
cd "$(dirname "$0")/.."

table() {
    echo '| module | lines | shipped |'
    echo '|---|---:|---|'
    total=0
    for module in $(sed -n 's|.*<module>\(.*\)</module>.*|\1|p' pom.xml); do
        lines=$(find "$module/src/main/java" -name '*.java' -exec cat {} + | wc -l)
        case $module in
            testing | e2e) shipped=no ;;
            *) shipped=yes total=$((total + lines)) ;;
        esac
        printf '| `%s` | %d | %s |\n' "$module" "$lines" "$shipped"
    done
    printf '| all that ships | %d | |\n' "$total"
}

if [ "${1:-}" != --write ]; then
    table
    exit
fi
page=docs/architecture.md
new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
    sed '/^<!-- modules: /q' "$page"
    table
    sed -n '/^<!-- end of modules -->$/,$p' "$page"
} >"$new"
cat "$new" >"$page"
