#!/bin/sh
# Installs the executable of sigtrap: downloads it from a release, compares it with SHA256SUMS of the release, tries it, and puts it
# into a folder. It needs a POSIX shell, tar, and curl or wget.
#
#   sh install.sh [--to FOLDER] [--from ADDRESS]
#
#   --to FOLDER      the folder for the executable (~/.local/bin)
#   --from ADDRESS   the address of the files of a release (the release of this script)
set -eu

# A release writes its own address here.
from=""
to="${HOME:-}/.local/bin"

fail() {
  echo "install: $1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --to | --from)
      [ $# -gt 1 ] || fail "$1 needs a value"
      if [ "$1" = --to ]; then to=$2; else from=$2; fi
      shift 2
      ;;
    *) fail "unknown option $1; the options are --to FOLDER and --from ADDRESS" ;;
  esac
done
[ -n "$from" ] || fail "this script belongs to no release; name the address of one with --from"
case $to in
  /.local/bin) fail "HOME is not set; name a folder with --to" ;;
esac

# The platform

system=$(uname -s)
machine=$(uname -m)
case $system in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) fail "there is no executable for $system; use Node, Bun or Deno: npx sigtrap" ;;
esac
case $machine in
  x86_64 | amd64) cpu=x64 ;;
  aarch64 | arm64) cpu=arm64 ;;
  *) fail "there is no executable for $machine; use Node, Bun or Deno: npx sigtrap" ;;
esac
# A shell that Rosetta translates names the wrong processor.
if [ $os = darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 1 ]; then cpu=arm64; fi
libc=""
if [ $os = linux ]; then
  # `ldd --version` of musl exits with 1.
  case $(ldd --version 2>&1 || true) in
    *musl*) libc="-musl" ;;
  esac
fi
platform="$os-$cpu$libc"

# Download and comparison

if command -v curl >/dev/null 2>&1; then
  get() { curl -fsSL --retry 2 -o "$2" "$1"; }
elif command -v wget >/dev/null 2>&1; then
  get() { wget -q -O "$2" "$1"; }
else
  fail "curl or wget is needed"
fi

if command -v sha256sum >/dev/null 2>&1; then
  sum() { sha256sum "$1"; }
elif command -v shasum >/dev/null 2>&1; then
  sum() { shasum -a 256 "$1"; }
else
  fail "sha256sum or shasum is needed"
fi

work=$(mktemp -d)
tried="$to/.sigtrap.$$"
trap 'rm -rf "$work" "$tried"' EXIT
trap 'exit 1' HUP INT TERM

get "$from/SHA256SUMS" "$work/SHA256SUMS" || fail "$from/SHA256SUMS cannot be downloaded"
file=""
expected=""
while read -r digest name; do
  case $name in
    # A digit after the platform: the names of others begin alike (linux-x64 and linux-x64-musl).
    sigtrap-bin-"$platform"-[0-9]*.tgz)
      file=$name
      expected=$digest
      ;;
  esac
done <"$work/SHA256SUMS"
[ -n "$file" ] || fail "the release has no executable for $platform"
get "$from/$file" "$work/$file" || fail "$from/$file cannot be downloaded"
found=$(sum "$work/$file")
found=${found%% *}
[ "$found" = "$expected" ] || fail "$file has the SHA-256 $found, but the release says $expected; nothing was installed"

# Installation

tar -xzf "$work/$file" -C "$work" package/sigtrap
mkdir -p "$to"
cp "$work/package/sigtrap" "$tried"
chmod 755 "$tried"
version=$("$tried" --version) || fail "the executable for $platform does not run on this machine; nothing was installed"
mv "$tried" "$to/sigtrap"
echo "installed $to/sigtrap ($version)"
case ":${PATH:-}:" in
  *":$to:"*) ;;
  *) echo "$to is not on PATH: export PATH=\"$to:\$PATH\"" ;;
esac
