import { test } from 'vitest';
import type { Member } from '../../../src/model/place.ts';
import { PLATFORM_CONTRACT } from '../../contracts/platform.ts';
import type { FakeMessage, FakeUser } from '../../fakes/slack/index.ts';
import { openSlack, placeOf } from './support.ts';
import { shared } from '../../fakes/opened.ts';

const slack = shared(() => openSlack());

const TONES: readonly (readonly [string, string])[] = [
  ['ℹ️ ', 'note'],
  ['⚠️ ', 'error'],
];

interface Element {
  readonly type: string;
  readonly text?: { readonly text: string };
  readonly placeholder?: { readonly text: string };
}

const seen = ({ ts, words, blocks, state }: FakeMessage) => {
  const [mark = '', tone = 'plain'] = TONES.find(([each]) => words.startsWith(each)) ?? [];
  const files = state.files.map(({ name, bytes }) => ({ name, bytes: bytes.byteLength }));
  const controls = blocks
    .filter(({ type }) => type === 'actions')
    .flatMap(({ elements }) => elements as readonly Element[])
    .map(({ text, placeholder }) => text?.text ?? placeholder?.text ?? '');
  return { id: ts, text: words.slice(mark.length), tone, files, controls };
};

const memberOf = ({ id }: FakeUser): Member => ({
  platform: 'slack',
  id,
  name: id,
  locale: 'en',
  role: 'member',
});

test.each(Object.entries(PLATFORM_CONTRACT))('%s', async (_, check) => {
  const { workspace, platform } = slack;
  const [asker, other] = [workspace.user(), workspace.user()];
  const channel = workspace.channel({ members: [asker, other] });
  await check({
    platform,
    channel: placeOf(workspace, channel),
    asker: memberOf(asker),
    other: memberOf(other),
    seenBy: async () => channel.posts.map((post) => seen(post)),
  });
});
