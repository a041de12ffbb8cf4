import { describe, expect, it } from 'vitest';
import { createOpsPages, type OpsPagesDeps } from '../../../src/ops/pages.ts';

const TOKEN = 'a secret of Prometheus';

const open = (part: Partial<OpsPagesDeps> = {}) =>
  createOpsPages({
    metrics: { mediaType: 'text/plain; version=0.0.4', text: async () => 'calls_total 7\n' },
    isStalled: () => false,
    readiness: async () => ({
      ready: true,
      starting: false,
      draining: false,
      parts: { storage: true },
    }),
    ...part,
  });

const read = async (
  isPublic: boolean,
  metricsToken?: string,
  authorization?: string,
): Promise<number> =>
  (await open({ metricsToken }).reply('/metrics', { authorization, isPublic })).status;

describe('the pages of operators', () => {
  it('tell that the event loop turns, or that it stalled', async () => {
    let isStalled = false;
    const pages = open({ isStalled: () => isStalled });
    expect(await pages.reply('/healthz', { isPublic: true })).toMatchObject({ status: 200 });
    isStalled = true;
    expect(await pages.reply('/healthz', { isPublic: true })).toMatchObject({ status: 503 });
  });

  it('name the part that is not ready, but not on a public port', async () => {
    const parts = { storage: true, discord: false };
    const state = { ready: false, starting: false, draining: false, parts };
    const pages = open({ readiness: async () => state });
    const readyz = async (isPublic: boolean) => {
      const { status, body } = await pages.reply('/readyz', { isPublic });
      return [status, JSON.parse(body)];
    };
    expect(await readyz(false)).toEqual([503, state]);
    expect(await readyz(true)).toEqual([503, { ready: false }]);
  });

  it.each([
    ['on a port of their own, to all who reach it', 200, false, undefined, undefined],
    ['on a public port without a token, to nobody', 404, true, undefined, undefined],
    ['on a public port, to who has the token', 200, true, TOKEN, `Bearer ${TOKEN}`],
    ['on a port of their own, to who has the token', 200, false, TOKEN, `bearer ${TOKEN}`],
    ['on no port to who has another', 401, true, TOKEN, 'Bearer another secret'],
    ['on no port to who has none, where one is set', 401, false, TOKEN, undefined],
  ])('show metrics %s', async (_, status, isPublic, token, authorization) => {
    expect(await read(isPublic, token, authorization)).toBe(status);
  });
});
