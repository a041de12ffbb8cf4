import { createKeyedMutex } from '../../async/locks.ts';
import { createLru } from '../../async/lru.ts';
import { type Log, logFailure } from '../../telemetry/log.ts';
import { lines } from '../../rich-text/compose.ts';
import type { Message } from '../../model/message.ts';
import type { RichText } from '../../rich-text/rich-text.ts';
import { keyOf, messageKey, type MessageRef, type Space } from '../../model/place.ts';
import { isQuiet } from '../../model/space.ts';
import type { OpenRoom } from '../room.ts';
import type { ReadingState } from '../room-answers.ts';
import type { RoomTexts } from '../texts.ts';
import type { SpeechRequest, VoiceServices } from '../room-types.ts';

export interface ReadAloudDeps {
  readonly services: Pick<VoiceServices, 'spaces' | 'privacy'>;
  readonly roomOf: (
    space: Space,
  ) => Pick<OpenRoom, 'say' | 'texts' | 'readsAloud' | 'wrote'> | undefined;
  readonly log: Pick<Log, 'warn'>;
}

/** A message for a bot, such as `!play` or `/help`. */
const COMMAND = /^[!/]\p{L}/u;

const isCommand = ([first]: RichText): boolean => {
  const [opening] = first?.kind === 'paragraph' ? first.children : [];
  return opening?.kind === 'text' && COMMAND.test(opening.text);
};

/** Messages of which it is known in memory whether they were read. */
const MOST_KNOWN = 500;

/** The reason for which a message is neither read aloud nor captioned; undefined where there is none. */
const refusal = async (
  { author, text, ref, system }: Message,
  { spaces, privacy }: ReadAloudDeps['services'],
): Promise<ReadingState | undefined> => {
  const { space } = ref.channel;
  if (system) return 'system';
  if (author.kind !== 'person') return 'bot';
  if (isCommand(text)) return 'command';
  if (isQuiet(ref.channel, await spaces.of(space))) return 'quiet-channel';
  const isOut = await privacy.optedOut({ platform: space.platform, id: author.id });
  return isOut ? 'opted-out' : undefined;
};

const speechOfMessage = (
  { author, text, files }: Message,
  texts: Pick<RoomTexts, 'words'>,
): SpeechRequest => {
  const all =
    files.length > 0 ? lines(text, texts.words('room.file', { count: files.length })) : text;
  return { kind: 'read', text: all, by: { id: author.id, name: author.name } };
};

/** Takes messages for the room of their space, in order: they are read aloud and captioned. Never rejects. */
export const createReadAloud = ({ services, roomOf, log }: ReadAloudDeps) => {
  const mutex = createKeyedMutex();
  const known = createLru<string, ReadingState>(MOST_KNOWN);
  const guarded = (run: () => Promise<unknown>): void =>
    void logFailure(log, 'a message could not be read aloud', run);
  const read = async (message: Message): Promise<void> => {
    const { space } = message.ref.channel;
    using _ = await mutex.take(keyOf(space));
    const room = roomOf(space);
    if (!room) return;
    const isReadAloud = room.readsAloud(message.ref.channel);
    const note = (state: ReadingState): void => {
      if (isReadAloud) known.set(messageKey(message.ref), state);
    };
    const refused = await refusal(message, services);
    if (refused) return note(refused);
    // The speech keeps its place in the queue; the next message need not wait for it.
    if (isReadAloud)
      guarded(async () => {
        note('failed');
        const isQueued = await room.say(speechOfMessage(message, room.texts));
        note(isQueued ? 'read' : 'nothing-to-say');
      });
    room.wrote(message, isReadAloud);
  };
  return {
    wrote: (message: Message): void => guarded(() => read(message)),
    /** See `Rooms.readingOf`. */
    readingOf: (ref: MessageRef): ReadingState | undefined => known.get(messageKey(ref)),
  };
};
