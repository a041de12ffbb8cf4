import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PATHS } from '../../../src/api/contract.ts';
import { countCodePoints } from '../../../src/text/unicode.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { OPENAI_PATHS } from '../../../service/routes/lists.ts';
import { eventually } from '../../fakes/eventually.ts';
import { startFakeOpenai } from '../../fakes/openai.ts';
import { answerLong, LONG_TEXT } from '../clients/support.ts';
import { failure, KEY, makeWav, startTestService, type TestService } from '../support.ts';
import { createKeys, startWithKeys, voiceOf } from './support.ts';
import { shared } from '../../fakes/opened.ts';

const HALF_A_SECOND = Buffer.alloc(24_000);
const WAV = makeWav(6, [[1, 4]]);
const TALK = { messages: [{ role: 'user', content: 'Why is the sky blue, and the sea too?' }] };

const openai = shared(() => startFakeOpenai({ speech: { pcm: HALF_A_SECOND }, chat: answerLong }));
const keys = shared(() => createKeys());
const service = shared(() => startWithKeys(keys, { SERVICE_OPENAI_URL: openai.url }));

/** Name of a key of its own for each test. */
let owner: string;
let owners = 0;
beforeEach(() => {
  owners += 1;
  owner = `key-${owners}`;
});

/** A request with a key, to the service of all tests or to another one. */
type Call = (key: string, to?: TestService) => Promise<Response>;

const post =
  (path: string, value: () => object | Promise<object>): Call =>
  async (key, to = service) =>
    to.request(path, { key, method: 'POST', body: JSON.stringify(await value()) });

const postForm =
  (path: string, fields: Readonly<Record<string, string | Blob>>): Call =>
  (key, to = service) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    return to.request(path, { key, method: 'POST', body });
  };

const speech = (fields: object = {}): Call =>
  post(PATHS.tts, async () => ({
    voice_id: await voiceOf(service, 'alloy'),
    text: 'One. Two three.',
    format: 'pcm',
    ...fields,
  }));
const recognition = (fields: object = {}): Call =>
  post(PATHS.asr, () => ({ audio: WAV.toString('base64'), ...fields }));
const FIELDS = { text: 'the 🦊 fox', source_lang: 'en', target_lang: 'es' };
const translation = (fields: object = {}): Call =>
  postForm(PATHS.translate, { ...FIELDS, ...fields });
const inPseudo = translation({ target_lang: 'en-XA' });
const chat = (fields: object = {}): Call => post(PATHS.chat, () => ({ ...TALK, ...fields }));
const spokenByOthers = post(OPENAI_PATHS.speech, () => ({
  input: 'One. Two three.',
  voice: 'alloy',
  response_format: 'pcm',
}));
const heardByOthers = postForm(OPENAI_PATHS.transcriptions, {
  file: new Blob([new Uint8Array(WAV)], { type: 'audio/wav' }),
});
const englishByOthers = postForm(OPENAI_PATHS.translations, {
  file: new Blob([new Uint8Array(WAV)], { type: 'audio/wav' }),
});
const voiceList: Call = (key, to = service) => to.request(PATHS.voices, { key });

/** Calls and drains the reply, so that it is over. */
const use = async (call: Call, key: string, to = service): Promise<number> => {
  const reply = await call(key, to);
  await reply.arrayBuffer();
  return reply.status;
};

const CALLS = {
  speech: [speech(), spokenByOthers],
  recognition: [recognition(), heardByOthers],
  translation: [translation()],
  chat: [chat()],
};

describe('a created key', () => {
  it('works at once in a running service, on every path', async () => {
    const key = keys.create(owner);
    for (const call of [...Object.values(CALLS).flat(), voiceList])
      expect(await use(call, key)).toBe(200);
  });

  it('is refused from its next request on once it is revoked', async () => {
    const key = keys.create(owner);
    expect(await use(voiceList, key)).toBe(200);
    keys.run('revoke', owner);
    expect(await failure(await voiceList(key))).toMatchObject({
      status: 401,
      code: 104,
      error: 'Authentication error: Invalid token',
    });
  });

  it.each(Object.keys(CALLS) as (keyof typeof CALLS)[])(
    'with access to %s alone gets a 403 for all else, and the list of voices',
    async (word) => {
      const key = keys.create(owner, '--access', word);
      for (const [purpose, calls] of Object.entries(CALLS))
        for (const call of calls)
          expect(await use(call, key), purpose).toBe(purpose === word ? 200 : 403);
      expect(await use(voiceList, key)).toBe(200);
    },
  );

  it('pays for no recognition where it may not have what was heard translated', async () => {
    const key = keys.create(owner, '--access', 'recognition');
    const before = openai.requests.length;
    expect(await use(englishByOthers, key)).toBe(403);
    expect(openai.requests).toHaveLength(before);
    keys.run('change', owner, '--access', 'recognition,translation');
    expect(await use(englishByOthers, key)).toBe(200);
  });

  it('gets the contract’s error object with its 403', async () => {
    const key = keys.create(owner, '--access', 'translation');
    expect(await failure(await recognition()(key))).toEqual({
      status: 403,
      context: ['auth'],
      code: 119,
      name: 'ErrAccessDenied',
      error: 'This key has no access to batch speech recognition.',
    });
  });

  it('speaks with the voices of the engines that it may use', async () => {
    const key = keys.create(owner, '--access', 'speech:espeak-ng');
    expect(await failure(await speech()(key))).toMatchObject({
      status: 403,
      error: 'This key has no access to the provider of this voice, openai.',
    });
    const own = { voice_id: await voiceOf(service, 'eSpeak NG'), format: 'wav' };
    expect(await use(speech(own), key)).toBe(200);
    const other = { input: 'Hello.', voice: 'nova', response_format: 'wav' };
    expect(
      await use(
        post(OPENAI_PATHS.speech, () => other),
        key,
      ),
    ).toBe(200);
    const byId = post(OPENAI_PATHS.speech, async () => ({
      input: 'Hello.',
      voice: await voiceOf(service, 'alloy'),
      response_format: 'pcm',
    }));
    expect(await use(byId, key)).toBe(403);
    keys.run('change', owner, '--access', 'speech');
    expect(await use(speech(), key)).toBe(200);
  });

  it('stands in the log with its name', async () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    await using own = await startWithKeys(keys, {}, log);
    const key = keys.create(owner);
    expect(await use(inPseudo, key, own)).toBe(200);
    await own[Symbol.asyncDispose]();
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ path: PATHS.translate, by: owner });
    expect(lines.join('')).not.toContain(key);
  });
});

describe('the credit of a key', () => {
  const COSTS: readonly (readonly [what: string, call: Call, nanoUsd: number])[] = [
    ['speech by its characters', speech(), 15 * 15_000],
    ['streamed speech', speech({ stream: true }), 15 * 15_000],
    ['speech for clients of the OpenAI API', spokenByOthers, 15 * 15_000],
    ['a whole recording by its length', recognition(), 6 * 100_000],
    ['the speech of a recording for clients of the OpenAI API', heardByOthers, 3.6 * 100_000],
    ['a translation by the characters of the text', translation(), 9 * 10_000],
    ['a streamed translation', translation({ stream: 'true' }), 9 * 10_000],
    ['a chat by the tokens that the back end counts', chat(), 18 * 2_000],
    [
      'a streamed chat that is counted',
      chat({ stream: true, stream_options: { include_usage: true } }),
      18 * 2_000,
    ],
    // 37 bytes of question and 12 of answer, 4 a token.
    ['a streamed chat that is not counted', chat({ stream: true }), 13 * 2_000],
    ['a list of voices with nothing', voiceList, 0],
    ['silence with nothing', recognition({ audio: makeWav(3).toString('base64') }), 0],
    ['a text that is too long with nothing', speech({ text: 'x'.repeat(5_001) }), 0],
    ['a language without an engine with nothing', translation({ source_lang: 'x' }), 0],
  ];
  const FAILING: readonly (readonly [what: string, path: string, call: Call])[] = [
    ['speech', '/audio/speech', speech()],
    ['streamed speech', '/audio/speech', speech({ stream: true })],
    ['recognition', '/audio/transcriptions', recognition()],
    ['translation', '/chat/completions', translation()],
    ['chat', '/chat/completions', chat()],
    ['chat that breaks off', '/chat/completions', chat({ stream: true })],
  ];
  const PARTLY = 'speech in a recording';
  const spent = new Map<string, number>();

  beforeAll(async () => {
    await using own = await startWithKeys(keys, { SERVICE_OPENAI_URL: openai.url });
    const spenders = new Map<string, string>();
    const create = (what: string): string => {
      spenders.set(what, `spender-${spenders.size}`);
      return keys.create(`spender-${spenders.size - 1}`);
    };
    await Promise.all(COSTS.map(async ([what, call]) => use(call, create(what), own)));
    await use(recognition({ vad: 'segments' }), create(PARTLY), own);
    for (const [what, path, call] of FAILING) {
      openai.fail(
        path,
        what.includes('breaks') ? { kind: 'cut' } : { kind: 'status', status: 503, body: '{}' },
      );
      const status = await use(call, create(`failed ${what}`), own).catch(() => 'broken off');
      expect(status, what).not.toBe(200);
    }
    await own[Symbol.asyncDispose]();
    for (const [what, spender] of spenders) spent.set(what, keys.spentBy(spender));
  });

  it.each(COSTS)('pays %s', (what, _, nanoUsd) => {
    expect(spent.get(what)).toBe(nanoUsd);
  });

  it('pays the speech that is heard in a recording, where that is looked for', () => {
    expect(spent.get(PARTLY)).toBeGreaterThan(3 * 100_000);
    expect(spent.get(PARTLY)).toBeLessThan(6 * 100_000);
  });

  it.each(FAILING)('pays nothing for %s that fails', (what) => {
    expect(spent.get(`failed ${what}`)).toBe(0);
  });

  it.each([
    // 37 bytes of question and 5 of answer, 4 a token.
    ['the tokens that have come of a streamed chat', chat({ stream: true }), 11 * 2_000, 'Hello'],
    [
      'the whole text of a streamed translation',
      translation({ text: LONG_TEXT, source_lang: 'es', target_lang: 'en', stream: 'true' }),
      countCodePoints(LONG_TEXT) * 10_000,
      'story',
    ],
  ])('pays %s when the client leaves in the middle', async (_, call, nanoUsd, first) => {
    const release = openai.hold();
    const reply = await call(keys.create(owner));
    const reader = reply.body!.getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes(first)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`no ${first}`);
      text += decoder.decode(value, { stream: true });
    }
    await reader.cancel();
    await expect.poll(() => keys.spentBy(owner)).toBe(nanoUsd);
    release();
  });

  it('pays a streamed chat with a very long event, which comes whole', async () => {
    const delta = { tool_calls: [{ function: { arguments: 'x'.repeat(1_000_000) } }] };
    const event = `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
    openai.fail('/chat/completions', { kind: 'events', body: event });
    const reply = await chat({ stream: true })(keys.create(owner));
    expect(await reply.text()).toBe(event);
    await expect.poll(() => keys.spentBy(owner)).toBeGreaterThan(250_000 * 2_000);
    expect(keys.spentBy(owner)).toBeLessThan(260_000 * 2_000);
  });

  it('that is used up refuses all but lists with a 429 without a time to wait, until there is more', async () => {
    const key = keys.create(owner, '--credit', '0.0001');
    expect(await use(speech(), key)).toBe(200);
    for (const call of Object.values(CALLS).flat()) {
      const reply = await call(key);
      expect(reply.headers.has('retry-after')).toBe(false);
      expect(await failure(reply)).toMatchObject({
        status: 429,
        name: 'ErrCreditUsedUp',
        error: 'The credit of this key is used up.',
      });
    }
    expect(await use(voiceList, key)).toBe(200);
    keys.run('change', owner, '--add-credit', '1');
    expect(await use(speech(), key)).toBe(200);
  });

  it.each([
    ['speech', '/audio/speech', speech()],
    ['recognition', '/audio/transcriptions', recognition()],
    ['translation', '/chat/completions', translation()],
    ['chat', '/chat/completions', chat()],
  ])(
    'is overdrawn by one request for %s at most, and has all of it back when its client leaves',
    async (_, path, call) => {
      const key = keys.create(owner, '--credit', '0.000001');
      const leaving = new AbortController();
      const request: TestService['request'] = (to, init) =>
        service.request(to, { ...init, signal: leaving.signal });
      openai.fail(path, { kind: 'silent' });
      const before = openai.requests.length;
      const first = call(key, { ...service, request });
      await eventually(() => expect(openai.requests.length).toBeGreaterThan(before));
      const refused = await call(key);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(await failure(refused)).toMatchObject({ status: 429, name: 'ErrRateLimited' });
      leaving.abort();
      await expect(first).rejects.toThrow('aborted');
      await eventually(async () => expect(await use(call, key)).toBe(200));
      expect(await failure(await call(key))).toMatchObject({ name: 'ErrCreditUsedUp' });
    },
  );

  it('is not asked of the operator’s own keys', async () => {
    keys.create(owner, '--credit', '0');
    for (const call of Object.values(CALLS).flat())
      expect(await use(call, 'svck:another-0123456789abcdef')).toBe(200);
  });

  it('is shared by several services', async () => {
    const key = keys.create(owner);
    await using other = await startWithKeys(keys, { SERVICE_OPENAI_URL: openai.url });
    await use(translation(), key);
    expect(await use(translation(), key, other)).toBe(200);
    await expect.poll(() => keys.spentBy(owner)).toBe(2 * 9 * 10_000);
  });
});

describe('the rate of a key', () => {
  const tooMany = async (reply: Response): Promise<number> => {
    const { status, name, error } = await failure(reply);
    expect([status, name]).toEqual([429, 'ErrRateLimited']);
    const [, seconds = ''] = /^Too many requests\. Retry after (\d+(?:\.\d\d?)?)s$/.exec(error)!;
    expect(reply.headers.get('retry-after')).toBe(String(Math.ceil(Number(seconds))));
    return Number(seconds);
  };

  it('refuses more with the time to wait, for this key alone', async () => {
    const key = keys.create(owner, '--rate', '1/h:2');
    expect(await use(voiceList, key)).toBe(200);
    expect(await use(translation(), key)).toBe(200);
    expect(await tooMany(await translation()(key))).toBeGreaterThan(3_000);
    expect(await use(voiceList, keys.create(`${owner}-other`))).toBe(200);
  });

  it('for speech recognition leaves the rest alone', async () => {
    const key = keys.create(owner, '--asr-rate', '1/h');
    expect(await use(recognition(), key)).toBe(200);
    await tooMany(await recognition()(key));
    await tooMany(await heardByOthers(key));
    expect(await use(translation(), key)).toBe(200);
  });

  it('that is changed counts at once', async () => {
    const key = keys.create(owner, '--rate', '1/h');
    expect(await use(voiceList, key)).toBe(200);
    await tooMany(await voiceList(key));
    keys.run('change', owner, '--rate', 'none');
    expect(await use(voiceList, key)).toBe(200);
  });

  it('is the service’s own for keys without one, the operator’s too', async () => {
    const rate = { most: 1, perSecond: 1 / 3_600 };
    await using own = await startTestService({}, createLog('silent'), [], { rates: { all: rate } });
    expect(await use(inPseudo, KEY, own)).toBe(200);
    await tooMany(await inPseudo(KEY, own));
  });

  it('of a back end is passed on when no other can answer', async () => {
    await using own = await startTestService({
      SERVICE_OPENAI_URL: openai.url,
      SERVICE_ENGINE_RATES: 'openai:chat=1/h',
    });
    expect((await own.postJson(PATHS.chat, TALK)).status).toBe(200);
    await tooMany(await own.postJson(PATHS.chat, TALK));
    expect((await own.translate(FIELDS)).status).toBe(200);
  });
});
