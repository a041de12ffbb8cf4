import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/model/message.ts';
import { plainWords } from '../../../../src/rich-text/compose.ts';
import type { ReadingState } from '../../../../src/voice/room-answers.ts';
import { createReadAloud, type ReadAloudDeps } from '../../../../src/voice/tts/read-aloud.ts';
import { silentLog } from '../../../fakes/silent-log.ts';

const SPACE = { platform: 'test', id: 's' };
const messageOf = (part: Partial<Message> & { readonly words?: string } = {}): Message => ({
  ref: { channel: { space: SPACE, id: 'chat' }, id: '1' },
  position: '1',
  author: { id: 'ann', name: 'Ann', kind: 'person' },
  text: plainWords(part.words ?? 'hello'),
  files: [],
  stickers: [],
  ...part,
});

interface Scene {
  readonly say?: () => Promise<boolean>;
  readonly quiet?: readonly string[];
  readonly optedOut?: boolean;
  readonly isRead?: boolean;
}

/** The answer of a room to what became of a message that was reported to it. */
const readingOf = async (
  message: Message,
  { say = async () => true, quiet = [], optedOut = false, isRead = true }: Scene = {},
): Promise<ReadingState | undefined> => {
  const room = {
    say,
    readsAloud: () => isRead,
    wrote: () => undefined,
    texts: { words: () => [] },
  };
  const services = {
    spaces: { of: async () => ({ quietChannels: quiet }) },
    privacy: { optedOut: async () => optedOut },
  };
  const deps = { services, roomOf: () => room, log: silentLog };
  const readAloud = createReadAloud(deps as unknown as ReadAloudDeps);
  readAloud.wrote(message);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  return readAloud.readingOf(message.ref);
};

describe('a message of a channel that is read aloud', () => {
  it.each<[ReadingState, Message, Scene]>([
    ['read', messageOf(), {}],
    ['nothing-to-say', messageOf(), { say: async () => false }],
    ['failed', messageOf(), { say: async () => Promise.reject(new Error('no voice')) }],
    ['system', messageOf({ system: true }), {}],
    ['bot', messageOf({ author: { id: 'b', name: 'B', kind: 'bot' } }), {}],
    ['command', messageOf({ words: '!play' }), {}],
    ['quiet-channel', messageOf(), { quiet: ['chat'] }],
    ['opted-out', messageOf(), { optedOut: true }],
  ])('is known to be: %s', async (state, message, scene) => {
    expect(await readingOf(message, scene)).toBe(state);
  });

  it('is not known where its channel is not read aloud', async () => {
    expect(await readingOf(messageOf(), { isRead: false })).toBeUndefined();
  });
});
