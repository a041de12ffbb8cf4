import { describe, expect, it } from 'vitest';
import { readAttachments } from '../../../../src/autotranslate/mirror/plan.ts';
import type { FileLeftOut } from '../../../../src/autotranslate/prepare/compose.ts';
import { AppError } from '../../../../src/errors.ts';
import type { MessageFile } from '../../../../src/model/message.ts';
import { audio } from '../support.ts';

const { signal } = new AbortController();
const fileOf = (name: string, sizeBytes: number | undefined, bytes = sizeBytes): MessageFile => ({
  id: name,
  name,
  mediaType: 'text/plain',
  sizeBytes,
  async *open() {
    yield new Uint8Array(bytes ?? 0);
  },
});
const failing = (name: string, error: AppError): MessageFile => ({
  ...fileOf(name, 1),
  async *open() {
    throw error;
  },
});
const namesAndReasons = (files: readonly FileLeftOut[]): readonly string[] =>
  files.map(({ name, reason }) => `${name}: ${reason.key}`);
const carried = async (...files: MessageFile[]) => {
  const { files: read, leftOut } = await readAttachments(files, 10, false, signal);
  return { read: read.map(({ name }) => name), leftOut: namesAndReasons(leftOut) };
};

describe('the files of a message', () => {
  it('are carried as far as they fit together, the last byte included', async () => {
    expect(await carried(fileOf('a', 6), fileOf('b', 5), fileOf('c', 4), fileOf('d', 1))).toEqual({
      read: ['a', 'c'],
      leftOut: ['b: reasons.too-large', 'd: reasons.too-large'],
    });
  });

  it('are carried whole, with what they are', async () => {
    const voice = { durationMs: 1, loudness: [0] };
    const { files } = await readAttachments(
      [{ ...audio('hello'), altText: 'a voice', voice }],
      10,
      false,
      signal,
    );
    expect(files).toEqual([
      {
        id: 'hello',
        name: 'talk.ogg',
        mediaType: 'audio/ogg',
        bytes: Buffer.from('hello'),
        altText: 'a voice',
        voice,
      },
    ]);
  });

  it('are left out when their size is not known, or is more than was said', async () => {
    expect(await carried(fileOf('a', undefined, 3), fileOf('b', 3, 11), fileOf('c', 3))).toEqual({
      read: ['c'],
      leftOut: ['a: reasons.too-large', 'b: reasons.too-large'],
    });
  });

  it('are left out when they cannot be read, but not while another try may do better', async () => {
    expect(await carried(failing('a', new AppError('forbidden', 'closed')))).toEqual({
      read: [],
      leftOut: ['a: reasons.forbidden'],
    });
    for (const error of [
      new AppError('unavailable', 'away', { retryable: true }),
      new AppError('cancelled', 'stopped'),
    ])
      await expect(carried(failing('a', error))).rejects.toBe(error);
  });

  it('are left out with the last try, whatever keeps them from being read', async () => {
    const away = new AppError('unavailable', 'away', { retryable: true });
    const files = [failing('a', away), fileOf('b', 1)];
    const { files: read, leftOut } = await readAttachments(files, 10, true, signal);
    expect(read.map(({ name }) => name)).toEqual(['b']);
    expect(namesAndReasons(leftOut)).toEqual(['a: reasons.unavailable']);
  });
});
