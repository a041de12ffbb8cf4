import { describe, expect, it } from 'vitest';
import { createChannelAccess } from '../../../src/command/platforms.ts';
import type { Access } from '../../../src/ports/platform.ts';

const SPACE = { platform: 'test', id: 'space' };
const ADA = { platform: 'test', id: 'ada', name: 'Ada', locale: 'en', role: 'member' } as const;
const channels = ['a', 'b', 'c', 'd'].map((id) => ({ space: SPACE, id }));
const BY_ID: Readonly<Record<string, Access>> = { a: 'none', b: 'see', c: 'write' };

const access = createChannelAccess({ access: async (_, { id }) => BY_ID[id] }, ADA);
const [none, see, write, unknown] = channels.map((channel) => [channel]);

describe('createChannelAccess', () => {
  it('refuses what the person may not see, and where they may not write', async () => {
    await expect(access.demand(none ?? [], 'see')).rejects.toMatchObject({
      code: 'forbidden',
      sentence: { key: 'errors.channel-unseen' },
    });
    await expect(access.demand(see ?? [], 'write')).rejects.toMatchObject({
      code: 'forbidden',
      sentence: { key: 'errors.channel-not-writable' },
    });
    await access.demand(see ?? [], 'see');
    await access.demand(write ?? [], 'write');
    await access.demand(unknown ?? [], 'write');
  });

  it('keeps what the person may see, in order', async () => {
    const seen = await access.seen(channels, (channel) => channel);
    expect(seen.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  });

  it('allows everything where the platform has no closed channels', async () => {
    const open = createChannelAccess({}, ADA);
    await open.demand(channels, 'write');
    expect(await open.seen(channels, (channel) => channel)).toEqual(channels);
  });
});
