import { expect } from 'vitest';
import { PATHS, type Voice } from '../../../src/api/contract.ts';
import type { AudioFormat } from '../../../src/model/message.ts';

/** A service, and a key that it knows. */
export interface Target {
  readonly url: string;
  readonly key: string;
}

export type Path = (typeof PATHS)[keyof typeof PATHS];

/** What befalls the next request to a path, or whose key sends it. */
export type Situation =
  | 'key without a provider of speech'
  | 'key without batch recognition'
  | 'key over its limit'
  | 'key that was revoked'
  | 'key whose free credit is spent'
  | 'busy back end'
  | 'nothing registered'
  | 'internal failure'
  | 'unreachable back end'
  | 'refusing back end';

/** The answer of the back end in the situation `refusing back end`. */
export const REFUSAL = { status: 418, body: '{"detail": "The audio is too short.","code":7}' };

/** A service of the contract that is looked at from outside. */
export interface ServiceSubject extends Target {
  /** Resolves with what to ask to meet the situation once. */
  when(situation: Situation, path: Path): Promise<Target>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Without parameters. */
  readonly mediaType: string;
  readonly body: Buffer;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

const parseJson = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

/** Sends a request with the key, unless `init` has a header of its own, and reads the whole reply. */
export const ask = async (
  { url, key }: Target,
  path: string,
  {
    headers = {},
    ...init
  }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Answer> => {
  const reply = await fetch(`${url}${path}`, {
    redirect: 'manual',
    ...init,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  const body = Buffer.from(await reply.arrayBuffer());
  const text = body.toString('utf8');
  return {
    status: reply.status,
    headers: reply.headers,
    mediaType: reply.headers.get('content-type')?.split(';')[0] ?? '',
    body,
    text,
    json: parseJson(text),
  };
};

export const postJson = async (
  target: Target,
  path: string,
  value: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  ask(target, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  });

type Fields = Readonly<Record<string, unknown>>;

/** Fields without those that are undefined. */
const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const TRANSLATION = { text: 'hello there, Dragoman', source_lang: 'en', target_lang: 'es' };

/** Sends a translation with these fields in place of good ones; undefined leaves one out. */
export const translate = async (target: Target, fields: Fields = {}): Promise<Answer> => {
  const body = new FormData();
  for (const [name, value] of Object.entries(given({ ...TRANSLATION, ...fields })))
    for (const one of [value].flat()) body.append(name, String(one));
  return ask(target, PATHS.translate, { method: 'POST', body });
};

export const translatedText = ({ json }: Answer): string =>
  (json['choices'] as { message: { content: string } }[])[0]?.message.content ?? '';

/** Chunks of a streamed translation, and every line of it. */
export const streamed = async (
  target: Target,
): Promise<{ readonly lines: string[]; readonly chunks: Record<string, unknown>[] }> => {
  const answer = await translate(target, { stream: 'true' });
  expect(answer).toMatchObject({ status: 200, mediaType: 'text/event-stream' });
  const lines = answer.text.split('\n').filter((line) => line !== '');
  return { lines, chunks: lines.slice(0, -1).map((line) => parseJson(line.slice(6))) };
};

export const deltaOf = (chunk: Record<string, unknown>): unknown =>
  (chunk['choices'] as { delta: { content: unknown } }[])[0]?.delta.content;

export const voicesOf = async (target: Target): Promise<Voice[]> => {
  const { status, json } = await ask(target, PATHS.voices);
  expect(status).toBe(200);
  const voices = json['voices'] as Voice[];
  expect(voices.length).toBeGreaterThan(0);
  return voices;
};

/** The first voice that fits. */
export const voiceThat = async (
  target: Target,
  fits: (voice: Voice) => boolean,
): Promise<Voice> => {
  const found = (await voicesOf(target)).find(fits);
  if (!found) throw new Error('no voice of the service fits');
  return found;
};

/** Sends a speech request with these fields in place of good ones. */
export const speak = async (target: Target, fields: Fields = {}): Promise<Answer> => {
  const { id } =
    'voice_id' in fields ? { id: '' } : await voiceThat(target, (voice) => voice.streaming);
  const good = { voice_id: id, text: 'Hello.', format: 'mp3' satisfies AudioFormat };
  return postJson(target, PATHS.tts, given({ ...good, ...fields }));
};

/** The strict shape of section 2.6. */
export const expectError = ({ json, ...answer }: Answer, status: number): void => {
  expect(answer).toMatchObject({ status, mediaType: 'application/json' });
  expect(json).toEqual({
    context: expect.any(Array) as string[],
    code: expect.any(Number) as number,
    name: expect.stringMatching(/./) as string,
    error: expect.stringMatching(/./) as string,
  });
};

/** Sends each of the wrong values and expects a 400 with the error object for it. */
export const expectRefused = async (
  values: readonly unknown[],
  send: (value: unknown) => Promise<Answer>,
): Promise<void> => {
  for (const value of values) expectError(await send(value), 400);
};

/** Sends each of the values and expects success. */
export const expectTaken = async (
  values: readonly unknown[],
  send: (value: unknown) => Promise<Answer>,
): Promise<void> => {
  for (const value of values) {
    const { status, text } = await send(value);
    expect(status === 200 ? '' : text, `the answer to ${JSON.stringify(value)}`).toBe('');
  }
};
