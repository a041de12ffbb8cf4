import { describe, expect, test } from 'vitest';
import type { LocalModels, ModelPlan, ModelsView } from '../../../src/model/local-models.ts';
import { AppError } from '../../../src/errors.ts';
import { ask, startWeb } from './start-web.ts';

const TOKEN = 'a long enough secret';
const PATHS = ['/api/models', '/api/models/plan', '/api/models/install', '/api/models/stop'];

const VIEW: ModelsView = {
  freeBytes: 10e9,
  installed: [
    { name: 'ears', ability: 'recognition', languages: ['en'], licence: 'MIT', bytes: 7 },
  ],
};

const PLAN: ModelPlan = {
  machine: { cores: 2, memoryBytes: 4e9, freeBytes: 10e9 },
  models: [],
  downloadBytes: 0,
  lackingBytes: 0,
  gaps: [{ need: 'speech', language: 'th' }],
  notes: ['The registry cannot be read.'],
};

const fakeModels = () => {
  const done: unknown[] = [];
  const models: LocalModels = {
    view: async () => VIEW,
    plan: async (languages, size) => {
      done.push(['plan', languages, size]);
      return PLAN;
    },
    install: async (names, size) => {
      if (names.includes('../x')) throw new AppError('bad-input', 'no such model');
      done.push(['install', names, size]);
    },
    stop: () => void done.push('stop'),
    remove: async (name) => void done.push(['remove', name]),
  };
  return { done, models: async () => models };
};

describe('models on the page', () => {
  test('are chosen, installed, stopped and removed by whoever sits at this machine', async () => {
    const { done, models } = fakeModels();
    const { visit } = await startWeb({ models });
    const visitor = visit();
    expect(await (await visitor.request('/api/models')).json()).toEqual(VIEW);
    const plan = await visitor.post('/api/models/plan', { languages: ['th'], size: 'small' });
    expect(await plan.json()).toEqual(PLAN);
    const install = { names: ['ears'], size: 'small' };
    expect((await visitor.post('/api/models/install', install)).status).toBe(202);
    await visitor.post('/api/models/stop', {});
    await visitor.post('/api/models/remove', { name: 'ears' });
    expect(done).toEqual([
      ['plan', ['th'], 'small'],
      ['install', ['ears'], 'small'],
      'stop',
      ['remove', 'ears'],
    ]);
    expect(await (await visitor.request('/')).text()).toContain('"canInstall":true');
  });

  test('are refused in a sentence where a name is of no model', async () => {
    const { visit } = await startWeb({ models: fakeModels().models });
    const reply = await visit().post('/api/models/install', { names: ['../x'], size: 'fitting' });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toEqual({ error: expect.any(String) });
  });

  test.each(['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via', 'x-real-ip'])(
    'are nobody’s who comes by a proxy to a page without a token (%s)',
    async (header) => {
      const { done, models } = fakeModels();
      const { url } = await startWeb({ models });
      for (const path of PATHS)
        expect(
          (await ask(new URL(path, url).href, { [header]: '203.0.113.7' })).statusCode,
          path,
        ).toBe(403);
      expect(done).toEqual([]);
    },
  );

  test('are nobody’s whose browser shows another address: a proxy that adds no header', async () => {
    const { done, models } = fakeModels();
    const { url, visit } = await startWeb({ models });
    const install = (origin: string): Promise<Response> =>
      visit().post(
        '/api/models/install',
        { names: ['ears'], size: 'small' },
        { origin, 'sec-fetch-site': 'same-origin' },
      );
    expect((await install('https://dragoman.example')).status).toBe(403);
    expect(done).toEqual([]);
    expect((await install(new URL(url).origin)).status).toBe(202);
  });

  test('are the operator’s who holds the token, by a proxy too', async () => {
    const { models } = fakeModels();
    const { url } = await startWeb({ token: TOKEN, models });
    expect((await ask(new URL('/api/models', url).href, {})).statusCode).toBe(401);
    const authorization = `Bearer ${TOKEN}`;
    const headers = { authorization, 'x-forwarded-for': '203.0.113.7' };
    expect((await ask(new URL('/api/models', url).href, headers)).statusCode).toBe(200);
  });

  test('are not there where the service is another', async () => {
    const { visit } = await startWeb();
    const visitor = visit();
    for (const path of PATHS) expect((await visitor.request(path)).status, path).toBe(404);
    expect(await (await visitor.request('/')).text()).toContain('"canInstall":false');
  });
});
