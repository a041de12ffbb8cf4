import { expect, it } from 'vitest';
import { createTermAnnouncements } from '../../../../src/autotranslate/moderators/term-announcements.ts';
import { AppError } from '../../../../src/errors.ts';
import type { Channel } from '../../../../src/model/place.ts';
import type { ChannelWatch, SpaceChoices } from '../../../../src/model/space.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import { createGlossaryProposals } from '../../../../src/store/glossary-proposals.ts';
import { openStore } from '../../../../src/store/index.ts';
import { createSpaceSettings } from '../../../../src/store/settings.ts';
import { createGlossary } from '../../../../src/translation/glossary.ts';
import { watchOf } from '../../../fakes/autotranslate.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { realTexts as texts } from '../../../fakes/texts.ts';

const SPACE = { platform: 'test', id: 's' };
const THREAD: Channel = { space: SPACE, id: 'thread', parentId: 'talk' };
const BOB = { platform: 'test', id: 'bob' };
const FOX = { term: 'fox', translation: '狐', language: 'ja' };
const ENGLISH = sentence('glossary.announced', {
  term: 'fox',
  translation: '狐',
  language: 'Japanese',
});
const MINUTE_MS = 60_000;

/** An entry that was accepted, and what announces it. */
const openAccepted = async (choices: Partial<SpaceChoices>, watch?: ChannelWatch) => {
  const store = await openStore('sqlite::memory:');
  const spaces = createSpaceSettings(store);
  await spaces.change(SPACE, choices);
  const glossary = createGlossary(store, { find: () => undefined });
  const proposal = await glossary.propose(THREAD, BOB, FOX);
  const accepted = await glossary.decide(SPACE, proposal!.id, true);
  const lines: { readonly to: Channel; readonly text: string }[] = [];
  const world: { fault: AppError | undefined; aheadMs: number; posts: number } = {
    fault: undefined,
    aheadMs: 0,
    posts: 0,
  };
  const now = (): number => Date.now() + world.aheadMs;
  const announcements = createTermAnnouncements({
    spaces,
    watches: { of: () => watch },
    texts,
    proposals: createGlossaryProposals(store, now),
    platforms: { find: () => ({}) as never },
    post: async (to, { text }) => {
      world.posts += 1;
      if (world.fault) throw world.fault;
      lines.push({ to, text: plainText(text) });
    },
    log: silentLog,
    now,
  });
  return {
    store,
    glossary,
    accepted: accepted!,
    lines,
    world,
    announce: announcements.announce,
    look: async (laterMs: number): Promise<void> => {
      world.aheadMs += laterMs;
      await announcements.look();
      await announcements.idle();
    },
    rows: async () => store.selectFrom('glossary_proposal').selectAll().execute(),
    [Symbol.asyncDispose]: () => store.destroy(),
  };
};

it('an accepted entry is announced once where it was proposed, without its author', async () => {
  await using scene = await openAccepted({ announcesTerms: true });
  await scene.announce(scene.accepted);
  await scene.look(10 * MINUTE_MS);
  expect(scene.lines).toEqual([{ to: THREAD, text: ENGLISH }]);
  expect(await scene.rows()).toEqual([]);
});

it('an accepted entry is announced in the language of the channel', async () => {
  const watch = watchOf(THREAD, { languages: ['de'] });
  await using scene = await openAccepted({ announcesTerms: true }, watch);
  await scene.announce(scene.accepted);
  const params = { term: 'fox', translation: '狐', language: 'Japanisch' };
  expect(scene.lines[0]?.text).toBe(sentence('glossary.announced', params, 'de'));
});

it('an accepted entry is announced later where the process was killed before it', async () => {
  await using scene = await openAccepted({ announcesTerms: true });
  const [kept] = await scene.rows();
  expect(kept).toMatchObject({ accepted: 1, author_id: '' });
  expect(await scene.glossary.proposals(SPACE)).toEqual([]);
  expect(await scene.glossary.decide(SPACE, scene.accepted.id, true)).toBeUndefined();
  await scene.look(0);
  expect(scene.lines).toEqual([]);
  await scene.look(10 * MINUTE_MS);
  await scene.look(10 * MINUTE_MS);
  expect(scene.lines).toEqual([{ to: THREAD, text: ENGLISH }]);
  expect(await scene.rows()).toEqual([]);
});

it.each([
  ['again where the platform is away', true, 3],
  ['not again where it may not be', false, 1],
])('an accepted entry is announced %s', async (_, retryable, posts) => {
  await using scene = await openAccepted({ announcesTerms: true });
  scene.world.fault = new AppError('unavailable', 'refused', { retryable });
  await scene.announce(scene.accepted);
  await scene.look(10 * MINUTE_MS);
  await scene.look(10 * MINUTE_MS);
  expect(scene.world.posts).toBe(posts);
  // A day later nobody waits for it.
  await scene.look(24 * 60 * MINUTE_MS);
  expect(scene.world.posts).toBe(posts);
});

it.each([
  ['nobody chose that', {}],
  ['it was turned off', { announcesTerms: false }],
  ['the channel is quiet', { announcesTerms: true, quietChannels: ['talk'] }],
])('an accepted entry is announced nowhere where %s', async (_, choices) => {
  await using scene = await openAccepted(choices);
  await scene.announce(scene.accepted);
  expect(scene.lines).toEqual([]);
  expect(await scene.rows()).toEqual([]);
});
