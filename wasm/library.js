// What WebAssembly has not of a system: memory to share, which is a file that nobody else has; zlib, without which no file is read;
// a terminal, whose width Emscripten would make up.
addToLibrary({
  memfd_create__deps: ['$FS', '$TTY'],
  memfd_create__postset: () => 'delete TTY.default_tty_ops.ioctl_tiocgwinsz;',
  memfd_create: () => {
    const stream = FS.open('/tmp/memory', 'w+', 0o600);
    FS.unlink('/tmp/memory');
    return stream.fd;
  },
  gzopen: () => 0,
  gzread: () => -1,
  gzclose: () => 0,
});
