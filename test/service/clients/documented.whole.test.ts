import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { encode } from '../../../src/audio/codec/encode.ts';
import { KEY } from '../support.ts';
import { loudness, useServedFile } from './support.ts';

const DOCUMENT = readFileSync('docs/service.md', 'utf8');
const DOCUMENTED_URL = 'http://127.0.0.1:8090';

/** The code blocks of the document in this language. */
const blocksOf = (language: string): readonly string[] =>
  [...DOCUMENT.matchAll(/^```(\w+)\n(.*?)^```/gms)]
    .filter(([, found]) => found === language)
    .map(([, , code = '']) => code);

/** The commands that use curl, without the lines that set the key and the address. */
const COMMANDS = blocksOf('sh')
  .flatMap((block) => block.split('\n\n'))
  .map((command) => command.replaceAll(/^(?:KEY|URL)=.*\n?/gm, '').trim())
  .filter((command) => command.includes('curl '));

/** The programs in JavaScript, which import the package of their client. */
const PROGRAMS = blocksOf('js').filter((code) => code.startsWith('import '));

/** Shows that what a command printed, or wrote into its folder, is what it is documented for. */
type Check = (printed: string, folder: string) => void | Promise<void>;

const spokenFile: Check = async (_, folder) => {
  const path = join(folder, 'hello.mp3');
  const { seconds, peak } = await loudness(await readFile(path));
  await rm(path);
  expect(seconds).toBeGreaterThan(0.3);
  expect(peak).toBeGreaterThan(0.1);
};
const subtitles = /1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\nhello there\n/;

/** What each command is for, by a part of it. */
const COMMAND_CHECKS: Readonly<Record<string, Check>> = {
  '/tts/voices': (printed) => {
    expect((JSON.parse(printed) as { voices: object[] }).voices.length).toBeGreaterThan(1);
  },
  'hello.mp3 $URL/tts ': spokenFile,
  '/translate/': (printed) => {
    expect(printed).toMatch(/^data: .*"transcription":"The quick brown fox"/);
    expect(printed).toMatch(/"content":"Hello, world"[^]*data: \[DONE\]\s*$/);
  },
  '/translate -d ': (printed) => {
    expect(JSON.parse(printed)).toEqual({
      translatedText: 'Hello, world',
      detectedLanguage: { language: 'en', confidence: expect.any(Number) as number },
    });
  },
  '/translate_file': async (printed) => {
    const { translatedFileUrl } = JSON.parse(printed) as { translatedFileUrl: string };
    expect(await (await fetch(translatedFileUrl)).text()).toMatch(/-->.*\nHello, world\n$/);
  },
  '/asr/srt/audio_llm': (printed) => {
    const { segments } = JSON.parse(printed) as { segments: object[] };
    expect(segments).toMatchObject([{ text: 'hello there' }]);
  },
  '/openai/v1/chat/completions': (printed) => {
    expect(printed).toMatch(/^data: .*"content":"Hello"[^]*data: \[DONE\]\s*$/);
  },
  '/openai/v1/audio/transcriptions': (printed) => {
    expect(printed).toMatch(subtitles);
  },
};

const PROGRAM_CHECKS: Readonly<Record<string, Check>> = {
  "from 'openai'": async (printed, folder) => {
    expect(printed).toMatch(/^Hello, world1\n/);
    expect(printed).toMatch(subtitles);
    await spokenFile(printed, folder);
  },
  "from 'ai'": (printed) => {
    expect(printed).toBe('Hello, world');
  },
};

const pairs = (
  codes: readonly string[],
  checks: Readonly<Record<string, Check>>,
): [name: string, code: string, check: Check][] =>
  Object.entries(checks).map(([part, check]) => {
    const found = codes.filter((code) => code.includes(part));
    if (found.length !== 1) throw new Error(`${found.length} of the documented have ${part}`);
    return [part.trim(), found[0]!, check];
  });

const talkOgg = async (): Promise<Buffer> => {
  const rateHz = 24_000;
  const samples = Float32Array.from({ length: 3 * rateHz }, (_, at) =>
    at > rateHz && at < 2 * rateHz ? Math.sin(at * 0.1) / 2 : 0,
  );
  const parts: Uint8Array[] = [];
  const sound = (async function* () {
    yield samples;
  })();
  for await (const part of encode('ogg', rateHz, sound)) parts.push(part);
  return Buffer.concat(parts);
};

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe('the page about the service', () => {
  const served = useServedFile();
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'documented-'));
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'talk.ogg'), await talkOgg());
    await writeFile(join(folder, 'talk.srt'), '1\n00:00:01,000 --> 00:00:02,000\nHola, mundo\n');
  });

  /** Runs a program in the folder; fails with what it complained about. */
  const run = async (program: string, ...args: readonly string[]): Promise<string> => {
    const { url } = served().service.service;
    const child = spawn(program, args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], KEY, URL: url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    let complaints = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    const [code] = await once(child, 'close');
    expect(code, complaints).toBe(0);
    return printed;
  };

  it('has no command or program that is not run here', () => {
    expect(COMMANDS).toHaveLength(Object.keys(COMMAND_CHECKS).length);
    expect(PROGRAMS).toHaveLength(Object.keys(PROGRAM_CHECKS).length);
  });

  describe.skipIf(!hasCurl)('has commands for curl (skipped where curl is not installed)', () => {
    it.each(pairs(COMMANDS, COMMAND_CHECKS))('that work: %s', async (_, command, check) => {
      await check(await run('sh', '-e', '-c', command), folder);
    });
  });

  it.each(pairs(PROGRAMS, PROGRAM_CHECKS))(
    'has a program that works: %s',
    async (_, code, check) => {
      const { url } = served().service.service;
      expect(code).toContain(DOCUMENTED_URL);
      const program = code.replaceAll(DOCUMENTED_URL, url);
      const args = ['--input-type=module', '--eval', program];
      await check(await run(process.execPath, ...args), folder);
    },
  );
});
