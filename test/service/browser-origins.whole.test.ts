import { once } from 'node:events';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { PATHS } from '../../src/api/contract.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { failure, KEY, startTestService, type TestService } from './support.ts';

const LISTED = 'https://kiosk.example';
const OTHER = 'https://kiosk.example.org';
const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
};
const OWN_KEY = `openai-insecure-api-key.${Buffer.from(KEY).toString('base64url')}`;

const preflight = (service: TestService, path: string, origin: string): Promise<Response> =>
  service.request(path, { method: 'OPTIONS', key: null, headers: { ...PREFLIGHT, origin } });
const corsHeaders = ({ headers }: Response): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

/** Connects as a browser does, without headers of its own; the status of a refusal, or the protocol. */
const connect = async (
  service: TestService,
  protocols: readonly string[],
  origin: string | undefined,
  path: string = PATHS.realtimeSpeech,
): Promise<number | string> => {
  const address = `${service.service.url.replace('http', 'ws')}${path}`;
  const socket = new WebSocket(address, [...protocols], origin === undefined ? {} : { origin });
  socket.on('error', () => undefined);
  const refused = once(socket, 'unexpected-response').then(([, response]) => {
    response.resume();
    return response.statusCode as number;
  });
  const opened = once(socket, 'open').then(() => socket.protocol);
  const result = await Promise.any([refused, opened]);
  socket.terminate();
  return result;
};

describe('pages of listed origins', () => {
  let service: TestService;
  let logged = '';
  beforeAll(async () => {
    const sink = new Writable({
      write: (bytes: Buffer, _encoding, done) => {
        logged += bytes.toString();
        done();
      },
    });
    service = await startTestService({}, createLog('trace', sink), [LISTED, 'http://10.0.0.5:81']);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it.each([LISTED, 'http://10.0.0.5:81'])(
    'may ask without a key what %s may do',
    async (origin) => {
      const reply = await preflight(service, PATHS.translate, origin);
      expect(reply.status).toBe(204);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET,POST',
        'access-control-allow-headers': 'authorization,content-type,x-stainless-lang',
        'access-control-max-age': '600',
      });
      expect(reply.headers.has('access-control-allow-credentials')).toBe(false);
      expect(reply.headers.get('vary')).toMatch(/\bOrigin\b/);
    },
  );

  it('may read replies, errors, and their ids and waits', async () => {
    const headers = { origin: LISTED };
    const replies = [
      await service.request(PATHS.voices, { headers }),
      await service.request(PATHS.voices, { headers, key: null }),
      await service.request(PATHS.tts, { headers, method: 'POST', body: '{}' }),
      await service.request('/nowhere', { headers }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 401, 400, 404]);
    for (const reply of replies) {
      expect(reply.headers.get('access-control-allow-origin')).toBe(LISTED);
      expect(reply.headers.get('access-control-expose-headers')).toBe(
        'x-request-id,retry-after,ai-disclosure',
      );
      expect(reply.headers.has('access-control-allow-credentials')).toBe(false);
      expect(reply.headers.get('vary')).toMatch(/\bOrigin\b/);
    }
  });

  it.each([OTHER, 'http://kiosk.example', 'https://kiosk.example:444', 'null', '*'])(
    'does not take %s for one of them',
    async (origin) => {
      const asked = await preflight(service, PATHS.voices, origin);
      expect(asked.headers.has('access-control-allow-origin')).toBe(false);
      const reply = await service.request(PATHS.voices, { headers: { origin } });
      expect(reply.headers.has('access-control-allow-origin')).toBe(false);
      expect(reply.headers.get('vary')).toMatch(/\bOrigin\b/);
      expect(await connect(service, ['realtime', OWN_KEY], origin)).toBe(401);
    },
  );

  it('may give the key as a subprotocol, which is never the one that is chosen', async () => {
    expect(await connect(service, ['realtime', OWN_KEY], LISTED)).toBe('realtime');
    expect(await connect(service, [OWN_KEY, 'realtime', 'another'], LISTED)).toBe('realtime');
    expect(await connect(service, [OWN_KEY, 'another'], LISTED)).toBe('another');
  });

  it.each([
    ['unknown', `openai-insecure-api-key.${Buffer.from('svck:unknown').toString('base64url')}`],
    ['not encoded', `openai-insecure-api-key.${KEY.replace(':', '-')}`],
    ['empty', 'openai-insecure-api-key.'],
    ['without its prefix', Buffer.from(KEY).toString('base64url')],
  ])('get 401 for a key that is %s', async (_, protocol) => {
    expect(await connect(service, ['realtime', protocol], LISTED)).toBe(401);
  });

  it('get 401 without a key, and for one in the address', async () => {
    expect(await connect(service, ['realtime'], LISTED)).toBe(401);
    const path = `${PATHS.realtimeSpeech}?key=${KEY}`;
    expect(await connect(service, ['realtime'], LISTED, path)).toBe(401);
  });

  it('do not get their keys into the log', () => {
    expect(logged).toContain('"request"');
    expect(logged).not.toContain(OWN_KEY.split('.')[1]);
    expect(logged).not.toContain(KEY.slice(5));
  });

  it('leave other programs as they were', async () => {
    expect(await connect(service, ['realtime', OWN_KEY], undefined)).toBe(401);
    expect((await service.request(PATHS.voices)).status).toBe(200);
  });
});

describe('without listed origins', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('no page of another origin is let in', async () => {
    const reply = await preflight(service, PATHS.voices, LISTED);
    expect(await failure(reply)).toMatchObject({ status: 401, name: 'ErrAuthenticationFailed' });
    expect(corsHeaders(reply)).toEqual([]);
    expect(reply.headers.has('vary')).toBe(false);
    expect(await connect(service, ['realtime', OWN_KEY], LISTED)).toBe(401);
  });
});
