#!/bin/sh
# The image's command, for it has no npm: "dragoman doctor" is "npm run doctor". Other words run as they are.
set -eu
# Root only gives the volume to the image's user, and becomes that user, with the capabilities CHOWN, SETUID and SETGID.
if [ "$(id -u)" = 0 ] && [ "${DRAGOMAN_IMAGE:-}" = true ]; then
  chown node:node /data
  exec setpriv --reuid=node --regid=node --init-groups --no-new-privs "$0" "$@"
fi
cd "$(dirname "$(readlink -f "$0")")/.."
script=$(node -p 'require("./package.json").scripts[process.argv[1]] ?? ""' "$1")
[ -n "$script" ] || exec "$@"
shift
# Unquoted, so that it becomes words: no script has quotes.
exec $script "$@"
