import { expect } from 'vitest';
import type { Channel } from '../../src/model/place.ts';
import type { Member } from '../../src/model/member.ts';
import type { Platform } from '../../src/ports/platform.ts';

/** One message as somebody sees it. */
interface Seen {
  readonly id: string;
  /** Without the platform's markup. */
  readonly text: string;
  readonly tone: string;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

/** A platform, with two people on it and a way to look over their shoulders. */
export interface PlatformSubject {
  readonly platform: Platform;
  readonly channel: Channel;
  readonly asker: Member;
  readonly other: Member;
  readonly seenBy: (member: Member) => Promise<readonly Seen[]>;
}

export interface PlatformRule {
  readonly name: string;
  check(subject: PlatformSubject): Promise<void>;
}

const nowhere = ({ space }: Channel): Channel => ({ space, id: 'no such channel' });

/** What the core relies on, whatever the platform. */
export const PLATFORM_RULES: readonly PlatformRule[] = [
  {
    name: 'shows a post to everybody, and says where it stands',
    check: async ({ platform, channel, asker, other, seenBy }) => {
      const posted = await platform.post(channel, { text: 'Hello, **you**' });
      expect(posted.channel).toEqual(channel);
      for (const member of [asker, other])
        expect(await seenBy(member)).toContainEqual(
          expect.objectContaining({ id: posted.ids[0], text: 'Hello, you' }),
        );
    },
  },
  {
    name: 'gives every post an id of its own',
    check: async ({ platform, channel }) => {
      const first = await platform.post(channel, { text: 'one' });
      const replyTo = { channel, id: first.ids[0] };
      const second = await platform.post(channel, { text: 'two' }, { replyTo });
      expect(second.ids[0]).not.toBe(first.ids[0]);
    },
  },
  {
    name: 'sets notes and errors apart',
    check: async ({ platform, channel, asker, seenBy }) => {
      await platform.post(channel, { text: 'plain' });
      await platform.post(channel, { text: 'note', tone: 'note' });
      await platform.post(channel, { text: 'error', tone: 'error' });
      const seen = await seenBy(asker);
      expect(seen.map(({ tone }) => tone)).toEqual(['plain', 'note', 'error']);
    },
  },
  {
    name: 'shows text as text, not as markup of the platform',
    check: async ({ platform, channel, asker, seenBy }) => {
      await platform.post(channel, { text: '<b>1 < 2</b>' });
      expect((await seenBy(asker)).at(-1)?.text).toBe('<b>1 < 2</b>');
    },
  },
  {
    name: 'puts an edit in the place of what was shown',
    check: async ({ platform, channel, asker, seenBy }) => {
      const posted = await platform.post(channel, { text: 'before' });
      const edited = await platform.edit(posted, { text: 'after', tone: 'note' });
      const seen = await seenBy(asker);
      expect(seen).toMatchObject([{ id: edited.ids[0], text: 'after', tone: 'note' }]);
    },
  },
  {
    name: 'refuses to edit what is not there',
    check: async ({ platform, channel }) => {
      const posted = await platform.post(channel, { text: 'gone' });
      await platform.delete(posted);
      await expect(platform.edit(posted, { text: 'again' })).rejects.toMatchObject({
        name: 'AppError',
        code: 'not-found',
      });
    },
  },
  {
    name: 'deletes, and does not mind deleting again',
    check: async ({ platform, channel, asker, seenBy }) => {
      const kept = await platform.post(channel, { text: 'kept' });
      const posted = await platform.post(channel, { text: 'gone' });
      await platform.delete(posted);
      await platform.delete(posted);
      expect((await seenBy(asker)).map(({ id }) => id)).toEqual(kept.ids);
    },
  },
  {
    name: 'uploads a file with its name and all of its bytes',
    check: async ({ platform, channel, other, seenBy }) => {
      const file = { name: 'été.txt', mediaType: 'text/plain', bytes: new Uint8Array(1_234) };
      const posted = await platform.upload(channel, file);
      const seen = await seenBy(other);
      expect(seen.find(({ id }) => id === posted.ids[0])?.files).toEqual([
        { name: 'été.txt', bytes: 1_234 },
      ]);
    },
  },
  {
    name: 'whispers to one member alone',
    check: async ({ platform, channel, asker, other, seenBy }) => {
      await platform.whisper(channel, asker, { text: 'psst' });
      expect((await seenBy(asker)).map(({ text }) => text)).toEqual(['psst']);
      expect(await seenBy(other)).toEqual([]);
    },
  },
  {
    name: 'takes the sign that it is working, and shows no message for it',
    check: async ({ platform, channel, asker, seenBy }) => {
      await platform.post(channel, { text: 'here' });
      await platform.typing(channel);
      expect(await seenBy(asker)).toHaveLength(1);
    },
  },
  {
    name: 'refuses channels that it does not have, with an error of ours',
    check: async ({ platform, channel, asker }) => {
      const to = nowhere(channel);
      for (const doing of [
        () => platform.post(to, { text: 'x' }),
        () => platform.whisper(to, asker, { text: 'x' }),
        () => platform.typing(to),
      ])
        await expect(doing()).rejects.toMatchObject({ name: 'AppError' });
    },
  },
];
