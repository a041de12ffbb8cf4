import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { createWriteStream } = fs;

/** Has the disk of files that are written as streams be full after some bytes, until the result is disposed of. */
export const fillDisk = (mostBytes: number): Disposable => {
  let writtenBytes = 0;
  const write = (
    fd: number,
    bytes: Buffer,
    offset: number,
    length: number,
    position: number | null,
    done: (error: NodeJS.ErrnoException | null, count?: number) => void,
  ): void => {
    writtenBytes += length;
    if (writtenBytes <= mostBytes) fs.write(fd, bytes, offset, length, position, done);
    else done(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  };
  fs.createWriteStream = (path, options) =>
    createWriteStream(path, {
      ...(options as object),
      fs: { open: fs.open, close: fs.close, write },
    });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      fs.createWriteStream = createWriteStream;
      syncBuiltinESMExports();
    },
  };
};
