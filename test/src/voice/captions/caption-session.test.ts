import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { TranscriptEvent } from '../../../../src/voice/stt/transcript-emitter.ts';
import { startCaptionSession } from '../../../../src/voice/captions/caption-session.ts';
import { createRoomTexts } from '../../../../src/voice/texts.ts';
import type { Assistant } from '../../../../src/chat/assistant.ts';
import type { Channel } from '../../../../src/model/place.ts';
import type { Platform } from '../../../../src/ports/platform.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { channelOf } from '../../../fakes/voice-port.ts';
import { createChannel, createTranslating, RATE, type ChannelOptions } from './fakes.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { realTexts as texts } from '../../../fakes/texts.ts';

const assistant: Assistant = {
  async *answer() {
    yield 'They';
    return 'They talked.';
  },
};

const setUp = (options: ChannelOptions = {}) => {
  const clock = createTestClock();
  const places = new Map<string, ReturnType<typeof createChannel>>();
  const at = ({ id }: Channel) => {
    const place = places.get(id) ?? createChannel(clock, options);
    places.set(id, place);
    return place;
  };
  const session = startCaptionSession(
    channelOf('room'),
    { languages: [] },
    {
      room: {
        clock,
        now: () => 0,
        platform: {
          post: async (to, content) => ({ ...(await at(to).post(to, content)), channel: to }),
          edit: (posted, content) => at(posted.channel).edit(posted, content),
          delete: (posted) => at(posted.channel).delete(posted),
        } as Platform,
        texts: createRoomTexts(texts, 'en', 'plain'),
        log: silentLog,
      },
      editRate: RATE,
      translate: createTranslating(clock).translate,
      nextId: () => 10_000,
      nameOf: (id) => id,
      listener: {
        gone: () => {},
        blocked: () => {},
        unshown: () => {},
        captionShown: () => {},
      },
    },
  );
  const say = (id: number, text: string): void => {
    const line: TranscriptEvent = {
      id,
      speakerId: 'ann',
      startMs: clock.nowMs() + id,
      endMs: clock.nowMs() + id,
      text,
      language: 'en',
      isFinal: true,
    };
    session.transcript(line);
  };
  return { clock, session, say, shown: (id: string) => at(channelOf(id)).shown() };
};

const { signal } = new AbortController();

describe('captions that are moved from room to room', () => {
  it('can be taken out of the last four rooms, and are let alone in those before', async () => {
    const { clock, session, say, shown } = setUp();
    const rooms = ['room', 'b', 'c', 'd', 'e'];
    for (const [at, id] of rooms.entries()) {
      if (at > 0) session.moveTo(channelOf(id));
      say(at, `said in ${id}`);
      await clock.advance(1_000);
    }
    expect(rooms.map(shown)).toEqual(rooms.map((id) => [`**ann**: said in ${id}`]));
    session.forget('ann');
    await clock.advance(1_000);
    expect(rooms.map(shown)).toEqual([['**ann**: said in room'], [], [], [], []]);
  });
});

describe('the summary of a session', () => {
  it('says in the reader’s language which part of long talk is being read', async () => {
    const { session, say } = setUp();
    for (let id = 1; id <= 10; id += 1) say(id, 'a long speech '.repeat(120));
    const states = await Array.fromAsync(session.summary('es', assistant, signal));
    expect(states.slice(0, 2)).toEqual([
      sentence('room.summary-part', { part: 1, parts: 3 }, 'es'),
      sentence('room.summary-part', { part: 2, parts: 3 }, 'es'),
    ]);
    expect(states.at(-1)).toBe('They');
  });

  it('states where captions from the beginning are no longer kept', async () => {
    // Nothing of it need be shown.
    const { clock, session, say } = setUp({ refuse: () => new AppError('not-found', 'gone') });
    session.setLanguages(['es', 'fr', 'de', 'it', 'pt', 'nl']);
    for (let id = 0; id <= 200; id += 1) {
      say(id, 'x'.repeat(2_000));
      await clock.advance(1);
    }
    expect(session.lineCount()).toBeLessThan(200);
    const states = await Array.fromAsync(session.summary('en', assistant, signal));
    expect(states.at(-1)).toBe(`${sentence('room.summary-cut')}\nThey`);
  });
});
