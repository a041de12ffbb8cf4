import { describe, expect, it } from 'vitest';
import { readFirefoxRegistry, withModels } from '../../../service/models/firefox-registry.ts';

const HASH = 'a'.repeat(64);
const FOR_ALL = '';
const NOT_FOR_PHONES = "env.appinfo.OS != 'Android'";

/** The records of a model as Firefox's registry has them, one for each file. */
const records = (
  pair: readonly [string, string],
  {
    parts = ['model', 'lex', 'vocab'],
    version = '3.0',
    architecture = 'base-memory',
    filter = FOR_ALL,
    bytes = 1_000,
  } = {},
) =>
  parts.map((fileType) => ({
    architecture,
    attachment: {
      filename: `${fileType}.${pair.join('')}.bin.zst`,
      hash: HASH,
      location: `main-workspace/translations-models-v2/${fileType}-${version}-${architecture}.zst`,
      mimetype: 'application/zstd',
      size: bytes,
    },
    decompressedHash: HASH,
    fileType,
    filter_expression: filter,
    id: '00ad7997-d4ca-4cae-a1d5-45c529a09fbd',
    sourceLanguage: pair[0],
    targetLanguage: pair[1],
    version,
  }));

const read = (...data: readonly unknown[]) => readFirefoxRegistry({ data: data.flat() });
const versionsOf = (models: ReturnType<typeof read>): readonly string[] =>
  models.map(({ name, files }) => `${name} ${/model-(.*)\.zst/.exec(files[0]!.url)?.[1]}`);

describe('Firefox’s registry of models', () => {
  it('gives each direction with the address, name, size and checksum of its files', () => {
    const [model] = read(records(['en', 'vi']));
    expect(model).toMatchObject({ name: 'bergamot-en-vi', languages: ['en', 'vi'] });
    expect(model?.files[0]).toEqual({
      url: 'https://firefox-settings-attachments.cdn.mozilla.net/main-workspace/translations-models-v2/model-3.0-base-memory.zst',
      name: 'model.envi.bin.zst',
      bytes: 1_000,
      sha256: HASH,
    });
  });

  it('gives the newest version that the engine reads, and of that the best architecture', () => {
    const pair = ['en', 'de'] as const;
    const found = read(
      records(pair, { version: '2.1' }),
      records(pair, { architecture: 'tiny' }),
      records(pair, { architecture: 'base', filter: NOT_FOR_PHONES }),
      records(pair, { version: '3.1a2' }),
      records(pair, { version: '4.0' }),
    );
    expect(versionsOf(found)).toEqual(['bergamot-en-de 3.0-base']);
  });

  it('gives the smallest where that is asked for', () => {
    const pair = ['en', 'de'] as const;
    const data = [
      ...records(pair, { architecture: 'base', bytes: 3_000 }),
      ...records(pair, { architecture: 'tiny', bytes: 500 }),
    ];
    expect(versionsOf(readFirefoxRegistry({ data }, true))).toEqual(['bergamot-en-de 3.0-tiny']);
  });

  it('knows models with a vocabulary for each language, and Chinese by the engine’s code', () => {
    const parts = ['model', 'lex', 'srcvocab', 'trgvocab'];
    const [model, ...others] = read(
      records(['en', 'zh-Hans'], { parts }),
      records(['en', 'zh-Hant'], { parts }),
    );
    expect(model).toMatchObject({ name: 'bergamot-en-zh', languages: ['en', 'zh'] });
    expect(model?.files).toHaveLength(4);
    expect(others).toEqual([]);
  });

  it('passes over what is not released, not whole, or of another form', () => {
    expect(
      read(
        records(['en', 'fr'], { filter: "env.channel == 'nightly'" }),
        records(['en', 'it'], { parts: ['model', 'lex'] }),
        records(['en', 'pt']).map((one) => ({
          ...one,
          attachment: { ...one.attachment, filename: '../../x' },
        })),
        [null, 'record', {}],
      ),
    ).toEqual([]);
    expect(() => readFirefoxRegistry('<html>')).toThrow();
  });

  it('takes the place of the listed models of the same name, and adds others', () => {
    const [listed, added] = read(records(['en', 'de']), records(['en', 'vi']));
    const [current] = read(records(['en', 'de'], { version: '3.1' }));
    expect(withModels([listed!], [current!, added!])).toEqual([
      { ...current, pinned: listed },
      added,
    ]);
  });
});
