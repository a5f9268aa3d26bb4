// What WebAssembly has not of a system: memory to share, which is a file that nobody else has, and zlib, without which no file is read.
addToLibrary({
  memfd_create__deps: ['$FS'],
  memfd_create: () => {
    const stream = FS.open('/tmp/memory', 'w+', 0o600);
    FS.unlink('/tmp/memory');
    return stream.fd;
  },
  gzopen: () => 0,
  gzread: () => -1,
  gzclose: () => 0,
});
