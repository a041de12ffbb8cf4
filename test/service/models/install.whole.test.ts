import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogueModel } from '../../../service/models/catalogue.ts';
import { TRUSTED_FILE } from '../../../service/models/checksum.ts';
import { runModels, runSetup, type ModelsDeps } from '../../../service/models/commands.ts';
import { readRecord } from '../../../service/models/installed.ts';
import { tarGz } from '../../fakes/models/archive.ts';
import { startMirror, type Mirror } from '../../fakes/models/mirror.ts';
import { writeTinyRecogniser } from '../../fakes/models/tiny-recogniser.ts';
import { writeTinyTranslation } from '../../fakes/models/tiny-translation.ts';
import { writeTinyVoice } from '../../fakes/models/tiny-voice.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let home: string;
let root: string;
let mirror: Mirror;
let lines: string[];
let shown: string;
let answers: string[];
let deps: ModelsDeps;
let catalogue: CatalogueModel[];
let archives: { recogniser: Buffer; voice: Buffer };

/** An address in the catalogue, which the mirror serves. */
const serve = (path: string, content: Uint8Array): CatalogueModel['files'][number] => {
  mirror.serve(path, content);
  return { url: `https://models.invalid${path}`, bytes: content.length, sha256: sha256(content) };
};

const model = (
  name: string,
  ability: CatalogueModel['ability'],
  languages: string[],
  ...files: CatalogueModel['files']
): CatalogueModel => ({
  name,
  ability,
  languages,
  title: name,
  licence: 'MIT',
  page: 'https://models.invalid/',
  files,
});

const saveCatalogue = (): void =>
  writeFileSync(join(home, 'catalogue.json'), JSON.stringify({ models: catalogue }));

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'dragoman-install-'));
  root = join(home, 'models');
  mirror = await startMirror();
  lines = [];
  shown = '';
  answers = [];
  deps = {
    root,
    mirror: mirror.url,
    catalogueFile: join(home, 'catalogue.json'),
    clock: {
      nowMs: () => 0,
      after: (ms, run) => {
        if (ms >= 30_000) return () => {};
        const timer = setImmediate(run);
        return () => clearImmediate(timer);
      },
    },
    random: () => 1,
    now: () => new Date('2026-01-01T00:00:00Z'),
    signal: new AbortController().signal,
    print: (line) => lines.push(line),
    progress: { isTTY: true, write: (text) => (shown += text) },
    ask: async (question) => {
      lines.push(question);
      return answers.shift() ?? '';
    },
  };
  writeTinyRecogniser(join(home, 'recogniser'));
  writeTinyVoice(join(home, 'voice'));
  writeTinyTranslation(join(home, 'en-es'), 'en', 'es', { hello: 'hola' });
  archives = {
    recogniser: await tarGz(join(home, 'recogniser'), 'recogniser'),
    voice: await tarGz(join(home, 'voice'), 'voice'),
  };
  catalogue = [
    model('ears', 'recognition', ['en', 'es'], serve('/ears.tar.gz', archives.recogniser)),
    model('mouth', 'speech', ['en'], serve('/mouth.tar.gz', archives.voice)),
    model(
      'bergamot-en-es',
      'translation',
      ['en', 'es'],
      ...readdirSync(join(home, 'en-es')).map((file) =>
        serve(`/${file}.gz`, gzipSync(readFileSync(join(home, 'en-es', file)))),
      ),
    ),
  ];
  saveCatalogue();
});
afterEach(async () => {
  await mirror[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

const add = (...names: readonly string[]): Promise<void> => runModels(['add', ...names], deps);

/** The folders of whole models, and whether anything half done is left. */
const installed = (): readonly string[] =>
  readdirSync(root).filter((name) => !['.downloads', TRUSTED_FILE].includes(name));

describe('models add', () => {
  it('installs by name, with a record of where it came from', async () => {
    await add('ears', 'mouth', 'bergamot-en-es');
    expect(installed()).toEqual(['bergamot-en-es', 'ears', 'mouth']);
    expect(await readRecord(join(root, 'ears'))).toEqual({
      name: 'ears',
      source: 'https://models.invalid/ears.tar.gz',
      licence: 'MIT',
      languages: ['en', 'es'],
      installedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(readdirSync(join(root, '.downloads'))).toEqual([]);
    expect(lines).toContain('ears is installed: recognition.');
    expect(shown).toMatch(/ears \[#{24}\] 100 % of/);
  });

  it('does nothing for what is there', async () => {
    await add('ears');
    const before = mirror.requests.length;
    await add('ears');
    expect(lines.at(-1)).toBe('ears is installed already.');
    expect(mirror.requests).toHaveLength(before);
  });

  it('installs from an address, and from then on demands the same file there', async () => {
    const url = mirror.serve('/other/voice-b.tar.gz', archives.voice);
    deps = { ...deps, mirror: undefined };
    await add(url);
    expect(installed()).toEqual(['voice-b']);
    expect(lines.join('\n')).toContain(
      `From now on it must have SHA-256 ${sha256(archives.voice)}`,
    );
    await runModels(['remove', 'voice-b'], deps);
    mirror.serve('/other/voice-b.tar.gz', archives.recogniser);
    await expect(add(url)).rejects.toThrow('1 of 1 model was not installed');
    expect(lines.at(-1)).toMatch(/has changed since it was first fetched.*\.checksums\.json/);
    expect(installed()).toEqual([]);
  });

  it('installs from a folder and from an archive on this machine, without any network', async () => {
    await mirror[Symbol.asyncDispose]();
    writeFileSync(join(home, 'from-archive.tar.gz'), archives.recogniser);
    await add(join(home, 'voice'), join(home, 'from-archive.tar.gz'), join(home, 'en-es'));
    expect(installed()).toEqual(['en-es', 'from-archive', 'voice']);
    expect(existsSync(join(home, 'voice/model.onnx'))).toBe(true);
    mirror = await startMirror();
  });

  it('leaves out weights that would not be used, and samples', async () => {
    const folder = join(home, 'double');
    writeTinyRecogniser(folder);
    writeFileSync(join(folder, 'model.int8.onnx'), readFileSync(join(folder, 'model.onnx')));
    mkdirSync(join(folder, 'test_wavs'));
    writeFileSync(join(folder, 'test_wavs/0.wav'), 'x');
    await add(folder);
    expect(readdirSync(join(root, 'double')).toSorted()).toEqual([
      'dragoman-model.json',
      'model.int8.onnx',
      'tokens.txt',
    ]);
  });

  it.each<[string, () => string, RegExp]>([
    ['an unknown name', () => 'nose', /^nose: not installed\. nose is no model of the catalogue/],
    [
      'an address that is not there',
      () => `${mirror.url}/gone.tar.gz`,
      /gone\.tar\.gz does not exist \(404\)/,
    ],
    [
      'a page in place of a model',
      () => {
        mirror.serve('/page.tar.gz', Buffer.from('<html>log in</html>'));
        return `${mirror.url}/page.tar.gz`;
      },
      /page\.tar\.gz cannot be unpacked: it is damaged/,
    ],
    [
      'a folder without a model',
      () => {
        mkdirSync(join(home, 'empty'));
        return join(home, 'empty');
      },
      /empty: there is no \.onnx file in it/,
    ],
    [
      'a file that is no model',
      () => {
        mkdirSync(join(home, 'strange'));
        for (const file of ['strange.onnx', 'tokens.txt'])
          writeFileSync(join(home, 'strange', file), 'x');
        return join(home, 'strange');
      },
      /strange: strange\.onnx is cut off, or no ONNX model/,
    ],
    ...[
      ['model.bin', /faster-whisper.*SERVICE_OPENAI_URL/],
      ['ggml-base.bin', /GGML.*SERVICE_OPENAI_URL/],
      ['model.safetensors', /PyTorch.*models list/],
    ].map(([file, words]): [string, () => string, RegExp] => [
      `${String(file)}, which is for other programs`,
      () => {
        mkdirSync(join(home, 'foreign'));
        writeFileSync(join(home, 'foreign', String(file)), 'x');
        return join(home, 'foreign');
      },
      words as RegExp,
    ]),
    [
      'a name that a folder cannot have',
      () => {
        mkdirSync(join(home, 'my model'));
        return join(home, 'my model');
      },
      /"my model" cannot be a model's name/,
    ],
  ])('refuses %s in a sentence, and nothing stays', async (_, source, words) => {
    deps = { ...deps, mirror: undefined };
    await expect(add(source())).rejects.toMatchObject({ name: 'AppError' });
    expect(lines.at(-1)).toMatch(words);
    expect(lines.at(-1)).not.toContain('.staging');
    expect(installed()).toEqual([]);
  });

  /** Cuts a file of a model, or gives it the content of another. */
  const damage = (source: string, file: RegExp, content: (whole: Buffer) => Uint8Array): string => {
    const name = readdirSync(join(home, source)).find((one) => file.test(one))!;
    const path = join(home, source, name);
    writeFileSync(path, content(readFileSync(path)));
    return join(home, source);
  };
  const withoutBlank = (whole: Buffer): Buffer =>
    Buffer.from(whole.toString().replace('<blk>', 'blk'));
  const half = (whole: Buffer): Buffer => whole.subarray(0, whole.length / 2);

  it.each<[string, () => string]>([
    [
      'a voice with no token that it knows',
      () => damage('voice', /tokens/, () => Buffer.from('# 0')),
    ],
    ['a recogniser without a blank', () => damage('recogniser', /tokens/, withoutBlank)],
    ['a translation with half its model', () => damage('en-es', /^model/, half)],
    ['a translation with half a vocabulary', () => damage('en-es', /vocab/, half)],
    ['a translation with an empty vocabulary', () => damage('en-es', /vocab/, () => Buffer.of())],
    [
      'a translation with its model as vocabulary',
      () => damage('en-es', /vocab/, () => readFileSync(join(home, 'en-es', modelFile()))),
    ],
  ])('refuses %s, which shows when it is tried', async (_, source) => {
    await expect(add(source())).rejects.toMatchObject({ name: 'AppError' });
    expect(lines.at(-1)).toMatch(/not installed\. [a-z-]+: it did not work when it was tried/);
    expect(lines.at(-1)).not.toContain('.staging');
    expect(installed()).toEqual([]);
  });

  it('says why a model did not work in the words of its library', async () => {
    await expect(add(damage('recogniser', /tokens/, withoutBlank))).rejects.toThrow();
    expect(lines.at(-1)).toMatch(/when it was tried \(sherpa-onnx-node crashed: .*blank/);
  });
  const modelFile = (): string =>
    readdirSync(join(home, 'en-es')).find((name) => name.startsWith('model'))!;

  it('refuses a damaged file and one of another kind, and installs the others', async () => {
    mirror.serve('/mouth.tar.gz', Buffer.alloc(archives.voice.length));
    catalogue.push(
      model(
        'impostor',
        'translation',
        ['en', 'fr'],
        serve('/impostor.tar.gz', archives.recogniser),
      ),
    );
    saveCatalogue();
    await expect(add('mouth', 'impostor', 'ears')).rejects.toThrow(
      '2 of 3 models were not installed',
    );
    expect(lines.join('\n')).toMatch(/mouth: not installed\. .*the checksum is wrong/);
    expect(lines.join('\n')).toMatch(
      /impostor should serve translation, but its files are for recogn/,
    );
    expect(installed()).toEqual(['ears']);
  });

  it('goes on where a killed command has ended, and clears up after it', async () => {
    mirror.serve('/ears.tar.gz', archives.recogniser, { cutAfter: 900 }, { status: 404 });
    await expect(add('ears')).rejects.toThrow();
    mkdirSync(join(root, '.staging-old'));
    writeFileSync(join(root, '.lock'), '999999999');
    mirror.serve('/ears.tar.gz', archives.recogniser);
    await add('ears');
    expect(mirror.requests.at(-1)).toContain('bytes=');
    expect(installed()).toEqual(['ears']);
  });

  it('waits for no other command that changes the folder, but says so', async () => {
    mkdirSync(root);
    writeFileSync(join(root, '.lock'), String(process.ppid));
    await expect(add('ears')).rejects.toThrow(/Another command \(process \d+\) is changing/);
  });

  it('says that the folder cannot be written to', async () => {
    writeFileSync(join(home, 'file'), 'x');
    deps = { ...deps, root: join(home, 'file/models') };
    await expect(add('ears')).rejects.toThrow(/cannot be written to \(ENOTDIR\)/);
  });
});

describe('models remove', () => {
  it('removes what is installed, and nothing else', async () => {
    await add('ears');
    await runModels(['remove', 'ears'], deps);
    expect(installed()).toEqual([]);
    for (const name of ['ears', '..', '../home', '.downloads', ''])
      await expect(runModels(['remove', name], deps)).rejects.toThrow(/is not installed/);
  });
});

describe('models list', () => {
  it('shows what is installed and what could be', async () => {
    await add('ears');
    lines = [];
    await runModels(['list'], deps);
    expect(lines[0]).toBe(`Installed in ${root}:`);
    expect(lines[1]).toMatch(
      /^ {2}ears +recognition, nemo-ctc +\S+ MB +MIT +English, Spanish +ready$/,
    );
    expect(lines.join('\n')).toMatch(/ {2}mouth +speech +\S+ MB +MIT +English/);
    expect(lines.join('\n')).toMatch(/bergamot-en-es +translation .*en to es/);
  });

  it('shows what each installed model is, and why one is of no use', async () => {
    await add('mouth', 'bergamot-en-es');
    mkdirSync(join(root, 'faster'));
    for (const file of ['model.bin', 'config.json', 'vocabulary.txt'])
      writeFileSync(join(root, 'faster', file), 'x');
    lines = [];
    await runModels(['list'], deps);
    expect(lines.slice(1, 4)).toEqual([
      expect.stringMatching(/bergamot-en-es +translation +\S+ MB +MIT +en to es +ready$/),
      expect.stringMatching(/faster +not usable +0\.0 MB +.*CTranslate2.*SERVICE_OPENAI_URL/),
      expect.stringMatching(/mouth +speech, 1 voice +\S+ MB +MIT +\S+ +ready$/),
    ]);
  });

  it.each([[['frobnicate']], [['add']], [['remove']], [[]]])(
    'explains itself for %j',
    async (words) => {
      await expect(runModels(words, deps)).rejects.toThrow('npm run service -- models list');
    },
  );
});

describe('setup', () => {
  it('asks for languages, shows sizes and licences, and installs', async () => {
    answers = ['en, es', ''];
    await runSetup([], deps);
    expect(installed()).toEqual(['bergamot-en-es', 'ears', 'mouth']);
    const text = lines.join('\n');
    expect(text).toContain('The catalogue has no voice for es.');
    expect(text).toContain('The catalogue has no translation from es.');
    expect(text).toMatch(/ {2}ears +recognition +\S+ MB +MIT +English, Spanish/);
    expect(text).toMatch(/Download \S+ MB\? \[Y\/n\]/);
    expect(lines.at(-1)).toContain('npm start');
  });

  it('installs nothing for a no', async () => {
    answers = ['en', 'no'];
    await runSetup([], deps);
    expect(existsSync(root)).toBe(false);
    expect(lines.at(-1)).toBe('Nothing was installed.');
  });

  it('asks nothing when it is told everything, and has nothing to do the second time', async () => {
    deps = { ...deps, ask: undefined };
    await runSetup(['en', 'es', '--yes'], deps);
    lines = [];
    await runSetup(['English', 'es', '--yes'], deps);
    expect(lines.at(-1)).toBe('Everything for these languages is installed.');
  });

  it.each([
    [['en'], 'nobody can be asked'],
    [[], 'nobody can be asked'],
    [['xyzzy', '--yes'], '"xyzzy" is no language'],
    [['en', '--fast'], '"--fast" is no option'],
  ])('with %j says what is missing', async (words, problem) => {
    await expect(runSetup(words, { ...deps, ask: undefined })).rejects.toThrow(problem);
  });
});
