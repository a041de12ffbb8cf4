import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changingModels } from '../../../service/models/changes.ts';
import { runModels, runSetup } from '../../../service/models/commands.ts';
import { installedPackage } from '../../../service/models/packages.ts';
import { findVoices } from '../../../service/engines/sherpa-onnx/voices.ts';
import { readRecord } from '../../../service/models/installed.ts';
import { eventually } from '../../fakes/eventually.ts';
import { fillDisk } from '../../fakes/full-disk.ts';
import { writeTinyLanguageModel } from '../../fakes/models/tiny-language-model.ts';
import { writeTinyRecogniser } from '../../fakes/models/tiny-recogniser.ts';
import { writePiperVoice } from '../../fakes/models/tiny-voice.ts';
import { install } from '../../../service/models/install.ts';
import { model, openModelsScene, sha256 } from './scene.ts';
import { fresh } from '../../fakes/opened.ts';

const scene = fresh(() => openModelsScene());

describe('models add', () => {
  it('installs by name, with a record of where it came from', async () => {
    await scene.add('ears', 'mouth', 'bergamot-en-es');
    expect(scene.installed()).toEqual(['bergamot-en-es', 'ears', 'mouth']);
    expect(await readRecord(join(scene.root, 'ears'))).toEqual({
      name: 'ears',
      source: 'https://models.invalid/ears.tar.gz',
      licence: 'MIT',
      languages: ['en', 'es'],
      measured: { realTimeFactor: expect.any(Number), memoryBytes: expect.any(Number) },
      installedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(readdirSync(join(scene.root, '.downloads'))).toEqual([]);
    expect(scene.lines.join('\n')).toMatch(
      /ears is installed: recognition, follows \d+ speakers at once, \d+ MB of memory\./,
    );
    expect(scene.lines.join('\n')).toMatch(/mouth is installed: speech, speaks at .* of people/);
    expect(scene.lines.join('\n')).toMatch(
      /bergamot-en-es is installed: translation, \d+ words a second/,
    );
    expect(scene.shown).toMatch(/ears \[#{24}\] 100 % of/);
  });

  it('does nothing for what is there', async () => {
    await scene.add('ears');
    const before = scene.mirror.requests.length;
    await scene.add('ears');
    expect(scene.lines.at(-1)).toBe('ears is installed already.');
    expect(scene.mirror.requests).toHaveLength(before);
  });

  it('installs from an address, and from then on demands the same file there', async () => {
    const url = scene.mirror.serve('/other/voice-b.tar.gz', scene.archives.voice);
    scene.deps = { ...scene.deps, mirror: undefined };
    await scene.add(url);
    expect(scene.installed()).toEqual(['voice-b']);
    expect(scene.lines.join('\n')).toContain(
      `From now on it must have SHA-256 ${sha256(scene.archives.voice)}`,
    );
    await runModels(['remove', 'voice-b'], scene.deps);
    scene.mirror.serve('/other/voice-b.tar.gz', scene.archives.recogniser);
    await expect(scene.add(url)).rejects.toThrow('1 of 1 model was not installed');
    expect(scene.lines.at(-1)).toMatch(/has changed since it was first fetched.*\.checksums\.json/);
    expect(scene.installed()).toEqual([]);
  });

  it('installs from a folder and from an archive on this machine, without any network', async () => {
    await scene.mirror[Symbol.asyncDispose]();
    writeFileSync(join(scene.home, 'from-archive.tar.gz'), scene.archives.recogniser);
    await scene.add(
      join(scene.home, 'voice'),
      join(scene.home, 'from-archive.tar.gz'),
      join(scene.home, 'en-es'),
    );
    expect(scene.installed()).toEqual(['en-es', 'from-archive', 'voice']);
    expect(existsSync(join(scene.home, 'voice/model.onnx'))).toBe(true);
  });

  it('installs a Piper voice as it is published, from its folder, its files and their address', async () => {
    writePiperVoice(join(scene.home, 'one'), 'one');
    const file = (end: string): string => join(scene.home, `one/one.onnx${end}`);
    scene.mirror.serve('/x/two.onnx', readFileSync(file('')));
    scene.mirror.serve('/x/two.onnx.json', readFileSync(file('.json')));
    scene.deps = { ...scene.deps, mirror: undefined };
    await scene.add(join(scene.home, 'one'), `${scene.mirror.url}/x/two.onnx`);
    await runModels(['remove', 'one'], scene.deps);
    await scene.add(file(''), file('.json'));
    expect(scene.installed()).toEqual(['one', 'two']);
    const [voice] = (await findVoices(join(scene.root, 'two'))) ?? [];
    expect(voice?.voice).toMatchObject({
      name: 'Joe, American English',
      description: 'Joe, American English (Piper)',
      language: 'American English',
    });
  });

  it('installs a language model that is one file, with the package that it runs in', async () => {
    const file = writeTinyLanguageModel(scene.home, {}, 'small-talk.Q4.gguf');
    const url = scene.mirror.serve('/chat/other-talk.gguf', readFileSync(file));
    await scene.add(file);
    scene.deps = { ...scene.deps, mirror: undefined };
    await scene.add(url);
    expect(scene.installed()).toEqual(['other-talk', 'small-talk.Q4']);
    expect(readdirSync(join(scene.root, 'small-talk.Q4'))).toContain('small-talk.Q4.gguf');
    expect(await installedPackage(scene.root, scene.deps.llama)).toBeDefined();
    expect(scene.lines).toContain('other-talk is installed: chat.');
  });

  it('has a language model answer, unless there is too little memory for it now', async () => {
    const write = (name: string, metadata = {}): string =>
      writeTinyLanguageModel(scene.home, metadata, `${name}.gguf`);
    await expect(scene.add(write('broken'))).rejects.toThrow(/not installed/);
    expect(scene.lines.at(-1)).toMatch(/it did not work when it was tried.*no such architecture/);
    expect(scene.installed()).toEqual([]);
    await scene.add(write('huge', { 'llama.block_count': 4e9 }));
    expect(scene.lines.join('\n')).toMatch(/huge was not tried: it needs \d+ GB of memory/);
    await scene.add(write('vectors', { 'llama.pooling_type': 1 }));
    expect(scene.installed()).toEqual(['huge', 'vectors']);
  });

  it('leaves out weights that would not be used, and samples', async () => {
    const folder = join(scene.home, 'double');
    writeTinyRecogniser(folder);
    writeFileSync(join(folder, 'model.int8.onnx'), readFileSync(join(folder, 'model.onnx')));
    mkdirSync(join(folder, 'test_wavs'));
    writeFileSync(join(folder, 'test_wavs/0.wav'), 'x');
    await scene.add(folder);
    expect(readdirSync(join(scene.root, 'double')).toSorted()).toEqual([
      'dragoman-model.json',
      'model.int8.onnx',
      'tokens.txt',
    ]);
  });

  it.each<[string, () => string, RegExp]>([
    ['an unknown name', () => 'nose', /^nose: not installed\. nose is no model of the catalogue/],
    [
      'an address that is not there',
      () => `${scene.mirror.url}/gone.tar.gz`,
      /gone\.tar\.gz does not exist \(404\)/,
    ],
    [
      'a page in place of a model',
      () => {
        scene.mirror.serve('/page.tar.gz', Buffer.from('<html>log in</html>'));
        return `${scene.mirror.url}/page.tar.gz`;
      },
      /page\.tar\.gz cannot be unpacked: it is damaged/,
    ],
    [
      "a voice's file without its settings",
      () => {
        writePiperVoice(join(scene.home, 'half'), 'half');
        rmSync(join(scene.home, 'half/half.onnx.json'));
        return join(scene.home, 'half/half.onnx');
      },
      /half\.onnx\.json is missing/,
    ],
    [
      'a folder without a model',
      () => {
        mkdirSync(join(scene.home, 'empty'));
        return join(scene.home, 'empty');
      },
      /empty: there is no \.onnx file in it/,
    ],
    [
      'a file that is no model',
      () => {
        mkdirSync(join(scene.home, 'strange'));
        for (const file of ['strange.onnx', 'tokens.txt'])
          writeFileSync(join(scene.home, 'strange', file), 'x');
        return join(scene.home, 'strange');
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
        mkdirSync(join(scene.home, 'foreign'));
        writeFileSync(join(scene.home, 'foreign', String(file)), 'x');
        return join(scene.home, 'foreign');
      },
      words as RegExp,
    ]),
    [
      'a language model that is something else',
      () => {
        writeFileSync(join(scene.home, 'page.gguf'), '<html>');
        return join(scene.home, 'page.gguf');
      },
      /page: page\.gguf is no GGUF file/,
    ],
    [
      'several language models in one folder',
      () => {
        mkdirSync(join(scene.home, 'both'));
        for (const file of ['a.gguf', 'b.gguf'])
          writeFileSync(join(scene.home, 'both', file), 'GGUF');
        return join(scene.home, 'both');
      },
      /both: there are several models in it/,
    ],
    [
      'a name that a folder cannot have',
      () => {
        mkdirSync(join(scene.home, 'my model'));
        return join(scene.home, 'my model');
      },
      /"my model" cannot be a model's name/,
    ],
  ])('refuses %s in a sentence, and nothing stays', async (_, source, words) => {
    scene.deps = { ...scene.deps, mirror: undefined };
    await expect(scene.add(source())).rejects.toMatchObject({ name: 'AppError' });
    expect(scene.lines.at(-1)).toMatch(words);
    expect(scene.lines.at(-1)).not.toContain('.staging');
    expect(scene.installed()).toEqual([]);
  });

  /** Cuts a file of a model, or gives it the content of another. */
  const damage = (source: string, file: RegExp, content: (whole: Buffer) => Uint8Array): string => {
    const name = readdirSync(join(scene.home, source)).find((one) => file.test(one))!;
    const path = join(scene.home, source, name);
    writeFileSync(path, content(readFileSync(path)));
    return join(scene.home, source);
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
      () => damage('en-es', /vocab/, () => readFileSync(join(scene.home, 'en-es', modelFile()))),
    ],
  ])('refuses %s, which shows when it is tried', async (_, source) => {
    await expect(scene.add(source())).rejects.toMatchObject({ name: 'AppError' });
    expect(scene.lines.at(-1)).toMatch(
      /not installed\. [a-z-]+: it did not work when it was tried/,
    );
    expect(scene.lines.at(-1)).not.toContain('.staging');
    expect(scene.installed()).toEqual([]);
  });

  it('says why a model did not work in the words of its library', async () => {
    await expect(scene.add(damage('recogniser', /tokens/, withoutBlank))).rejects.toThrow();
    expect(scene.lines.at(-1)).toMatch(/when it was tried \(sherpa-onnx-node crashed: .*blank/);
  });
  const modelFile = (): string =>
    readdirSync(join(scene.home, 'en-es')).find((name) => name.startsWith('model'))!;

  it('refuses a damaged file and one of another kind, and installs the others', async () => {
    scene.mirror.serve('/mouth.tar.gz', Buffer.alloc(scene.archives.voice.length));
    scene.catalogue.push(
      model(
        'impostor',
        'translation',
        ['en', 'fr'],
        scene.serve('/impostor.tar.gz', scene.archives.recogniser),
      ),
    );
    scene.saveCatalogue();
    await expect(scene.add('mouth', 'impostor', 'ears')).rejects.toThrow(
      '2 of 3 models were not installed',
    );
    expect(scene.lines.join('\n')).toMatch(/mouth: not installed\. .*the checksum is wrong/);
    expect(scene.lines.join('\n')).toMatch(
      /impostor should serve translation, but its files are for recogn/,
    );
    expect(scene.installed()).toEqual(['ears']);
  });

  it('goes on where a killed command has ended, and clears up after it', async () => {
    scene.mirror.serve(
      '/ears.tar.gz',
      scene.archives.recogniser,
      { cutAfter: 900 },
      { status: 404 },
    );
    await expect(scene.add('ears')).rejects.toThrow();
    mkdirSync(join(scene.root, '.staging-old'));
    scene.mirror.serve('/ears.tar.gz', scene.archives.recogniser);
    await scene.add('ears');
    expect(scene.mirror.requests.at(-1)).toContain('bytes=');
    expect(scene.installed()).toEqual(['ears']);
  });

  it('takes the version that the project lists where a file of the registry’s is gone', async () => {
    const pinned = scene.catalogue.find(({ name }) => name === 'bergamot-en-es')!;
    const url = 'https://models.invalid/main/gone.zst';
    const newer = { ...pinned, files: [{ url, bytes: 9, sha256: 'a'.repeat(64) }], pinned };
    const deps = { ...scene.deps, note: scene.deps.print, onProgress: () => {} };
    expect(await install('bergamot-en-es', [newer], deps)).toMatchObject({ kind: 'installed' });
    expect(scene.lines.join()).toMatch(
      /gone\.zst does not exist.*that this program knows is taken/,
    );
  });

  it('waits for no other command that changes the folder, but says so', async () => {
    const done = Promise.withResolvers<undefined>();
    const other = changingModels(scene.root, () => done.promise);
    await eventually(() => expect(existsSync(scene.root)).toBe(true));
    await expect(scene.add('ears')).rejects.toThrow(/Another command, or the page, is changing/);
    done.resolve(undefined);
    await other;
    await scene.add('ears');
    expect(scene.installed()).toEqual(['ears']);
  });

  it('ends where the disk fills while it unpacks: it says how much is missing, and nothing of the model stays', async () => {
    {
      using _ = fillDisk(500);
      await expect(scene.add('mouth')).rejects.toThrow(/is full: \S+ MB more are needed/);
    }
    expect(scene.installed()).toEqual([]);
    const before = scene.mirror.requests.length;
    await scene.add('mouth');
    expect(scene.installed()).toEqual(['mouth']);
    expect(scene.mirror.requests.slice(before)).toEqual([expect.stringContaining('bytes=')]);
  });

  it('knows a model by its record where its folder was renamed, and removes it by its new name', async () => {
    await scene.add('ears');
    renameSync(join(scene.root, 'ears'), join(scene.root, 'my ears'));
    await scene.add('ears');
    expect(scene.lines.at(-1)).toBe('my ears is installed already.');
    scene.lines = [];
    await runModels(['list'], scene.deps);
    expect(scene.lines[1]).toMatch(/^ {2}my ears +recognition.* ready/);
    expect(scene.lines.join('\n')).not.toMatch(/^ {2}ears /m);
    await runSetup(['en', '--yes'], scene.deps);
    expect(scene.installed()).toEqual(['mouth', 'my ears']);
    await runModels(['remove', 'my ears'], scene.deps);
    expect(scene.installed()).toEqual(['mouth']);
  });

  it('says that the folder cannot be written to', async () => {
    writeFileSync(join(scene.home, 'file'), 'x');
    scene.deps = { ...scene.deps, root: join(scene.home, 'file/models') };
    await expect(scene.add('ears')).rejects.toThrow(/cannot be written to \(ENOTDIR\)/);
  });
});
