import { expect } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { rich } from '../fakes/rich-text.ts';
import type { Contract } from './contract.ts';
import { plainWords } from '../../src/rich-text/compose.ts';
import type { Control } from '../../src/model/message.ts';
import type { Channel, Member } from '../../src/model/place.ts';
import type { Platform } from '../../src/ports/platform.ts';

/** One message as somebody sees it. */
interface Seen {
  readonly id: string;
  /** Without the platform's markup. */
  readonly text: string;
  readonly tone: string;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  /** What stands on its buttons and choices, in order. */
  readonly controls: readonly string[];
}

/** A platform, with two people on it and a way to look over their shoulders. */
export interface PlatformSubject {
  readonly platform: Platform;
  readonly channel: Channel;
  readonly asker: Member;
  readonly other: Member;
  readonly seenBy: (member: Member) => Promise<readonly Seen[]>;
}

const nowhere = ({ space }: Channel): Channel => ({ space, id: 'no such channel' });

const choice = (press: string, choices: number): Control => ({
  kind: 'choice',
  press: `test ${press}`,
  label: press,
  choices: Array.from({ length: choices }, (_, index) => ({
    value: String(index),
    label: `${press} ${index}`,
  })),
});

const button = (label: string, index: number): Control => ({
  kind: 'button',
  press: `test press:${index}`,
  label,
});

/** The largest message that the tests ask for: a platform may name higher limits than any command needs. */
const MOST_ROWS = 10;

/** What the core relies on, whatever the platform. */
export const PLATFORM_CONTRACT: Contract<PlatformSubject> = {
  'shows a post to everybody, and says where it stands': async ({
    platform,
    channel,
    asker,
    other,
    seenBy,
  }) => {
    const posted = await platform.post(channel, { text: rich('Hello, **you**') });
    expect(posted.channel).toEqual(channel);
    for (const member of [asker, other])
      expect(await seenBy(member)).toContainEqual(
        expect.objectContaining({ id: posted.ids[0], text: 'Hello, you' }),
      );
  },
  'gives every post an id of its own': async ({ platform, channel }) => {
    const first = await platform.post(channel, { text: plainWords('one') });
    const replyTo = { channel, id: first.ids[0] };
    const second = await platform.post(channel, { text: plainWords('two') }, { replyTo });
    expect(second.ids[0]).not.toBe(first.ids[0]);
  },
  'sets notes and errors apart': async ({ platform, channel, asker, seenBy }) => {
    await platform.post(channel, { text: plainWords('plain') });
    await platform.post(channel, { text: plainWords('note'), tone: 'note' });
    await platform.post(channel, { text: plainWords('error'), tone: 'error' });
    const seen = await seenBy(asker);
    expect(seen.map(({ tone }) => tone)).toEqual(['plain', 'note', 'error']);
  },
  'shows text as text, not as markup of the platform': async ({
    platform,
    channel,
    asker,
    seenBy,
  }) => {
    await platform.post(channel, { text: plainWords('<b>1 < 2</b>') });
    expect((await seenBy(asker)).at(-1)?.text).toBe('<b>1 < 2</b>');
  },
  'puts an edit in the place of what was shown': async ({ platform, channel, asker, seenBy }) => {
    const posted = await platform.post(channel, { text: plainWords('before') });
    const edited = await platform.edit(posted, { text: plainWords('after'), tone: 'note' });
    const seen = await seenBy(asker);
    expect(seen).toMatchObject([{ id: edited.ids[0], text: 'after', tone: 'note' }]);
  },
  'shows and changes nothing once its caller must not act any more': async (subject) => {
    const { platform, channel, asker, seenBy } = subject;
    const posted = await platform.post(channel, { text: plainWords('before') });
    const assertHeld = (): void => {
      throw new AppError('cancelled', 'the lease is not held any more');
    };
    const file = { name: 'a.txt', mediaType: 'text/plain', bytes: new Uint8Array(8) };
    for (const content of [{ text: plainWords('x') }, { text: plainWords(''), files: [file] }])
      for (const act of [
        () => platform.post(channel, content, { assertHeld }),
        () => platform.edit(posted, content, { assertHeld }),
      ])
        await expect(act()).rejects.toMatchObject({ name: 'AppError', code: 'cancelled' });
    expect(await seenBy(asker)).toMatchObject([{ id: posted.ids[0], text: 'before' }]);
  },
  'refuses to edit what is not there': async ({ platform, channel }) => {
    const posted = await platform.post(channel, { text: plainWords('gone') });
    await platform.delete(posted);
    await expect(platform.edit(posted, { text: plainWords('again') })).rejects.toMatchObject({
      name: 'AppError',
      code: 'not-found',
    });
  },
  'deletes, and does not mind deleting again': async ({ platform, channel, asker, seenBy }) => {
    const kept = await platform.post(channel, { text: plainWords('kept') });
    const posted = await platform.post(channel, { text: plainWords('gone') });
    await platform.delete(posted);
    await platform.delete(posted);
    expect((await seenBy(asker)).map(({ id }) => id)).toEqual(kept.ids);
  },
  'shows files with their names and all of their bytes': async (subject) => {
    const { platform, channel, other, seenBy } = subject;
    const file = { name: 'été.txt', mediaType: 'text/plain', bytes: new Uint8Array(1_234) };
    const posted = await platform.post(channel, { text: plainWords('a file'), files: [file] });
    const seen = await seenBy(other);
    const shown = seen.filter(({ id }) => posted.ids.includes(id));
    expect(shown.flatMap(({ files }) => files)).toEqual([{ name: 'été.txt', bytes: 1_234 }]);
  },
  'takes a file as large as its capabilities say': async (subject) => {
    const { platform, channel, other, seenBy } = subject;
    const bytes = new Uint8Array(platform.capabilities.fileBytes);
    const file = { name: 'large.bin', mediaType: 'application/octet-stream', bytes };
    await platform.post(channel, { text: plainWords(''), files: [file] });
    expect((await seenBy(other)).at(-1)?.files).toEqual([
      { name: 'large.bin', bytes: bytes.byteLength },
    ]);
  },
  'shows as many choices and rows as its capabilities say': async (subject) => {
    const { platform, channel, asker, seenBy } = subject;
    const { choices, controlRows } = platform.capabilities;
    const names = Array.from({ length: Math.min(MOST_ROWS, controlRows) }, (_, row) => `c${row}`);
    const controls = names.map((name) => choice(name, choices));
    await platform.post(channel, { text: plainWords('choose'), controls });
    expect((await seenBy(asker)).at(-1)?.controls).toEqual(names);
  },
  'shows as many buttons, with labels as long, as its capabilities say': async (subject) => {
    const { platform, channel, asker, seenBy } = subject;
    const { rowButtons, labelChars } = platform.capabilities;
    const labels = Array.from({ length: rowButtons }, (_, index) =>
      `${index} `.padEnd(labelChars, 'x'),
    );
    await platform.post(channel, { text: plainWords('press'), controls: labels.map(button) });
    expect((await seenBy(asker)).at(-1)?.controls).toEqual(labels);
  },
  'refuses channels that it does not have, with an error of ours': async ({
    platform,
    channel,
  }) => {
    const posting = platform.post(nowhere(channel), { text: plainWords('x') });
    await expect(posting).rejects.toMatchObject({ name: 'AppError' });
  },
};
