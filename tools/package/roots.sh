# Clean roots of Debian, for the scripts beside this file: needs root, mmdebstrap and a mirror. $work is the script's temporary
# folder; where ROOTS names a folder, tarballs of roots are kept there between runs.
# shellcheck shell=bash
ROOTS=${ROOTS:-$work/roots}

# pack_root RELEASE [PACKAGE...]: prints the name of a tarball of Debian's release with these packages, and nothing else
pack_root() {
    local release=$1 packages kept
    shift
    packages=$(IFS=,; echo "ca-certificates${*:+,$*}")
    kept=$ROOTS/$release-$(cksum <<<"$packages" | cut -d' ' -f1).tar
    mkdir -p "$ROOTS"
    if [ ! -e "$kept" ]; then
        mmdebstrap --quiet --variant=apt --include="$packages" "$release" "$work/new.tar" >&2 || return
        mv "$work/new.tar" "$kept"
    fi
    echo "$kept"
}

# make_root FOLDER RELEASE [PACKAGE...]: the same, unpacked, with the network of this machine
make_root() {
    local folder=$1 kept
    shift
    kept=$(pack_root "$@") || return
    rm -rf --one-file-system "$folder"
    mkdir "$folder"
    tar -xf "$kept" -C "$folder" --exclude='./dev/*'
    cp /etc/resolv.conf "$folder/etc/"
    # certificates that this machine trusts beside Debian's
    if cp /usr/local/share/ca-certificates/*.crt "$folder/usr/local/share/ca-certificates/" 2>/dev/null; then
        enter "$folder" update-ca-certificates >/dev/null 2>&1
    fi
}

# enter FOLDER COMMAND...: in the root, with its own environment
enter() {
    unshare --mount --fork bash -c 'mount -t proc none "$0/proc" 2>/dev/null || mount --rbind /proc "$0/proc"
        mount --bind /dev "$0/dev"
        exec chroot "$0" env -i HOME=/root PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_BREAK_SYSTEM_PACKAGES=1 \
            PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive "$@"' "$@"
}
