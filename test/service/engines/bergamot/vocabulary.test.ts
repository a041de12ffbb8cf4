import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseVocabulary,
  readVocabulary,
} from '../../../../service/engines/bergamot/vocabulary.ts';

/** A field of a message of protocol buffers, with a length of less than 128 bytes. */
const field = (number: number, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2, value.length]), value]);

const piece = (text: string, type?: number): Buffer =>
  field(
    1,
    Buffer.concat([
      field(1, Buffer.from(text)),
      // The score, a float.
      Buffer.from([2 * 8 + 5, 0, 0, 0, 0]),
      type === undefined ? Buffer.alloc(0) : Buffer.from([3 * 8, type]),
    ]),
  );

const PIECES = [piece('<unk>', 2), piece('\u2581the'), piece('a'), piece('é'), piece('ß', 5)];
const FILE = Buffer.concat([...PIECES, field(2, Buffer.from('settings'))]);

describe('a vocabulary', () => {
  it('reads the characters of its pieces, however they are written', () => {
    const reads = parseVocabulary(FILE);
    expect(reads('aé a')).toBe(true);
    expect(reads('e\u0301')).toBe(true);
    for (const unknown of ['b', 'ß', '“', '東']) expect(reads(unknown)).toBe(false);
  });

  it('with pieces of single bytes reads everything', () => {
    expect(parseVocabulary(Buffer.concat([FILE, piece('<0x00>', 6)]))('東“')).toBe(true);
  });

  it('that is cut is an error which names the file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-vocabulary-'));
    const path = join(folder, 'vocab.spm');
    for (const bytes of [FILE.subarray(0, FILE.length - 3), Buffer.from([1 * 8 + 7])]) {
      writeFileSync(path, bytes);
      await expect(readVocabulary(path)).rejects.toMatchObject({
        code: 'config',
        message: expect.stringContaining(path) as string,
      });
    }
    rmSync(folder, { recursive: true });
  });

  it('of any bytes is read or refused at once', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          parseVocabulary(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
