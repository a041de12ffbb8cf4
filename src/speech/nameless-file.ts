import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors.ts';

/**
 * Writes bytes to a file on disk without a name, so that it disappears with its handle even if the
 * process ends. Resolves with a handle at its start. Throws `AppError` `too-large` past
 * `mostBytes`; errors of `bytes` and of the disk pass.
 */
export const writeNamelessFile = async (
  bytes: AsyncIterable<Uint8Array>,
  folder: string,
  mostBytes: number,
): Promise<FileHandle> => {
  await using made = new AsyncDisposableStack();
  const ownFolder = await mkdtemp(join(folder, 'dragoman-'));
  made.defer(() => rm(ownFolder, { recursive: true, force: true }));
  const path = join(ownFolder, 'file');
  const writer = made.use(await open(path, 'wx', 0o600));
  const reader = await open(path, 'r');
  try {
    await rm(ownFolder, { recursive: true });
    let left = mostBytes;
    for await (const chunk of bytes) {
      left -= chunk.length;
      if (left < 0) throw new AppError('too-large', `more than ${mostBytes} bytes`);
      await writer.writeFile(chunk);
    }
    return reader;
  } catch (error) {
    await reader.close();
    throw error;
  }
};
