import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/index.ts';
import { KEPT, LEFT, tablesWith, valuesOfSpaces } from '../../contracts/removal.ts';
import { fillEveryTable, tablesOf } from '../../fakes/every-table.ts';
import { openOwnCore } from '../../fakes/open-core.ts';

/** Tables without any data of a space. */
const OF_NO_SPACE = ['agreement', 'lease', 'machine', 'quota', 'revision', 'shared_state'];

const fill = async (store: Store): Promise<void> => {
  await fillEveryTable(store, LEFT.id, valuesOfSpaces(LEFT.id, LEFT.id));
  await fillEveryTable(store, KEPT.id, valuesOfSpaces(KEPT.id, KEPT.id));
};

describe('a space that the bot was removed from', () => {
  it('leaves no record of what was mirrored into it, or from it', async () => {
    await using running = await openOwnCore();
    const { store, core } = running;
    await fillEveryTable(store, 'from', valuesOfSpaces(LEFT.id, KEPT.id));
    await fillEveryTable(store, 'into', valuesOfSpaces(KEPT.id, LEFT.id));
    await core.feedListener.spaceLeft(LEFT);
    expect(await tablesWith(store, LEFT.id)).toEqual([]);
  });

  it('leaves nothing of its channels’ glossaries, and keeps those of a space whose id begins alike', async () => {
    await using running = await openOwnCore();
    const { store, core } = running;
    const { glossary } = core.services;
    const alike = { ...LEFT, id: `${LEFT.id}2` };
    for (const space of [LEFT, alike])
      await glossary.add({ space, id: 'c' }, { term: 'a', language: undefined, translation: 'b' });
    await core.feedListener.spaceLeft(LEFT);
    expect(await glossary.list({ space: LEFT, id: 'c' })).toEqual([]);
    expect(await glossary.list({ space: alike, id: 'c' })).toHaveLength(1);
    expect(await store.selectFrom('glossary_term').selectAll().execute()).toHaveLength(1);
  });

  it('takes along the choices of its own people, and not those of people in any space', async () => {
    await using running = await openOwnCore();
    const { settings, privacy } = running.core.services;
    const own = { platform: 'place', id: 'own', homeId: LEFT.id };
    const anywhere = { platform: 'place', id: 'anywhere' };
    for (const person of [own, anywhere]) {
      await settings.change(person, { language: 'ja' });
      await privacy.setOptedOut(person, true);
      expect(await privacy.optedOut(person)).toBe(true);
    }
    await running.core.feedListener.spaceLeft(LEFT);
    expect(await privacy.optedOut(own)).toBe(false);
    expect(await settings.of(own)).toEqual({ language: undefined, voiceId: undefined });
    expect(await privacy.optedOut(anywhere)).toBe(true);
    expect(await settings.of(anywhere)).toMatchObject({ language: 'ja' });
  });

  it('has no copy in memory of its settings, its glossary or its languages', async () => {
    await using running = await openOwnCore();
    const { spaces, glossary, languages } = running.core.services;
    const channel = { space: LEFT, id: 'here' };
    const author = { platform: 'place', id: 'bob' };
    const line = (id: string) => ({ ref: { channel, id }, author });
    await spaces.change(LEFT, { dailyCharacters: 7 });
    await glossary.add(LEFT, { term: 'a', language: undefined, translation: 'b' });
    expect(await spaces.of(LEFT)).toMatchObject({ dailyCharacters: 7 });
    expect(await glossary.list(LEFT)).toHaveLength(1);
    languages.rank('hvad laver I så i aften?', line('1'));
    languages.rank('det er fandeme ærgerligt', line('2'));
    await running.core.feedListener.spaceLeft(LEFT);
    expect((await spaces.of(LEFT)).dailyCharacters).toBeUndefined();
    expect(await glossary.list(LEFT)).toEqual([]);
    expect(languages.rank('hvor er du?', line('3'))).toEqual(languages.rank('hvor er du?'));
  });

  it('has nothing stored for it by work that ends later, until the bot is there again', async () => {
    await using running = await openOwnCore();
    const { store, core } = running;
    await core.feedListener.spaceLeft(LEFT);
    await fill(store);
    expect(await tablesWith(store, LEFT.id)).toEqual(OF_NO_SPACE);
    expect(await tablesWith(store, KEPT.id)).toEqual((await tablesOf(store)).toSorted());
    await core.services.usage.record(LEFT, 'ann', { characters: 1, audioMs: 0, messages: 1 });
    await core.feedListener.spaceJoined(LEFT);
    await core.services.spaces.change(LEFT, { dailyCharacters: 7 });
    expect(await tablesWith(store, LEFT.id)).toEqual(
      [...OF_NO_SPACE, 'audit_entry', 'space_setting'].toSorted(),
    );
    expect(await core.services.spaces.of(LEFT)).toMatchObject({ dailyCharacters: 7 });
  });

  it('is not greeted again where the bot is added again at once', async () => {
    await using running = await openOwnCore();
    const { feedListener, services } = running.core;
    expect(await services.spaces.greets(LEFT, LEFT.id)).toBe(true);
    await feedListener.spaceLeft(LEFT);
    await feedListener.spaceJoined(LEFT);
    expect(await services.spaces.greets(LEFT, LEFT.id)).toBe(false);
  });

  it('may be removed twice at once', async () => {
    await using running = await openOwnCore();
    await fill(running.store);
    const { feedListener } = running.core;
    await Promise.all([feedListener.spaceLeft(LEFT), feedListener.spaceLeft(LEFT)]);
    await feedListener.spaceLeft(LEFT);
    expect(await tablesWith(running.store, LEFT.id)).toEqual(OF_NO_SPACE);
  });
});

describe('a person who has their data deleted', () => {
  it('is not remembered by which engine translated for them', async () => {
    await using running = await openOwnCore();
    const { engineTurns, privacy } = running.core.services;
    const ref = { channel: { space: KEPT, id: 'here' }, id: '1' };
    const [ada, bob] = ['ada', 'bob'].map((id) => ({
      person: { platform: 'place', id },
      ref,
      to: 'ja',
    }));
    for (const turn of [ada!, bob!]) engineTurns.translated(turn, 'bergamot-en-ja');
    await privacy.forget(ada!.person);
    expect(engineTurns.lately(ada!)).toEqual([]);
    expect(engineTurns.lately(bob!)).toEqual(['bergamot-en-ja']);
  });
});
