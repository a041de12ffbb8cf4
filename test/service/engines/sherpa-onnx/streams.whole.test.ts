import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChild, type Child } from '../../../../src/process/child.ts';
import type { AppError } from '../../../../src/errors.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import type { StreamedText } from '../../../../service/engine.ts';
import { createChildren } from '../../../../service/engines/sherpa-onnx/children.ts';
import { createFollowing } from '../../../../service/engines/sherpa-onnx/following.ts';
import { findModel } from '../../../../service/engines/sherpa-onnx/model.ts';
import { createStreams } from '../../../../service/engines/sherpa-onnx/streams.ts';
import type {
  StreamReply,
  StreamRequest,
} from '../../../../service/engines/sherpa-onnx/stream-worker.ts';
import {
  STREAM_CHUNK_MS,
  streamSoundOf,
  writeTinyStream,
} from '../../../fakes/models/tiny-stream.ts';
import { eventually } from '../../../fakes/eventually.ts';

const WORKER = new URL('../../../../service/engines/sherpa-onnx/stream-worker.ts', import.meta.url);
const never = new AbortController().signal;
const PACKET = 1_600;

/** The processes of the worker that are children of this one. */
const workers = (): readonly number[] =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('stream-worker'))
    .map((line) => Number.parseInt(line, 10));

describe('streams of speech in a process', () => {
  let child: Child<StreamRequest, StreamReply>;
  let streams: ReturnType<typeof createStreams>;

  const begin = async (callTimeoutMs = 20_000): Promise<void> => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-stream-'));
    writeTinyStream(folder);
    const { config } = await findModel(folder);
    child = createChild({
      name: 'streams',
      file: WORKER,
      args: [JSON.stringify(config)],
      log: createLog('silent'),
      callTimeoutMs,
      firstCallTimeoutMs: 60_000,
      callsPerChild: Infinity,
      attempts: 1,
      idleMs: 60_000,
    });
    streams = createStreams(child);
  };
  beforeEach(() => begin());
  afterEach(() => child[Symbol.asyncDispose]());

  const open = () => {
    const heard: StreamedText[] = [];
    const failed: AppError[] = [];
    const stream = streams.open('en', {
      heard: (text) => void heard.push(text),
      failed: (error) => void failed.push(error),
    });
    return {
      ...stream,
      heard,
      failed,
      /** Feeds a sound in packets, each once the process has answered to the one before. */
      say: async (sound: Float32Array): Promise<void> => {
        for (let at = 0; at < sound.length; at += PACKET) {
          stream.feed(sound.subarray(at, at + PACKET));
          await child.call({ turns: [], closed: [] }, never).catch(() => undefined);
        }
      },
    };
  };

  it('brings each word within a chunk of its end, with its times, and the rest at the end', async () => {
    const { say, heard, finish } = open();
    const words = ['alpha', 'beta', 'gamma'];
    await say(streamSoundOf(words.join(' ')));
    const texts = heard.map(({ text }) => text);
    for (const [at, text] of texts.entries())
      expect(text.startsWith(texts[at - 1] ?? '')).toBe(true);
    expect(texts.at(-1)).toMatch(/^alpha beta g/);
    const last = await finish();
    expect(last).toMatchObject({ text: 'alpha beta gamma', language: 'en' });
    expect(last.words?.map(({ text }) => text)).toEqual(words);
    const starts = last.words?.map(({ startMs }) => startMs) ?? [];
    for (const [at, expected] of [0, 720, 1_320].entries())
      expect(Math.abs(starts[at]! - expected)).toBeLessThanOrEqual(160);
  });

  it('keeps eight streams apart', async () => {
    const words = ['alpha', 'beta', 'gamma', 'delta', 'omega', 'sigma', 'theta', 'kapa'];
    const all = words.map(() => open());
    await Promise.all(all.map(({ say }, at) => say(streamSoundOf(`${words[at]} end`))));
    const texts = await Promise.all(all.map(({ finish }) => finish()));
    expect(texts.map(({ text }) => text)).toEqual(words.map((word) => `${word} end`));
    expect(workers()).toHaveLength(1);
  });

  it('finds an end itself, and goes on behind it', async () => {
    const { say, heard, finish } = open();
    await say(streamSoundOf('alpha'));
    await say(new Float32Array(16_000 * 2.5));
    await say(streamSoundOf('beta'));
    const finals = heard.filter(({ isFinal }) => isFinal);
    expect(finals.map(({ text }) => text)).toEqual(['alpha']);
    expect(finals[0]!.endMs).toBeGreaterThan(600 + 1_200 - STREAM_CHUNK_MS);
    const last = await finish();
    expect(last.text).toBe('beta');
    expect(last.words?.[0]?.startMs).toBeGreaterThan(3_000);
  });

  it.each([
    ['is killed', 'SIGKILL'],
    ['hangs', 'SIGSTOP'],
  ] as const)('fails the streams of a process that %s, and has another at once', async (_, how) => {
    await child[Symbol.asyncDispose]();
    await begin(1_000);
    const all = [open(), open()];
    await Promise.all(all.map(({ say }) => say(streamSoundOf('alpha '))));
    const [pid] = workers();
    process.kill(pid!, how);
    all[0]!.feed(streamSoundOf('beta'));
    await eventually(() => {
      for (const { failed } of all) expect(failed).toMatchObject([{ code: 'unavailable' }]);
    });
    await expect(all[0]!.finish()).rejects.toMatchObject({ code: 'unavailable' });
    const next = open();
    next.feed(streamSoundOf('gamma'));
    expect((await next.finish()).text).toBe('gamma');
    expect(workers()).not.toContain(pid);
  });

  it('recognises a recording although its process is killed', async () => {
    const sound = new Float32Array(16_000 * 60);
    sound.set(streamSoundOf('alpha beta'));
    open().feed(streamSoundOf('a'));
    await eventually(() => expect(streams.isPaused || workers().length === 0).toBe(false));
    const whole = streams.recognise(sound, 'en', never);
    for (const pid of workers()) process.kill(pid, 'SIGKILL');
    expect((await whole).text).toBe('alpha beta');
  });

  it('recognises a recording as it recognises speech', async () => {
    const sound = new Float32Array(16_000 * 8);
    sound.set(streamSoundOf('alpha beta'));
    sound.set(streamSoundOf('gamma'), 16_000 * 5);
    const { text, words } = await streams.recognise(sound, 'en', never);
    expect(text).toBe('alpha beta gamma');
    expect(words?.at(-1)?.startMs).toBeGreaterThan(4_800);
    await expect(streams.recognise(sound, 'en', AbortSignal.abort())).rejects.toThrow();
  });

  it('measures how long sound takes, once there was enough of it', async () => {
    expect(streams.realTimeFactor).toBeUndefined();
    await streams.recognise(new Float32Array(16_000 * 12), 'en', never);
    expect(streams.realTimeFactor).toBeGreaterThan(0);
    expect(streams.realTimeFactor).toBeLessThan(1);
  });

  it('opens as many as the machine keeps up with of 200 that are asked for', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-stream-'));
    writeTinyStream(folder);
    const model = await findModel(folder);
    await using children = createChildren<StreamRequest, StreamReply>(
      'stream-worker',
      createLog('silent'),
    );
    const streaming = [{ model, languages: ['en'] }];
    const { stream } = createFollowing(children, () => 3).extend(
      { longestMs: 1, recognise: async () => ({ text: '' }) },
      streaming,
      [],
    );
    const listener = { heard: () => undefined, failed: () => undefined };
    const all = Array.from({ length: 200 }, () => stream?.open({}, listener));
    const opened = all.filter((one) => one !== undefined);
    expect(opened).toHaveLength(3);
    opened[0]!.feed(streamSoundOf('alpha'));
    expect(await opened[0]!.finish()).toMatchObject({ text: 'alpha', language: 'en' });
    opened[1]![Symbol.dispose]();
    expect(stream?.open({}, listener)).toBeDefined();
    expect(stream?.open({}, listener)).toBeDefined();
    expect(stream?.open({}, listener)).toBeUndefined();
  });
});
