import { describe, expect, it } from 'vitest';
import { userError } from '../../../../src/errors.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import type { Content } from '../../../../src/model/message.ts';
import { createStatusMessages } from '../../../../src/voice/status-messages.ts';
import type { Platform } from '../../../../src/ports/platform.ts';
import type { VoiceServices } from '../../../../src/voice/room-types.ts';
import { createSpeaking } from '../../../../src/voice/tts/speaking.ts';
import { createRoomTexts } from '../../../../src/voice/texts.ts';
import { NO_RESERVATION } from '../../../fakes/reservation.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { markdownOf, rich } from '../../../fakes/rich-text.ts';
import { VOICE } from '../../../fakes/speech.ts';
import { realTexts } from '../../../fakes/texts.ts';

const withoutLimits = { reserve: async () => NO_RESERVATION };

const CHANNEL = { space: { platform: 'test', id: 's' }, id: 'room' };

const start = (language?: string, limits = withoutLimits) => {
  const posted: unknown[] = [];
  const clock = createTestClock(0);
  const logged: string[] = [];
  const log = createLog('info', { write: (line) => void logged.push(line) });
  /** Who is looked up slowly. */
  const slow = new Map<string, Promise<void>>();
  const speaking = createSpeaking({
    room: {
      services: {
        speaker: { voices: async () => [VOICE], speak: () => new Promise(() => undefined) },
        settings: {
          of: async ({ id }: { id: string }) => {
            await slow.get(id);
            return {};
          },
        },
        glossary: { inText: async () => ({ terms: [], occurrences: [] }) },
        languages: { detect: () => language && { language, confidence: 1 } },
        limits,
        usage: { record: async () => undefined },
      } as unknown as VoiceServices,
      platform: {} as Platform,
      clock,
      now: clock.nowMs,
      channel: () => CHANNEL,
      texts: createRoomTexts(realTexts, 'en', 'plain'),
      messages: createStatusMessages({
        platform: {
          post: async (_, content) => {
            posted.push(content);
            return { channel: CHANNEL, ids: ['m'] };
          },
          edit: async (one) => one,
        },
        channel: () => CHANNEL,
        log,
      }),
      log,
    },
    attendance: { knownName: () => undefined },
    play: (_, signal) =>
      new Promise((__, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      ),
    spoke: () => undefined,
  });
  return { clock, speaking, slow, posted, logged };
};
const saying = (text: string, id: string) =>
  ({ kind: 'say', text: rich(text), by: { id, name: id } }) as const;

describe('speech in a room', () => {
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

  it('is nothing of somebody who is forgotten: neither what waits nor what is being made ready', async () => {
    const { clock, speaking, slow } = start();
    await speaking.say(saying('now', 'ann'));
    await speaking.say({ kind: 'read', text: rich('later'), by: { id: 'ann', name: 'ann' } });
    await speaking.say(saying('of another', 'bob'));
    const held = Promise.withResolvers<void>();
    slow.set('ann', held.promise);
    const late = speaking.say(saying('under way', 'ann'));
    await clock.advance(0);
    speaking.forget('ann');
    expect(speaking.queue().items.map(({ text }) => text)).not.toContain('later');
    held.resolve();
    await expect(late).resolves.toBe(false);
    await clock.advance(0);
    expect(speaking.queue().items.map(({ text }) => text)).toEqual(['of another']);
    await speaking.say(saying('asked for anew', 'ann'));
    expect(speaking.queue().items.map(({ text }) => text)).toContain('asked for anew');
    await speaking[Symbol.asyncDispose]();
    expect(clock.waiting).toBe(0);
  });

  it('goes on being a notice, whoever skips, interrupts or stops', async () => {
    const { clock, speaking } = start();
    const told = speaking.announce({ locale: 'en', text: 'you are heard' });
    await clock.advance(0);
    expect(speaking.skip()).toBe(false);
    speaking.skip();
    expect(speaking.stop()).toBe(0);
    expect(speaking.queue().items.map(({ kind }) => kind)).toEqual(['notice']);
    await speaking.say(saying('something', 'ann'));
    expect(speaking.stop()).toBe(1);
    expect(speaking.queue().items.map(({ kind }) => kind)).toEqual(['notice']);
    await clock.advance(15_000);
    await told;
    await speaking[Symbol.asyncDispose]();
  });

  it('ends when somebody interrupts it, and reports that it was skipped', async () => {
    const { clock, speaking } = start();
    await speaking.say(saying('one', 'ann'));
    await speaking.say(saying('two', 'ann'));
    await speaking.say(saying('three', 'ann'));
    await clock.advance(0);
    speaking.skip();
    await clock.advance(0);
    expect(speaking.skip()).toBe(true);
    await clock.advance(0);
    expect(speaking.queue().items.map(({ text }) => text)).toEqual(['three']);
    await speaking[Symbol.asyncDispose]();
  });

  it('that no voice speaks is announced once for each language', async () => {
    const { clock, speaking, posted } = start('de');
    await speaking.say(saying('Guten Tag', 'ann'));
    await speaking.say(saying('Wie geht es', 'bob'));
    await clock.advance(0);
    const texts = createRoomTexts(realTexts, 'en', 'plain');
    expect(posted).toEqual([texts.note('room.foreign-voice', { language: { language: 'de' } })]);
    await speaking[Symbol.asyncDispose]();
  });

  it('that its voice speaks is not announced', async () => {
    const { clock, speaking, posted } = start('en');
    await speaking.say(saying('Hello', 'ann'));
    await clock.advance(0);
    expect(posted).toEqual([]);
    await speaking[Symbol.asyncDispose]();
  });
});

describe('what is read aloud beyond a limit', () => {
  const DAY_MS = 86_400_000;
  const reading = (id: string) => ({ ...saying('hello', id), kind: 'read' }) as const;
  const over = (key: 'limits.characters' | 'limits.characters-each') => ({
    reserve: async () => {
      throw userError('rate-limited', key, { used: 5, limit: 5, hours: 1 });
    },
  });
  const read = async ({ speaking }: ReturnType<typeof start>, ids: readonly string[]) => {
    for (const id of ids) expect(await speaking.say(reading(id))).toBe(false);
  };

  it('of a person is told once a day for each, by name, and without a warning', async () => {
    const stage = start(undefined, over('limits.characters-each'));
    await read(stage, ['Ann', 'Ann', 'Bob', 'Ann']);
    await stage.clock.advance(DAY_MS / 2);
    await read(stage, ['Ann', 'Bob']);
    expect(stage.posted).toHaveLength(2);
    const [ann, bob] = stage.posted.map((content) => markdownOf((content as Content).text));
    expect(ann).toContain('Ann');
    expect(ann).not.toContain('Bob');
    expect(bob).toContain('Bob');
    await stage.clock.advance(DAY_MS / 2);
    await read(stage, ['Ann', 'Ann']);
    expect(stage.posted).toHaveLength(3);
    expect(stage.logged).toEqual([]);
    await stage.speaking[Symbol.asyncDispose]();
  });

  it('of the space is told once a day', async () => {
    const stage = start(undefined, over('limits.characters'));
    await read(stage, ['Ann', 'Bob']);
    await stage.clock.advance(DAY_MS / 2);
    await read(stage, ['Ann']);
    expect(stage.posted).toHaveLength(1);
    expect(stage.logged).toEqual([]);
    await stage.speaking[Symbol.asyncDispose]();
  });
});
