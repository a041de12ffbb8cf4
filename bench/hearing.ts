import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { WebSocket } from 'ws';
import { engineSection } from '../service/config.ts';
import { startService } from '../service/index.ts';
import { PATHS } from '../src/api/contract.ts';
import { bytesSource } from '../src/audio/bytes.ts';
import { decodeTo } from '../src/audio/codec/decode.ts';
import { toS16le } from '../src/audio/pcm.ts';
import { parseConfig } from '../src/config.ts';
import { createLog } from '../src/telemetry/log.ts';
import { compareWords, type WordErrors } from './hearing/words.ts';
import { fixed } from './measure.ts';

/**
 * Words that are wrong, missing and invented in every way to a transcript, with real models and speech:
 *
 *     node bench/hearing.ts MODELS SOUNDS [URL]
 *
 * MODELS is a folder as SERVICE_MODELS, SOUNDS one of recordings with a text of the same name beside each. URL
 * is a server with the OpenAI API: it is asked itself with whole files, and through the service.
 */

const KEY = 'svck:bench-0123456789abcdef';
const RATE_HZ = 16_000;
/** Audio that a session takes at once, and in a second from then on. */
const AT_ONCE_S = 110;
const PER_SECOND_S = 1.9;
const STEP_S = 0.1;

interface Sound {
  readonly name: string;
  readonly bytes: Buffer;
  readonly said: string;
}

/** What was heard, and in which language, where it is told. */
interface Heard {
  readonly text: string;
  readonly language?: string;
}

interface Target {
  readonly url: string;
  readonly key?: string | undefined;
}

type Way = (sound: Sound, target: Target) => Promise<Heard>;

const readSounds = async (folder: string): Promise<readonly Sound[]> => {
  const files = (await readdir(folder)).toSorted();
  const texts = files.filter((file) => extname(file) === '.txt');
  return Promise.all(
    texts.map(async (text) => {
      const name = text.slice(0, -'.txt'.length);
      const file = files.find((one) => one !== text && one.startsWith(`${name}.`)) ?? '';
      const bytes = await readFile(join(folder, file));
      return { name, bytes, said: await readFile(join(folder, text), 'utf8') };
    }),
  );
};

const headersOf = ({ key }: Target): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

const textOf = async (reply: Response): Promise<string> => {
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${reply.status}: ${text}`);
  return text;
};

const byContract =
  (vad: string): Way =>
  async ({ bytes }, target) => {
    const reply = await fetch(`${target.url}${PATHS.asr}`, {
      method: 'POST',
      headers: headersOf(target),
      body: JSON.stringify({ audio: bytes.toString('base64'), vad }),
    });
    const body = JSON.parse(await textOf(reply)) as {
      text?: string;
      language: string;
      segments?: readonly { text: string }[];
    };
    const text = body.text ?? body.segments?.map((segment) => segment.text).join(' ') ?? '';
    return { text, language: body.language };
  };

/** The words of subtitles, without numbers, times and the header. */
const wordsOfSubtitles = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^(?:WEBVTT|\d+$|.*-->)/.test(line))
    .join(' ');

const byOpenai =
  (format: string, path = '/openai/v1'): Way =>
  async ({ name, bytes }, target) => {
    const form = new FormData();
    form.set('file', new Blob([bytes]), name);
    form.set('model', 'whisper');
    form.set('response_format', format);
    const text = await textOf(
      await fetch(`${target.url}${path}/audio/transcriptions`, {
        method: 'POST',
        headers: headersOf(target),
        body: form,
      }),
    );
    if (format.endsWith('json')) return JSON.parse(text) as Heard;
    return { text: format === 'text' ? text : wordsOfSubtitles(text) };
  };

const pcmOf = async (bytes: Buffer): Promise<Buffer> => {
  const parts: Buffer[] = [];
  const { signal } = new AbortController();
  for await (const samples of decodeTo(bytesSource([bytes]), RATE_HZ, signal)) {
    parts.push(Buffer.from(toS16le(samples)));
  }
  return Buffer.concat(parts);
};

const realtime: Way = async ({ bytes }, target) => {
  const pcm = await pcmOf(bytes);
  const socket = new WebSocket(`${target.url.replace('http', 'ws')}${PATHS.realtimeRecognition}`, {
    headers: headersOf(target),
  });
  const finals: string[] = [];
  socket.on('message', (data: Buffer) => {
    const { type, text = '' } = JSON.parse(data.toString()) as { type: string; text?: string };
    if (type === 'asr.final_result') finals.push(text);
  });
  await once(socket, 'open');
  const send = (message: object): void => socket.send(JSON.stringify(message));
  const session = { input_audio_format: 'pcm_s16le', sample_rate: RATE_HZ, channels: 1 };
  send({ type: 'session.update', session: { ...session, language: 'auto' } });
  const step = 2 * STEP_S * RATE_HZ;
  for (let at = 0; at < pcm.length; at += step) {
    const audio = pcm.subarray(at, at + step).toString('base64');
    send({ type: 'input_audio.append', audio });
    const isOver = at > 2 * AT_ONCE_S * RATE_HZ;
    if (isOver) await new Promise((done) => setTimeout(done, (1_000 * STEP_S) / PER_SECOND_S));
  }
  send({ type: 'session.close' });
  await once(socket, 'close');
  return { text: finals.join(' ') };
};

const WAYS: Readonly<Record<string, Way>> = {
  off: byContract('off'),
  on: byContract('on'),
  segments: byContract('segments'),
  json: byOpenai('json'),
  text: byOpenai('text'),
  verbose: byOpenai('verbose_json'),
  srt: byOpenai('srt'),
  vtt: byOpenai('vtt'),
  realtime,
};

const cellOf = ({ words, wrong, deleted, invented, hole }: WordErrors): string =>
  `${fixed((100 * (wrong + deleted + invented)) / Math.max(1, words), 1)} % (−${deleted} +${invented}, hole ${hole})`;

const sumOf = (all: readonly WordErrors[]): WordErrors =>
  all.reduce((sum, one) => ({
    words: sum.words + one.words,
    wrong: sum.wrong + one.wrong,
    deleted: sum.deleted + one.deleted,
    invented: sum.invented + one.invented,
    hole: Math.max(sum.hole, one.hole),
  }));

/** Prints a table of the ways: a row each, a column for each sound, and one for all. */
const measure = async (
  title: string,
  sounds: readonly Sound[],
  ways: Readonly<Record<string, Way>>,
  target: Target,
): Promise<void> => {
  console.log(`\n### ${title}\n`);
  console.log(`| way | ${sounds.map(({ name }) => name).join(' | ')} | all | seconds |`);
  console.log(`|${'---|'.repeat(sounds.length + 3)}`);
  const texts = new Map<string, string[]>();
  for (const [name, way] of Object.entries(ways)) {
    const startMs = performance.now();
    const errors: WordErrors[] = [];
    for (const sound of sounds) {
      const { text } = await way(sound, target);
      texts.set(sound.name, [...(texts.get(sound.name) ?? []), `${name}: ${text.trim()}`]);
      errors.push(compareWords(sound.said, text));
    }
    const cells = [...errors, sumOf(errors)].map(cellOf);
    console.log(
      `| ${[name, ...cells, fixed((performance.now() - startMs) / 1_000, 0)].join(' | ')} |`,
    );
  }
  if (process.env['TEXTS'])
    for (const { name, said } of sounds)
      console.log(`\n${name}\nsaid: ${said.trim()}\n${texts.get(name)?.join('\n')}`);
};

const [models, folder, server] = process.argv.slice(2);
if (models === undefined || folder === undefined)
  console.log('Say a folder of models, and one of sounds with texts.');
else {
  const sounds = await readSounds(folder);
  const through = async (title: string, variables: Record<string, string>): Promise<void> => {
    const service = await startService({
      host: '127.0.0.1',
      port: 0,
      keys: [KEY],
      engines: parseConfig(variables, { engines: engineSection }).engines,
      log: createLog('warn'),
    });
    await measure(title, sounds, WAYS, { url: service.url, key: KEY });
    await service.close();
  };
  await through('The models', { SERVICE_MODELS: models });
  if (server !== undefined) {
    const whole = { 'whole files': byOpenai('json', '/v1') };
    await measure('The server itself', sounds, whole, { url: server });
    await through('The server, through the service', { SERVICE_OPENAI_URL: server });
  }
}
