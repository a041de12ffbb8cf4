import { describe, expect, it } from 'vitest';
import { loadTexts } from '../../../src/i18n.ts';
import { createLog } from '../../../src/log.ts';
import { createNotes } from '../../../src/room/notes.ts';
import { createSpeaking, type SpeakingParts } from '../../../src/room/speaking.ts';
import { createRoomTexts } from '../../../src/room/texts.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { VOICE } from '../../fakes/speech.ts';

const CHANNEL = { space: { platform: 'test', id: 's' }, id: 'room' };

const start = () => {
  const clock = createTestClock(0);
  const log = createLog('silent');
  /** Who is looked up slowly. */
  const slow = new Map<string, Promise<void>>();
  const speaking = createSpeaking({
    services: {
      speaker: { voices: async () => [VOICE], speak: () => new Promise(() => undefined) },
      settings: {
        of: async ({ id }: { id: string }) => {
          await slow.get(id);
          return {};
        },
      },
      glossary: { applying: async () => [] },
      languages: { detect: () => undefined },
      spaces: { of: async () => ({}) },
      usage: { record: async () => undefined },
    } as unknown as SpeakingParts['services'],
    clock,
    now: () => 0,
    play: () => new Promise(() => undefined),
    channel: () => CHANNEL,
    mentioned: () => undefined,
    texts: createRoomTexts(loadTexts('locales'), 'en', 'plain'),
    notes: createNotes({
      platform: { post: async () => ({ channel: CHANNEL, ids: ['m'] }), edit: async (one) => one },
      channel: () => CHANNEL,
      log,
    }),
    log,
  });
  return { clock, speaking, slow };
};
const saying = (text: string, id: string) => ({ kind: 'say', text, by: { id, name: id } }) as const;

describe('what is said in a room', () => {
  it('waits in the order in which it was asked for, whatever is ready first', async () => {
    const { clock, speaking, slow } = start();
    const held = Promise.withResolvers<void>();
    slow.set('ann', held.promise);
    const both = [speaking.say(saying('first', 'ann')), speaking.say(saying('second', 'bob'))];
    await clock.advance(0);
    expect(speaking.queue().items).toEqual([]);
    held.resolve();
    await Promise.all(both);
    expect(speaking.queue().items.map(({ text }) => text)).toEqual(['first', 'second']);
    await speaking[Symbol.asyncDispose]();
    expect(clock.waiting).toBe(0);
  });

  it('is not kept back by something that cannot be made ready', async () => {
    const { speaking, slow } = start();
    slow.set('ann', Promise.reject(new Error('no database')));
    const first = expect(speaking.say(saying('first', 'ann'))).rejects.toThrow('no database');
    await expect(speaking.say(saying('second', 'bob'))).resolves.toBe(true);
    await first;
    await expect(speaking.say(saying('…', 'bob'))).resolves.toBe(false);
    await speaking[Symbol.asyncDispose]();
  });
});
