import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/index.ts';
import { createSpaceSettings, createRoomConsents } from '../../../src/store/settings.ts';
import { ROOM_CHOICES } from '../../fakes/rooms.ts';
import { createPrivacy } from '../../../src/store/privacy/person-data.ts';
import { fresh } from '../../fakes/opened.ts';
import { CHOICES } from '../../fakes/settings.ts';

const SPACE = { platform: 'test', id: 's' };
const store = fresh(() => openStore('sqlite::memory:'));

const write = async (choices: string): Promise<void> => {
  await store
    .insertInto('space_setting')
    .values({ platform: 'test', space_id: 's', choices })
    .execute();
};

describe('the choices of a space', () => {
  it('are flags on and nothing else where nobody chose', async () => {
    expect(await createSpaceSettings(store).of(SPACE)).toEqual(CHOICES);
  });

  it('keep what is not changed, and outlive the process', async () => {
    const spaces = createSpaceSettings(store);
    await spaces.change(SPACE, { dailyCharacters: 10, quietChannels: ['1'] });
    await spaces.change(SPACE, { flags: { on: false, languages: { '🏴': 'en' } } });
    const expected = {
      ...CHOICES,
      flags: { on: false, languages: { '🏴': 'en' } },
      dailyCharacters: 10,
      quietChannels: ['1'],
    };
    expect(await spaces.of(SPACE)).toEqual(expected);
    expect(await createSpaceSettings(store).of(SPACE)).toEqual(expected);
    expect(await spaces.of({ platform: 'test', id: 'other' })).toEqual(CHOICES);
  });

  it('are stored as far as somebody chose them', async () => {
    const spaces = createSpaceSettings(store);
    await spaces.greets(SPACE, 's');
    await spaces.change(SPACE, { dailyCharacters: 10 });
    const rows = await store.selectFrom('space_setting').select('choices').execute();
    expect(rows.map(({ choices }) => JSON.parse(choices) as unknown)).toEqual([
      { greeted: ['s'], dailyCharacters: 10 },
    ]);
  });

  it('lose a limit that is taken away', async () => {
    const spaces = createSpaceSettings(store);
    await spaces.change(SPACE, { dailyCharacters: 10 });
    await spaces.change(SPACE, { dailyCharacters: undefined });
    expect((await spaces.of(SPACE)).dailyCharacters).toBeUndefined();
  });

  it.each([
    [900, 900],
    [199, 600],
    [60_000, 600],
    ['long', 600],
  ])('take a stored pause of %j for %i ms', async (stored, pauseMs) => {
    await write(JSON.stringify({ rooms: { pauseMs: stored, wakeWord: true } }));
    const { rooms } = await createSpaceSettings(store).of(SPACE);
    expect(rooms).toEqual({ ...ROOM_CHOICES, pauseMs, wakeWord: true });
  });

  it('lose nothing when two change them at once', async () => {
    const spaces = createSpaceSettings(store);
    await Promise.all([
      spaces.change(SPACE, { dailyCharacters: 1 }),
      spaces.change(SPACE, { dailyAudioMinutes: 2 }),
      spaces.change(SPACE, { roles: { say: ['r'] } }),
    ]);
    expect(await spaces.of(SPACE)).toMatchObject({
      dailyCharacters: 1,
      dailyAudioMinutes: 2,
      roles: { say: ['r'] },
    });
  });

  it.each(['not json', 'null', '7', '[]', '"text"'])('are the usual ones for %j', async (json) => {
    await write(json);
    expect(await createSpaceSettings(store).of(SPACE)).toEqual(CHOICES);
  });

  it('keep what can be read of what another version wrote', async () => {
    await write('{"flags":"on","roles":{"say":["r"]},"dailyCharacters":-1,"other":1}');
    expect(await createSpaceSettings(store).of(SPACE)).toEqual({
      ...CHOICES,
      roles: { say: ['r'] },
    });
  });

  it('say once where the bot may introduce itself, of the space for ever and of its newest channels', async () => {
    const spaces = createSpaceSettings(store);
    const asked = await Promise.all([spaces.greets(SPACE, 's'), spaces.greets(SPACE, 's')]);
    expect(asked.toSorted()).toEqual([false, true]);
    for (let channel = 0; channel <= 500; channel += 1)
      expect(await spaces.greets(SPACE, `c${channel}`)).toBe(true);
    expect(await createSpaceSettings(store).greets(SPACE, 's')).toBe(false);
    expect(await spaces.greets(SPACE, 'c500')).toBe(false);
    expect((await spaces.of(SPACE)).greeted).toHaveLength(501);
  });

  it('are read once for many who ask', async () => {
    const spaces = createSpaceSettings(store);
    const [first, second] = await Promise.all([spaces.of(SPACE), spaces.of(SPACE)]);
    expect(second).toBe(first);
    await write('{"dailyCharacters":5}');
    expect(await spaces.of(SPACE)).toBe(first);
  });
});

describe('what people chose about being heard', () => {
  it('is the newest, for one space each', async () => {
    const consents = createRoomConsents(store);
    expect(await consents.of(SPACE, 'ann')).toBeUndefined();
    await consents.choose(SPACE, 'ann', 'allowed');
    await consents.choose(SPACE, 'bob', 'refused');
    expect(await consents.of(SPACE, 'ann')).toBe('allowed');
    expect(await consents.of(SPACE, 'bob')).toBe('refused');
    await consents.choose(SPACE, 'ann', 'refused');
    expect(await consents.of(SPACE, 'ann')).toBe('refused');
    expect(await consents.of({ ...SPACE, id: 'other' }, 'ann')).toBeUndefined();
    expect(await consents.of({ ...SPACE, platform: 'other' }, 'ann')).toBeUndefined();
  });

  it('is exported, and forgotten but for a no', async () => {
    const consents = createRoomConsents(store);
    const privacy = createPrivacy(store);
    await consents.choose(SPACE, 'ann', 'allowed');
    await consents.choose(SPACE, 'bob', 'refused');
    const exported = String(
      Buffer.from(await privacy.export({ platform: SPACE.platform, id: 'ann' })),
    );
    expect(JSON.parse(exported)).toMatchObject({
      heardInVoice: [{ space: SPACE.id, agreed: true }],
    });
    for (const id of ['ann', 'bob']) await privacy.forget({ platform: SPACE.platform, id });
    expect(await consents.of(SPACE, 'ann')).toBeUndefined();
    expect(await consents.of(SPACE, 'bob')).toBe('refused');
  });
});
