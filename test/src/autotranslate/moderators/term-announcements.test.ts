import { expect, it } from 'vitest';
import { createTermAnnouncements } from '../../../../src/autotranslate/moderators/term-announcements.ts';
import type { Channel } from '../../../../src/model/place.ts';
import type { ChannelWatch, SpaceChoices } from '../../../../src/model/space.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import { openStore } from '../../../../src/store/index.ts';
import { createSpaceSettings } from '../../../../src/store/settings.ts';
import { createGlossary } from '../../../../src/translation/glossary.ts';
import { watchOf } from '../../../fakes/autotranslate.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { realTexts as texts } from '../../../fakes/texts.ts';

const SPACE = { platform: 'test', id: 's' };
const THREAD: Channel = { space: SPACE, id: 'thread', parentId: 'talk' };
const BOB = { platform: 'test', id: 'bob' };
const FOX = { term: 'fox', translation: '狐', language: 'ja' };

/** What is said of a proposal that is accepted. */
const said = async (choices: Partial<SpaceChoices>, watch?: ChannelWatch) => {
  await using store = await openStore('sqlite::memory:');
  const spaces = createSpaceSettings(store);
  await spaces.change(SPACE, choices);
  const glossary = createGlossary(store, { find: () => undefined });
  const proposal = await glossary.propose(THREAD, BOB, FOX);
  const accepted = await glossary.decide(SPACE, proposal!.id, true);
  const lines: { readonly to: Channel; readonly text: string }[] = [];
  const announce = createTermAnnouncements({
    spaces,
    watches: { of: () => watch },
    texts,
    tell: async (to, text) => void lines.push({ to, text: plainText(text) }),
  });
  await announce(accepted!);
  return lines;
};

it('an accepted entry is announced where it was proposed, without its author', async () => {
  const params = { term: 'fox', translation: '狐', language: 'Japanese' };
  expect(await said({ announcesTerms: true })).toEqual([
    { to: THREAD, text: sentence('glossary.announced', params) },
  ]);
});

it('an accepted entry is announced in the language of the channel', async () => {
  const [line] = await said({ announcesTerms: true }, watchOf(THREAD, { languages: ['de'] }));
  const params = { term: 'fox', translation: '狐', language: 'Japanisch' };
  expect(line?.text).toBe(sentence('glossary.announced', params, 'de'));
});

it.each([
  ['nobody chose that', {}],
  ['it was turned off', { announcesTerms: false }],
  ['the channel is quiet', { announcesTerms: true, quietChannels: ['talk'] }],
])('an accepted entry is announced nowhere where %s', async (_, choices) => {
  expect(await said(choices)).toEqual([]);
});
