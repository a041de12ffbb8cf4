import { createKeyedMutex } from '../../async/locks.ts';
import { type Log, logFailure } from '../../telemetry/log.ts';
import { lines } from '../../rich-text/compose.ts';
import type { Message } from '../../model/message.ts';
import type { RichText } from '../../rich-text/rich-text.ts';
import { keyOf, type Space } from '../../model/place.ts';
import { isQuiet } from '../../model/space.ts';
import type { OpenRoom } from '../room.ts';
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

/** False of bots, of commands, in quiet channels, and for people who opted out. */
const isForRooms = async (
  { author, text, ref, system }: Message,
  { spaces, privacy }: ReadAloudDeps['services'],
): Promise<boolean> => {
  const { space } = ref.channel;
  if (author.kind !== 'person' || system || isCommand(text)) return false;
  if (isQuiet(ref.channel, await spaces.of(space))) return false;
  return !(await privacy.optedOut({ platform: space.platform, id: author.id }));
};

/** The speech for a message. */
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
  const guarded = (run: () => Promise<unknown>): void =>
    void logFailure(log, 'a message could not be read aloud', run);
  const read = async (message: Message): Promise<void> => {
    const { space } = message.ref.channel;
    using _ = await mutex.take(keyOf(space));
    const room = roomOf(space);
    if (!room || !(await isForRooms(message, services))) return;
    const isReadAloud = room.readsAloud(message.ref.channel);
    // The speech keeps its place in the queue; the next message need not wait for it.
    if (isReadAloud) guarded(() => room.say(speechOfMessage(message, room.texts)));
    room.wrote(message, isReadAloud);
  };
  return (message: Message): void => guarded(() => read(message));
};
