import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../service/engines/apertium.ts';
import { findMode, parseMode, readModes } from '../../../service/engines/apertium/modes.ts';
import { findPackage } from '../../../service/engines/apertium/packages.ts';
import { createPool } from '../../../service/engines/apertium/pool.ts';
import { END_OF_TEXT, fromStream, toStream } from '../../../service/engines/apertium/stream.ts';
import type { Engine } from '../../../service/engine.ts';
import { findRanges, type WordRun } from '../../../service/translation/markup.ts';
import { translateKeeping } from '../../../service/translation/pieces.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { testContract } from '../../contracts/contract.ts';
import { translationEngineContract } from '../../contracts/translation-engine.ts';
import { installFakeApertium, type FakeApertium } from '../../fakes/apertium.ts';
import { engineConfig } from '../support.ts';

const signal = new AbortController().signal;

describe('a mode file', () => {
  it('becomes programs and arguments, kept alive and without marks', () => {
    const text = `lt-proc '/usr/a b.bin' | apertium-tagger -g $2 "/x.prob" |lt-proc $1 /c.bin\n`;
    expect(parseMode(text)).toEqual([
      ['lt-proc', '-z', '/usr/a b.bin'],
      ['apertium-wblank-attach', '-z'],
      ['apertium-tagger', '-z', '-g', '/x.prob'],
      ['apertium-wblank-detach', '-z'],
      ['lt-proc', '-z', '-n', '/c.bin'],
    ]);
  });

  it.each([
    ['a second command', 'lt-proc a; rm b'],
    ['a substitution', 'lt-proc $(id)'],
    ['backquotes', 'lt-proc `id`'],
    ['a redirection', 'lt-proc a > b'],
    ['a variable', 'lt-proc $HOME'],
    ['a variable in quotes', 'lt-proc "$HOME"'],
    ['an assignment before it', 'A=b lt-proc a'],
    ['a program that cannot flush', 'cat a'],
    ['an open quote', "lt-proc 'a"],
    ['an empty stage', 'lt-proc a || lt-proc b'],
    ['nothing', ''],
  ])('with %s is passed over', (_, text) => {
    expect(parseMode(text)).toBeUndefined();
  });

  it('never throws, whatever it holds', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseMode(text)));
  });
});

describe('the stream format', () => {
  const parts = [...'[]{}^$/\\@<>\0 \nabé'.split(''), '😀', '\ud800', '[h1]', '[[t:w:1]]', '[[/]]'];
  const text = fc.array(fc.constantFrom(...parts)).map((chosen) => chosen.join(''));
  const run = fc.oneof(
    fc.record({ text, parts: fc.constant([]) }),
    fc.record({
      text: fc.constantFrom('a', 'a.b'),
      word: fc.nat(9),
      parts: fc.uniqueArray(fc.nat(3)),
    }),
    fc.record({ text: fc.constant(''), hole: fc.nat(9), parts: fc.constant([]) }),
  );

  it('brings any runs back', () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 9 }), (runs: readonly WordRun[]) => {
        const expected = runs.map((one) => ({
          ...one,
          text: one.text.toWellFormed().replaceAll('\0', ''),
        }));
        expect(findRanges(fromStream(toStream(runs) + END_OF_TEXT))).toEqual(findRanges(expected));
      }),
    );
  });

  it('binds blanks to words, makes holes superblanks and escapes what means something', () => {
    const runs = [
      { text: 'a ', parts: [] },
      { text: '', hole: 12, parts: [] },
      { text: 'b, c.', word: 3, parts: [0] },
      { text: ' [b] \0^c$', parts: [] },
    ];
    expect(toStream(runs)).toBe(
      'a [h12][[t:p:0; t:w:3]]b[[/]], [[t:p:0; t:w:3]]c[[/]]. \\[b\\] \\^c\\$',
    );
  });
});

describe('the Debian packages', () => {
  it.each([
    ['en', 'es', 'apertium-eng-spa'],
    ['es', 'en', 'apertium-eng-spa'],
    ['es', 'ca', 'apertium-spa-cat'],
    ['ca', 'fr', 'apertium-fra-cat'],
    ['en-US', 'gl', 'apertium-en-gl'],
    ['no', 'da', 'apertium-dan-nor'],
    ['id', 'ms', 'apertium-ind-zlm'],
    ['hr', 'en', 'apertium-hbs-eng'],
    ['eu', 'en', 'apertium-eu-en'],
    ['en', 'eu', undefined],
    ['en', 'ja', undefined],
    ['en', 'en', undefined],
  ])('for %s to %s: %s', (from, to, name) => {
    expect(findPackage(from, to)).toBe(name);
  });
});

describe('apertium', () => {
  let fake: FakeApertium;
  let engine: Engine;
  beforeAll(() => {
    fake = installFakeApertium();
    engine = createEngine({
      config: engineConfig({ SERVICE_APERTIUM_MODES: fake.modes }),
      log: createLog('silent'),
    });
  });
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    fake[Symbol.dispose]();
  });

  testContract(
    'keeps the contract of translation engines:',
    translationEngineContract,
    async () => ({
      port: (await engine.abilities()).translation!,
      from: 'en',
      to: 'es',
    }),
  );

  const pieces = async (text: string, keywords: readonly string[] = []): Promise<string[]> => {
    const request = { text, from: 'en-GB', to: 'es', tokens: new Map(), keywords, context: '' };
    const { translation } = await engine.abilities();
    const all: string[] = [];
    for await (const piece of translateKeeping(translation!, request, new AbortController().signal))
      all.push(piece.text);
    return all;
  };
  const translate = async (text: string): Promise<string> => (await pieces(text)).join('');
  const runs = (text: string): readonly WordRun[] => [{ text, parts: [] }];

  it('offers only the modes that it can keep alive', async () => {
    expect(await engine.report()).toMatchObject({ ready: true, detail: 'eng-spa' });
  });

  it('keeps white space and the characters of the stream format', async () => {
    expect(await translate('  hello\n\n\tthe \0fox [^$/\\@<>{}] ')).toBe(
      '  hola\n\n\tel zorro [^$/\\@<>{}] ',
    );
  });

  it('cuts at line ends, and takes blank lines with the next', async () => {
    expect(await pieces('\n hello\r\n\n \n  fox\n\n')).toEqual([
      '\n hola\r\n',
      '\n \n  zorro\n',
      '\n',
    ]);
  });

  it('takes as long for spaces as for letters', async () => {
    const blanks = ' '.repeat(200_000);
    expect(await translate(`hello${blanks}`)).toBe(`hola${blanks}`);
  });

  it('keeps the keywords of a request', async () => {
    expect((await pieces('the fox ⟦1⟧ hello', ['fox'])).join('')).toBe('el fox ⟦1⟧ hola');
  });

  it('translates many at once, each its own', async () => {
    const texts = Array.from({ length: 3 }, (_, i) => `hello ${i}`);
    expect(await Promise.all(texts.map(translate))).toEqual(texts.map((_, i) => `hola ${i}`));
  });

  it('goes on after a text that kills a program', async () => {
    await expect(translate('poison')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await translate('hello')).toBe('hola');
  });

  it('gives a text up that takes too long, and goes on', async () => {
    const modes = await readModes(fake.modes);
    const mode = findMode(modes, 'en', 'es')!;
    const pool = createPool({ maxPipelines: 1, callTimeoutMs: 50, idleMs: 10_000 });
    await expect(pool.translate(mode, runs('tarpit'), signal)).rejects.toMatchObject({
      code: 'timeout',
    });
    pool.end();
    await expect(pool.translate(mode, runs('hello'), signal)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('gives a text up whose asker has left, and goes on', async () => {
    const mode = findMode(await readModes(fake.modes), 'en', 'es')!;
    const pool = createPool({ maxPipelines: 1, callTimeoutMs: 60_000, idleMs: 10_000 });
    const leaving = new AbortController();
    const stuck = pool.translate(mode, runs('tarpit'), leaving.signal);
    leaving.abort();
    await expect(stuck).rejects.toMatchObject({ code: 'cancelled' });
    expect(await pool.translate(mode, runs('hello'), signal)).toEqual(runs('hola'));
    pool.end();
  });

  it('gives a text up whose translation does not end', async () => {
    const mode = findMode(await readModes(fake.modes), 'en', 'es')!;
    const pool = createPool({ maxPipelines: 1, callTimeoutMs: 10_000, idleMs: 10_000 });
    await expect(pool.translate(mode, runs('flood'), signal)).rejects.toMatchObject({
      code: 'bad-reply',
    });
    pool.end();
  });

  it('refuses a text where the system has no file left for a program, and works on', async () => {
    const pool = new URL('../../../service/engines/apertium/pool.ts', import.meta.url).href;
    const program = `
      import { ChildProcess } from 'node:child_process';
      import { openSync } from 'node:fs';
      import { createPool } from ${JSON.stringify(pool)};
      const signalled = [];
      ChildProcess.prototype.kill = function () { signalled.push(this.pid); };
      const pool = createPool({ maxPipelines: 1, callTimeoutMs: 10_000, idleMs: 10_000 });
      try { for (;;) openSync('/dev/null'); } catch {}
      const mode = { stages: [['cat'], ['cat']] };
      const { code } = await pool.translate(mode, [], AbortSignal.any([])).catch((error) => error);
      await new Promise(setImmediate);
      process.exitCode = code === 'unavailable' && !signalled.includes(undefined) ? 0 : 2;`;
    const command = 'ulimit -n 100 && exec "$0" --input-type=module --eval "$1"';
    await promisify(execFile)('sh', ['-c', command, process.execPath, program]);
  });

  it('says how to add it where it is not installed', async () => {
    await using missing = createEngine({ config: engineConfig(), log: createLog('silent') });
    expect(await missing.abilities()).toEqual({});
    expect(await missing.report()).toMatchObject({
      ready: false,
      detail: expect.stringContaining('apt-get install -y apertium-eng-spa'),
    });
  });
});
