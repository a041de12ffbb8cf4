import { describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../../src/api/client.ts';
import { createServiceKey, UnreadableKeyError } from '../../../src/api/keys.ts';
import { serviceError } from '../../../src/api/service-error.ts';
import { AppError } from '../../../src/errors.ts';
import { remoteStatus } from '../../../src/app/services.ts';
import { ASKER } from '../../fakes/asker.ts';

const { signal } = new AbortController();
const own = createServiceKey('svck:own', { isOwn: true });

const statusAfter = async (fault: AppError) => {
  const client = { voices: () => Promise.reject(fault) } as Partial<ServiceClient>;
  return remoteStatus(client as ServiceClient, ASKER.space, signal);
};

describe('the status of a service elsewhere', () => {
  it.each([
    [serviceError(401, undefined, '', own), 'service.bad-own-key'],
    [serviceError(402, undefined, '', own), 'service.no-own-credit'],
    [serviceError(401, undefined, '', createServiceKey('svck:any')), 'service.bad-key'],
    [new UnreadableKeyError(new Error('locked')), 'service.unreadable-own-key'],
  ])('that does not serve the key is no outage: %s', async (fault, key) => {
    expect(await statusAfter(fault)).toMatchObject({
      reachable: true,
      refusal: { sentence: { key } },
      engines: [{ ready: false }],
    });
  });

  it.each([
    serviceError(503, undefined, '', own),
    new AppError('unavailable', 'no answer', { retryable: true }),
  ])('that fails is one: %s', async (fault) => {
    const status = await statusAfter(fault);
    expect(status).toMatchObject({ reachable: false });
    expect(status.refusal).toBeUndefined();
  });
});
