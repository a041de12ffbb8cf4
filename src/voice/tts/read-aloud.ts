import type { Message } from '../../model/message.ts';
import { isQuiet } from '../../model/space-choices.ts';
import type { Services } from '../../command/services.ts';
import type { SpeechRequest } from '../service.ts';

/** Meant for a bot, as `!play` or `/help`. */
const COMMAND = /^[!/]\p{L}/u;

/**
 * What is to be said of something that was written in a channel that is read aloud; undefined for what
 * no person wrote to be read: of bots, in quiet channels, of people who opted out.
 *
 * @param filesInWords how files are spoken of that stand with it
 */
export const speechOfMessage = async (
  { author, text, files, ref, system }: Message,
  { spaces, privacy }: Pick<Services, 'spaces' | 'privacy'>,
  filesInWords: (count: number) => string,
): Promise<SpeechRequest | undefined> => {
  const { space } = ref.channel;
  if (author.kind !== 'person' || system || COMMAND.test(text)) return undefined;
  if (isQuiet(ref.channel, await spaces.of(space))) return undefined;
  if (await privacy.optedOut({ platform: space.platform, id: author.id })) return undefined;
  const all = files.length > 0 ? `${text}\n${filesInWords(files.length)}` : text;
  return { kind: 'read', text: all, by: { id: author.id, name: author.name } };
};
