import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServiceClient, type ServiceClient } from '../../../src/api/client.ts';
import { AppError } from '../../../src/errors.ts';
import { ASKER } from '../../fakes/asker.ts';
import { VOICE } from '../../fakes/speech.ts';
import { createHastyClock } from '../../fakes/clock.ts';
import { startHostileService, type HostileService } from '../../fakes/hostile-service.ts';
import { CLIENT_CALLS, type ClientCall } from './endpoints.ts';
import {
  BLANKS,
  chunk,
  FAULTS,
  head,
  KEPT,
  kindOf,
  MEBIBYTE,
  opening,
  whole,
} from './hostile-faults.ts';

/** The most that the client reads of any reply, with what the system holds for it. */
const MOST_BYTES = 48 * MEBIBYTE;
const KEY = 'svck:a-key-that-only-the-service-sees';

let hostile: HostileService;
let client: ServiceClient;

beforeEach(async () => {
  hostile = await startHostileService();
  client = createServiceClient({
    baseUrl: hostile.url,
    key: KEY,
    retry: { random: () => 0, sleep: async () => {} },
    clock: createHastyClock(),
  });
});

afterEach(async () => {
  try {
    await client[Symbol.asyncDispose]();
    await hostile.closed();
  } finally {
    await hostile[Symbol.asyncDispose]();
  }
});

const run = async (call: ClientCall, deadlineMs = 60_000): Promise<unknown> =>
  call.call(client, { ...ASKER, signal: new AbortController().signal, deadlineMs });

/** Error of a call; asks again, for longer, where a busy machine let its deadline pass before the service was asked. */
const errorOf = async (call: ClientCall, deadlineMs?: number): Promise<unknown> => {
  for (let times = 1; ; times *= 2) {
    const longerMs = deadlineMs && deadlineMs * times;
    const error = await run(call, longerMs).catch((thrown: unknown) => thrown);
    if (hostile.requests > 0 || longerMs === undefined || times > 32) return error;
  }
};

describe.each(Object.entries(FAULTS))('a service that %s', (_, fault) => {
  const calls = Object.entries(CLIENT_CALLS).filter(
    ([, call]) => typeof fault.code === 'string' || fault.code[kindOf(call)] !== undefined,
  );
  it.each(calls)('is told as one error: %s', async (__, call) => {
    hostile.behave = fault.behave(call);
    hostile.isHasty = fault.isHasty ?? false;
    const thrown = await errorOf(call, fault.deadlineMs);
    expect(thrown).toBeInstanceOf(AppError);
    const code = typeof fault.code === 'string' ? fault.code : fault.code[kindOf(call)];
    expect((thrown as AppError).code, String(thrown)).toBe(code);
    if (!fault.isEndless) expect(hostile.sentBytes).toBeLessThan(MOST_BYTES);
    const { requests = 1 } = fault;
    const expected = typeof requests === 'number' ? requests : (requests[kindOf(call)] ?? 1);
    if (expected > 0) expect(hostile.requests).toBe(expected);
    else expect(hostile.requests).toBeGreaterThan(0);
  });
});

const called = Object.entries(CLIENT_CALLS);
const eventCalls = called.filter(([, call]) => kindOf(call) === 'events');
const jsonCalls = called.filter(([, call]) => kindOf(call) === 'json');
const event = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

describe('a service that can be understood', () => {
  it.each(called)('may send its reply byte by byte: %s', async (_, call) => {
    hostile.behave = async (wire) => wire.trickle(whole(call, call.good));
    expect(await run(call)).toEqual(call.result);
  });

  it.each(called)('may send its reply in chunks of a byte: %s', async (_, call) => {
    hostile.behave = (wire) => {
      wire.send(opening(call));
      for (const byte of Buffer.from(call.good)) wire.send(chunk(Buffer.of(byte)));
      wire.send('0\r\n\r\n');
    };
    expect(await run(call)).toEqual(call.result);
  });

  it.each(jsonCalls)('may send more than a mebibyte of segments alone: %s', async (name, call) => {
    hostile.behave = (wire) => wire.send(whole(call, call.good + ' '.repeat(MEBIBYTE)));
    if (name === 'transcribeSegments') expect(await run(call)).toEqual(call.result);
    else await expect(run(call)).rejects.toMatchObject({ code: 'bad-reply' });
  });

  it.each(called)('may end its reply with the connection: %s', async (_, call) => {
    hostile.behave = (wire) => {
      wire.send(`HTTP/1.0 200 OK\r\ncontent-type: ${call.mediaType}\r\n\r\n${call.good}`);
      wire.end();
    };
    expect(await run(call)).toEqual(call.result);
  });

  it.each(called)('may announce its reply a few times: %s', async (_, call) => {
    hostile.behave = (wire) => {
      wire.send('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(5));
      wire.send(whole(call, call.good));
    };
    expect(await run(call)).toEqual(call.result);
  });

  it.each(called)('is understood after a reply that was wrong: %s', async (_, call) => {
    const bad = head({ 'content-type': 'text/html', 'content-length': '2' });
    const answers = [`${bad}no`, whole(call, call.good)];
    hostile.behave = (wire) => wire.send(answers.shift() ?? '');
    await expect(run(call)).rejects.toMatchObject({ code: 'bad-reply' });
    expect(await run(call)).toEqual(call.result);
  });

  it.each(called)('cannot answer what it was not asked: %s', async (_, call) => {
    hostile.behave = (wire) => {
      const evil = whole(call, call.good.replaceAll(/[aeiouあ]/g, 'x'));
      wire.send(whole(call, call.good));
      if (hostile.requests === 1) wire.send(evil);
    };
    expect(await run(call)).toEqual(call.result);
    expect(await run(call)).toEqual(call.result);
  });
});

describe('a service that is elsewhere', () => {
  const STATUSES = ['301 Moved', '302 Found', '303 See', '307 Temporary', '308 Permanent'];
  it.each(STATUSES)('never gets the key by %s', async (status) => {
    await using other = await startHostileService();
    hostile.behave = (wire) =>
      wire.send(head({ location: `${other.url}/tts/voices`, 'content-length': '0' }, status));
    for (const [, call] of called)
      await expect(run(call)).rejects.toMatchObject({ code: 'config' });
    expect(other.requests).toBe(0);
    expect(hostile.requests).toBe(called.length);
  });
});

describe('a reply of another shape', () => {
  const VALUES = ['[]', '{}', 'null', '7', '"text"', 'true'];
  const WRONG = ['voices', 'text', 'choices', 'segments', 'data'].flatMap((name) =>
    [7, null, {}, [7], [null], [[]]].map((value) => JSON.stringify({ [name]: value })),
  );
  it.each(jsonCalls)('is a bad one: %s', async (name, call) => {
    const isList = name === 'voices' ? ['[]', '{"voices":[]}'] : ['{"data":[]}'];
    for (const body of [...VALUES, ...WRONG].filter((one) => !isList.includes(one))) {
      hostile.behave = (wire) => wire.send(whole(call, body));
      const thrown = await run(call).catch((error: unknown) => error);
      expect(thrown, body).toMatchObject({ code: 'bad-reply' });
    }
  });
});

describe('a stream without end', () => {
  const LINES = ['data: ', ': still there\n\n', 'data: {}\n\n', 'x', event('word '.repeat(100))];
  const cases = eventCalls.flatMap(([name, call]) => LINES.map((lines) => ({ name, call, lines })));
  it.each(cases)('of $lines is given up: $name', async ({ call, lines }) => {
    hostile.behave = async (wire) => {
      wire.send(opening(call));
      await wire.flood(chunk(lines.repeat(Math.ceil(KEPT / lines.length))));
    };
    await expect(run(call)).rejects.toMatchObject({ code: 'bad-reply' });
    expect(hostile.sentBytes).toBeLessThan(MOST_BYTES);
  });

  it.each(eventCalls)('of one event of 100 MB is given up soon: %s', async (_, call) => {
    hostile.behave = async (wire) => {
      wire.send(opening(call));
      wire.send(chunk('data: '));
      for (let sent = 0; sent < 100 * MEBIBYTE && !wire.isGone(); sent += KEPT)
        await wire.sent(chunk('x'.repeat(KEPT)));
    };
    await expect(run(call)).rejects.toMatchObject({ code: 'bad-reply' });
    expect(hostile.sentBytes).toBeLessThan(MOST_BYTES / 2);
  });

  it.each(eventCalls)('after its closing mark is not read: %s', async (_, call) => {
    hostile.behave = async (wire) => {
      wire.send(opening(call) + String(chunk(call.good)));
      await wire.flood(chunk(BLANKS));
    };
    expect(await run(call)).toEqual(call.result);
    await hostile.closed();
    expect(hostile.sentBytes).toBeLessThan(MOST_BYTES / 2);
  });
});

describe('audio without end', () => {
  it('is read only as far as somebody takes it', async () => {
    const call = CLIENT_CALLS['speak']!;
    hostile.behave = async (wire) => {
      wire.send(opening(call));
      await wire.flood(chunk(BLANKS));
    };
    const request = { voice_id: VOICE.id, text: 'hello', format: 'mp3' as const };
    const signal = new AbortController().signal;
    let takenBytes = 0;
    for await (const part of await client.speak(request, { ...ASKER, signal })) {
      takenBytes += part.length;
      if (takenBytes > MEBIBYTE) break;
    }
    await hostile.closed();
    expect(hostile.sentBytes).toBeLessThan(MOST_BYTES / 2);
  });
});

describe('a flood of refusals', () => {
  /** Its end comes before the next turn that the client gives itself. */
  const DEADLINE_MS = 400;
  it.each(called)('is asked ever less, and told as it is: %s', async (_, call) => {
    hostile.behave = (wire) =>
      wire.send(head({ 'retry-after': '0', 'content-length': '0' }, '429 No'));
    await expect(run(call, DEADLINE_MS)).rejects.toMatchObject({ code: 'rate-limited' });
    expect(hostile.requests).toBeLessThan(60);
  });
});
