//! The recipe of a container, from the tarball beside it.

use super::glibc;

/// For `podman build` or `docker build` in the folder of the tarball.
pub fn recipe(name: &str, libc: (u32, u32)) -> String {
    format!(
        "# podman build -t upset . && podman run --rm -v \"$PWD:/work\" upset apps\n\
         #\n\
         # upset needs glibc {}.{}{}.\n\
         FROM docker.io/library/debian:bookworm-slim\n\
         ADD {name}.tar.gz /opt/\n\
         RUN cp -r /opt/{name}/. /usr/local/ && rm -r /opt/{name}\n\
         WORKDIR /work\n\
         ENTRYPOINT [\"upset\"]\n\
         CMD [\"--help\"]\n",
        libc.0,
        libc.1,
        glibc::since(libc)
    )
}
