import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../src/model/place.ts';
import { createHints } from '../../../src/voice/subscription.ts';
import type { RoomMember } from '../../../src/ports/voice.ts';
import type { GlossaryTerm } from '../../../src/model/glossary.ts';
import { createTestClock } from '../../fakes/clock.ts';

const human = (id: string): RoomMember => ({ id, name: `Name of ${id}`, isBot: false });
const channelOf = (id: string): Channel => ({ space: { platform: 'voices', id: 'space' }, id });

/** A room with Ann, who speaks Japanese, and Ben; what is read of the database is counted. */
const setUp = () => {
  const clock = createTestClock();
  const reads: string[] = [];
  const terms = ['Dragoman'];
  const speaks = new Map([['ann', 'ja']]);
  const room = {
    channel: channelOf('room'),
    people: [human('ann'), human('ben'), { id: 'music', name: 'DJ', isBot: true }],
    languages: ['en'],
    fault: undefined as Error | undefined,
    /** Reading waits for it. */
    reading: undefined as Promise<void> | undefined,
  };
  const read = async <Found>(what: string, found: Found): Promise<Found> => {
    reads.push(what);
    await room.reading;
    if (room.fault) throw room.fault;
    return found;
  };
  const hints = createHints({
    clock,
    channel: () => room.channel,
    people: () => room.people,
    languages: () => room.languages,
    services: {
      glossary: {
        applying: async (place: Channel) =>
          read(
            `terms of ${place.id}`,
            terms.map((term): GlossaryTerm => ({
              term,
              language: undefined,
              translation: undefined,
            })),
          ),
      },
      settings: {
        of: async ({ id }: { readonly id: string }) =>
          read(id, { language: speaks.get(id), voiceId: undefined }),
      },
    } as unknown as Parameters<typeof createHints>[0]['services'],
  });
  return { clock, reads, terms, speaks, room, hints };
};

const ALL = ['terms of room', 'ann', 'ben'];

describe('hints', () => {
  it('are the glossary, and what people speak and read', async () => {
    const { hints } = setUp();
    expect(await hints.of('ann')).toMatchObject({
      hotwords: ['Dragoman'],
      languages: ['en', 'ja'],
      language: 'ja',
    });
    expect((await hints.of('ben')).language).toBeUndefined();
  });

  it('have the names that were said, behind the terms', async () => {
    const { room, hints } = setUp();
    room.people = ['ann', 'Ben Lee', 'mo', '山田', 'the'].map((name) => ({ ...human(name), name }));
    for (const line of ['Ask Ann!', 'Hello, ben.', 'more of them', '山田さん、どうぞ'])
      hints.said(line);
    expect((await hints.of('ann')).hotwords).toEqual(['Dragoman', 'ann', 'Ben Lee', '山田']);
  });

  it('are read once for all who begin to speak within five seconds', async () => {
    const { clock, reads, room, hints } = setUp();
    await clock.advance(3_456);
    const held = Promise.withResolvers<void>();
    room.reading = held.promise;
    const both = [hints.of('ann'), hints.of('ann')];
    held.resolve();
    const [first, second] = await Promise.all(both);
    expect(second).toEqual(first);
    await clock.advance(4_999);
    await hints.of('ben');
    expect(reads).toEqual(ALL);
    await clock.advance(1);
    await hints.of('ann');
    expect(reads).toEqual([...ALL, ...ALL]);
  });

  it('know of a change soon', async () => {
    const { clock, terms, speaks, hints } = setUp();
    await hints.of('ann');
    terms.push('Tarjuman');
    speaks.set('ben', 'fr');
    await clock.advance(5_000);
    expect(await hints.of('ann')).toMatchObject({
      hotwords: expect.arrayContaining(['Tarjuman']),
      languages: ['en', 'ja', 'fr'],
    });
  });

  it('know at once who came, where the bot is and what is read, and read no more than that', async () => {
    const { reads, room, speaks, hints } = setUp();
    await hints.of('ann');
    speaks.set('cid', 'de');
    room.people = [human('ann'), human('cid')];
    room.languages = ['en', 'ko'];
    expect(await hints.of('ann')).toMatchObject({ languages: ['en', 'ko', 'ja', 'de'] });
    room.channel = channelOf('other');
    await hints.of('ann');
    expect(reads).toEqual([...ALL, 'cid', 'terms of other']);
  });

  it('that could not be had are asked for again', async () => {
    const { room, hints } = setUp();
    room.fault = new Error('no database');
    await expect(hints.of('ann')).rejects.toThrow('no database');
    room.fault = undefined;
    expect(await hints.of('ann')).toMatchObject({ languages: ['en', 'ja'] });
  });

  it('of a large room leave out what people speak, and ask for the speaker alone', async () => {
    const { reads, room, hints } = setUp();
    room.people = Array.from({ length: 51 }, (_, at) => human(`p${at}`));
    expect((await hints.of('ann')).languages).toEqual([]);
    expect(reads).toEqual(['terms of room', 'ann']);
  });

  it('of a large room with a large glossary have both names and terms, a hundred together', async () => {
    const { room, terms, hints } = setUp();
    room.people = Array.from({ length: 90 }, (_, at) => human(`p${at}`));
    terms.push(...Array.from({ length: 200 }, (_, at) => `term ${at}`));
    for (const { name } of room.people) hints.said(name);
    const { hotwords } = await hints.of('ann');
    expect(hotwords).toHaveLength(100);
    expect(hotwords.filter((word) => word.startsWith('Name of'))).toHaveLength(50);
  });
});
