import { AppError } from '../../../src/errors.ts';
import { isSameChannel, type MessageRef, type Space } from '../../../src/model/place.ts';
import type { Mirror, Mirrors } from '../../../src/ports/mirrors.ts';
import { labelled, sentence } from '../../../src/rich-text/compose.ts';
import type { RichText } from '../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import type { Faults } from './faults.ts';
import { OURSELVES, type Messages, type StoredMessage } from './messages.ts';

const render = ({ as, label, content: { text }, quote }: Mirror): RichText => {
  const quoted = quote ? `> ${quote.name}: ${quote.text}\n` : '';
  return as ? sentence(`${quoted}${as.name}: `, text, ' [', ...label, ']') : labelled(label, text);
};

const shows = ({ mirror }: StoredMessage, source: MessageRef, key?: string): boolean =>
  mirror !== undefined &&
  mirror.source.id === source.id &&
  isSameChannel(mirror.source.channel, source.channel) &&
  (key === undefined || mirror.key === key);

/**
 * Creates, updates and removes mirrors of messages.
 *
 * @param space the one whose platform it is
 * @param pings takes whom mirrors notify, with the words of the mirror
 */
export const createMirrors = (
  space: Space,
  pings: string[],
  { shownIn, find, put, replace, remove }: Messages,
  { fake: { sick }, ask, meet, meanwhile }: Faults,
) => {
  const isHere = ({ channel: of }: MessageRef): boolean =>
    of.space.platform === space.platform && of.space.id === space.id;
  return {
    filesBytes: 1_000,
    async *create({ channel: to, threadId }, wanted, { mayExist, assertHeld }) {
      for (const mirror of wanted) {
        await meanwhile('create');
        await sick.get(to.id)?.(mirror);
        // A reply stands where its source does, as in the threads of Slack.
        if (!mirror.as && isHere(mirror.source) && !find(mirror.source))
          throw new AppError('not-found', 'the source was deleted');
        const there = mayExist
          ? shownIn(to).find((shown) => shows(shown, mirror.source, mirror.key))
          : undefined;
        ask('create', assertHeld);
        if (!there) meet('create', false, to);
        const { ref } = there
          ? replace(there.message.ref, render(mirror), mirror)
          : put(
              to,
              {
                author: OURSELVES,
                text: render(mirror),
                ...(threadId === undefined ? {} : { threadId }),
              },
              mirror,
            );
        if (!there && mirror.quote?.mentions)
          pings.push(`${mirror.quote.mentions}: ${plainText(mirror.content.text)}`);
        meet('create', true, to);
        yield { channel: to, ids: [ref.id] };
      }
    },
    update: async (posted, mirror, { assertHeld } = {}) => {
      await meanwhile('update');
      await sick.get(posted.channel.id)?.();
      ask('update', assertHeld);
      meet('update', false);
      replace({ channel: posted.channel, id: posted.ids[0] }, render(mirror), mirror);
      meet('update', true);
      return posted;
    },
    remove: async (posted, _, { assertHeld } = {}) => {
      await meanwhile('remove');
      await sick.get(posted.channel.id)?.();
      ask('remove', assertHeld);
      meet('remove', false);
      remove({ channel: posted.channel, id: posted.ids[0] });
    },
    unquote: async (posted, source, { assertHeld } = {}) => {
      await meanwhile('unquote');
      await sick.get(posted.channel.id)?.();
      ask('unquote', assertHeld);
      meet('unquote', false);
      const ref = { channel: posted.channel, id: posted.ids[0] };
      const mirror = find(ref)?.mirror;
      if (mirror?.source.id !== source.id) throw new AppError('not-found', 'it is gone');
      const { quote: _, ...unquoted } = mirror;
      replace(ref, render(unquoted), unquoted);
      meet('unquote', true);
    },
    removeOrphans: async ({ channel: from }, source, { key, others = [], assertHeld } = {}) => {
      await sick.get(from.id)?.();
      const known = others.flatMap(({ ids }) => ids);
      for (const shown of shownIn(from))
        if (shows(shown, source, key) && !known.includes(shown.message.ref.id)) {
          ask('removeOrphans', assertHeld);
          remove(shown.message.ref);
        }
    },
  } satisfies Partial<Mirrors>;
};
