import { mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findChatModel } from '../../../../service/engines/llama/model.ts';
import { writeTinyLanguageModel } from '../../../fakes/models/tiny-language-model.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'language-model-'));
});

describe('the file of a language model', () => {
  it('tells its size, its context and what memory a token takes', async () => {
    const path = writeTinyLanguageModel(folder);
    expect(await findChatModel(folder)).toMatchObject({
      path,
      bytes: readFileSync(path).length,
      parameters: 37_152,
      trainedTokens: 512,
      // Two layers, two heads, keys and values of 16 numbers of two bytes each.
      tokenBytes: 2 * 2 * (16 + 16) * 2,
      isForVectors: false,
      isForTranslation: false,
    });
  });

  it.each([
    ['heads', { 'llama.attention.head_count_kv': [2, 0] }, 2 * (16 + 16) * 2],
    ['widths', { 'llama.attention.key_length': 8, 'llama.attention.value_length': 8 }, 128],
  ])('may have %s of its own in its layers', async (_what, metadata, tokenBytes) => {
    writeTinyLanguageModel(folder, metadata);
    expect(await findChatModel(folder)).toMatchObject({ tokenBytes });
  });

  it.each(['HY-MT1.5-1.8B', 'Hy-MT2 7B', 'Hy MT2 1.8B', 'translategemma-4b-it'])(
    'is known as made to translate by its name: %s',
    async (name) => {
      writeTinyLanguageModel(folder, { 'general.name': name });
      expect(await findChatModel(folder)).toMatchObject({ isForTranslation: true });
    },
  );

  it('may make vectors, and then needs no template', async () => {
    const metadata = { 'llama.pooling_type': 1, 'tokenizer.chat_template': undefined };
    writeTinyLanguageModel(folder, metadata);
    expect(await findChatModel(folder)).toMatchObject({ isForVectors: true });
  });

  it('is none in a folder without one', async () => {
    expect(await findChatModel(folder)).toBeUndefined();
  });

  it.each<[string, () => void, RegExp]>([
    [
      'cut at 99 %',
      () => {
        const path = writeTinyLanguageModel(folder);
        truncateSync(path, Math.floor(0.99 * readFileSync(path).length));
      },
      /tiny\.gguf is cut off/,
    ],
    [
      'cut by one byte',
      () => {
        const path = writeTinyLanguageModel(folder);
        truncateSync(path, readFileSync(path).length - 1);
      },
      /tiny\.gguf is cut off/,
    ],
    [
      'cut within its head',
      () => truncateSync(writeTinyLanguageModel(folder), 3_000),
      /tiny\.gguf is cut off/,
    ],
    ['empty', () => writeFileSync(join(folder, 'a.gguf'), ''), /a\.gguf is no GGUF file/],
    ['a text', () => writeFileSync(join(folder, 'a.gguf'), 'GGUFs are'), /is no GGUF file/],
    [
      'of another version',
      () => writeFileSync(join(folder, 'a.gguf'), Buffer.from('GGUF\x09\0\0\0' + '\0'.repeat(64))),
      /a\.gguf is no GGUF file/,
    ],
    [
      'noise',
      () => {
        const noise = Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 73) % 251));
        writeFileSync(
          join(folder, 'a.gguf'),
          Buffer.concat([Buffer.from('GGUF\x03\0\0\0'), noise]),
        );
      },
      /a\.gguf is no GGUF file/,
    ],
    [
      'a base model, which was not made to answer',
      () => writeTinyLanguageModel(folder, { 'tokenizer.chat_template': undefined }),
      /tiny\.gguf has no chat template/,
    ],
    [
      'one part of several',
      () => writeTinyLanguageModel(folder, { 'split.count': 2 }),
      /tiny\.gguf is a part of a model/,
    ],
    [
      'beside another one',
      () => {
        writeTinyLanguageModel(folder);
        writeTinyLanguageModel(folder, {}, 'other.gguf');
      },
      /there are several models in it/,
    ],
  ])('is refused with a sentence where it is %s', async (_what, write, sentence) => {
    write();
    await expect(findChatModel(folder)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(sentence),
    });
  });
});
