import { describe, expect, it } from 'vitest';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import { openStore } from '../../../../src/store/index.ts';
import { createLinkInvites } from '../../../../src/store/channels/link-invites.ts';

const SPACE = { platform: 'slack', id: 'T1' };
const WATCH: ChannelWatch = {
  channel: { space: SPACE, id: 'C1' },
  mode: 'mirror',
  languages: ['en'],
  transcribes: true,
  bots: false,
};
const HOUR_MS = 3_600_000;

const open = async () => {
  const store = await openStore('sqlite::memory:');
  const clock = { ms: 1_000 };
  const invites = createLinkInvites(store, () => clock.ms);
  return {
    store,
    clock,
    invites,
    take: async (code: string): Promise<boolean> => {
      const codeHash = (await invites.find(code))?.codeHash ?? '';
      return store.write((db) => invites.take(db, codeHash));
    },
    [Symbol.asyncDispose]: async () => store.destroy(),
  };
};

const ADA = { id: 'ada', name: 'Ada' };
const TERMS = { known: ['slack C1'], mayMixAges: true };

describe('an invitation to link channels', () => {
  it('can be taken once, however its code is typed', async () => {
    await using given = await open();
    const { code } = await given.invites.make(WATCH, TERMS, ADA);
    expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    const typed = ` ${code.toLowerCase().replaceAll('0', 'o').replaceAll('-', ' ')} `;
    const found = expect.objectContaining({ watch: WATCH, ...TERMS, madeBy: 'Ada' }) as unknown;
    expect(await given.invites.find(typed)).toEqual(found);
    expect(await given.invites.find(code)).toEqual(found);
    expect(await given.take(typed)).toBe(true);
    expect(await given.invites.find(code)).toBeUndefined();
    expect(await given.take(code)).toBe(false);
  });

  it('is deleted after an hour, though no other is made', async () => {
    await using given = await open();
    await given.invites.make(WATCH, TERMS, ADA);
    given.clock.ms += HOUR_MS;
    await given.invites.clear();
    expect(await given.store.selectFrom('link_invite').selectAll().execute()).toHaveLength(1);
    given.clock.ms += 1;
    await given.invites.clear();
    expect(await given.store.selectFrom('link_invite').selectAll().execute()).toEqual([]);
  });

  it('ends after an hour', async () => {
    await using given = await open();
    const { code, expiresMs } = await given.invites.make(WATCH, TERMS, ADA);
    expect(expiresMs).toBe(given.clock.ms + HOUR_MS);
    given.clock.ms += HOUR_MS + 1;
    expect(await given.invites.find(code)).toBeUndefined();
    expect(await given.take(code)).toBe(false);
  });

  it('cannot be read in the database', async () => {
    await using given = await open();
    const { code } = await given.invites.make(WATCH, TERMS, ADA);
    const rows = await given.store.selectFrom('link_invite').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(code.replaceAll('-', ''));
  });
});
