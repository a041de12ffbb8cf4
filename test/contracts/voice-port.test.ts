import { describe } from 'vitest';
import { AppError } from '../../src/errors.ts';
import type { LinkListener, VoiceLink, VoicePort } from '../../src/ports/voice.ts';
import { createTestClock } from '../fakes/clock.ts';
import { channelOf, createVoicePlace, human } from '../fakes/voice-port.ts';
import { testBroken, testContract } from './contract.ts';
import { voicePortContract, type VoicePortSubject } from './voice-port.ts';

const STEP_MS = 20;
const LONGEST_MS = 5_000;
const FORBIDDEN = new AppError('forbidden', 'a moderator said so');
const SILENCED = { speaking: FORBIDDEN, hearing: FORBIDDEN };

const openSubject = (change: (port: VoicePort) => VoicePort = (port) => port): VoicePortSubject => {
  const clock = createTestClock();
  const place = createVoicePlace(clock);
  const rooms = new Map<string, ReturnType<typeof channelOf>>();
  return {
    port: change(place.port),
    room: channelOf('room'),
    other: channelOf('other'),
    enter: async (room, name) => {
      const id = name.toLowerCase();
      place.enter(room, human(id, name));
      rooms.set(id, room);
      return id;
    },
    exit: (id) => place.exit(rooms.get(id)!, id),
    speak: async (id, packets) => place.speak(id, 'words', packets * STEP_MS),
    move: (to) => place.move(to),
    silence: (isSilenced) => place.restrict(isSilenced ? SILENCED : {}),
    disconnect: () => place.kick(),
    played: () => place.played.length,
    soon: async (check) => {
      for (let waitedMs = 0; ; waitedMs += STEP_MS) {
        try {
          return check();
        } catch (thrown) {
          if (waitedMs >= LONGEST_MS) throw thrown;
          await clock.advance(STEP_MS);
        }
      }
    },
    pass: async (ms) => clock.advance(ms),
  };
};

testContract('the voice port of the tests', voicePortContract, () => openSubject());

/** A port whose listeners are changed. */
const withListener =
  (change: (listener: LinkListener) => Partial<LinkListener>) =>
  (port: VoicePort): VoicePort => ({
    ...port,
    join: (room, listener, signal) => port.join(room, { ...listener, ...change(listener) }, signal),
  });

/** A port whose links are changed. */
const withLink =
  (change: (link: VoiceLink) => Partial<VoiceLink>) =>
  (port: VoicePort): VoicePort => ({
    ...port,
    join: async (room, listener, signal) => {
      const link = await port.join(room, listener, signal);
      const changed = change(link);
      return new Proxy(link, {
        get: (target, name) => Reflect.get(name in changed ? changed : target, name) as unknown,
      });
    },
  });

describe('a voice port', () => {
  testBroken(voicePortContract, {
    'lists the bot': {
      port: openSubject((port) => ({
        ...port,
        present: (room) => [...port.present(room), { id: 'bot', name: 'Dragoman', isBot: true }],
      })),
      fails: 'knows who is in a room, the bot left out',
    },
    'subscribes to everybody': {
      port: openSubject(withLink((link) => ({ subscribe: () => link.subscribe(['ann', 'bob']) }))),
      fails: 'hands over packets of subscribed members alone, and of nobody at first',
    },
    'never ends a subscription': {
      port: openSubject(
        withLink((link) => ({
          subscribe: (ids) => {
            if (ids.length > 0) link.subscribe(ids);
          },
        })),
      ),
      fails: 'hands over nothing more of a member who is no longer subscribed',
    },
    'numbers all packets alike': {
      port: openSubject((port) => ({
        ...port,
        join: (room, listener, signal) =>
          port.join(
            room,
            { ...listener, packet: (packet) => listener.packet({ ...packet, sequence: 1 }) },
            signal,
          ),
      })),
      fails: 'numbers the packets of a member in the order in which they were sent',
    },
    'counts nothing': {
      port: openSubject(withLink(() => ({ stats: () => [] }))),
      fails: 'counts what it received of a member',
    },
    'resolves before it has played': {
      port: openSubject(
        withLink((link) => ({
          play: async (packets, signal) => void link.play(packets, signal).catch(() => undefined),
        })),
      ),
      fails: 'plays every packet, and resolves when the last one was sent',
    },
    'does not mind an abort': {
      port: openSubject(
        withLink((link) => ({
          play: async (packets, signal) => {
            void link.play(packets, new AbortController().signal);
            const aborted = Promise.withResolvers<never>();
            signal.addEventListener('abort', () => aborted.reject(signal.reason as Error));
            await aborted.promise;
          },
        })),
      ),
      fails: 'is silent when playing is aborted, and rejects with the reason',
    },
    'keeps two rooms': {
      port: openSubject(withListener(() => ({ ended: () => undefined }))),
      fails: 'has one room a space: joining another one ends the first, with no error',
    },
    'does not report a move': {
      port: openSubject(withListener(() => ({ moved: () => undefined }))),
      fails: 'follows a move, and says so',
    },
    'does not report its restrictions': {
      port: openSubject(withListener(() => ({ restricted: () => undefined }))),
      fails: 'reports what moderators keep it from, and when they no longer do',
    },
    'ends twice': {
      port: openSubject(
        withListener((listener) => ({
          ended: (error) => {
            listener.ended(error);
            listener.ended(error);
          },
        })),
      ),
      fails: 'ends without an error when somebody disconnects it, once',
    },
    'joins for nobody': {
      port: openSubject((port) => ({
        ...port,
        join: (room, listener) => port.join(room, listener, new AbortController().signal),
      })),
      fails: 'does not join for somebody who has gone',
    },
  });
});
