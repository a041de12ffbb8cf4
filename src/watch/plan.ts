import { toAppError, type AppError } from '../errors.ts';
import type { Channel, Message, OutgoingFile } from '../model.ts';
import type { ChannelWatch, Services } from '../services.ts';
import { composeCopy, composeReply, threadName, type Draft } from './compose.ts';
import type { SkipReason } from './policy.ts';
import type { WatchPort } from './port.ts';
import type { Prepared } from './prepare.ts';

export interface Placed {
  readonly target: Channel;
  readonly draft: Draft;
}

/** Where what was prepared is to stand. Nothing: for `skip`. */
export interface Plan {
  readonly placed: readonly Placed[];
  readonly skip?: SkipReason;
  /** What stands is left as it is, though nothing is placed. */
  readonly leaves?: boolean;
  readonly used: Prepared['used'];
  readonly fault: AppError | undefined;
}

interface PlanParts {
  readonly languages: Services['languages'];
  readonly port: WatchPort;
  /** No other try follows. */
  readonly last: boolean;
}

const none = ({ used, fault }: Prepared, skip: SkipReason): Plan => ({
  placed: [],
  skip,
  used,
  fault,
});

export const planReply = (
  message: Message,
  prepared: Prepared,
  { languages }: Pick<PlanParts, 'languages'>,
): Plan => {
  const draft = composeReply(prepared, languages);
  if (!draft) return none(prepared, 'same-language');
  const { used, fault } = prepared;
  return { placed: [{ target: message.ref.channel, draft }], used, fault };
};

const readFile = async (
  file: Message['files'][number],
  signal: AbortSignal,
): Promise<OutgoingFile> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open(signal)) chunks.push(chunk);
  const { name, mediaType, voice } = file;
  return { name, mediaType, bytes: Buffer.concat(chunks), ...(voice ? { voice } : {}) };
};

/** The files that fit together into one copy, and the names of those that do not. */
const carryFiles = async (
  { files }: Message,
  { port, last }: Pick<PlanParts, 'port' | 'last'>,
  signal: AbortSignal,
): Promise<{ carried: OutgoingFile[]; leftOut: string[] }> => {
  const carried: OutgoingFile[] = [];
  const leftOut: string[] = [];
  let roomBytes = port.copiedFilesBytes;
  for (const file of files) {
    try {
      const fits = file.sizeBytes !== undefined && file.sizeBytes <= roomBytes;
      const read = fits ? await readFile(file, signal) : undefined;
      if (read && read.bytes.byteLength <= roomBytes) {
        roomBytes -= read.bytes.byteLength;
        carried.push(read);
      } else leftOut.push(file.name);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'cancelled' || (error.retryable && !last)) throw error;
      leftOut.push(file.name);
    }
  }
  return { carried, leftOut };
};

interface Place {
  readonly language: string;
  readonly target: () => Promise<Channel>;
}

/** Where a message of a watched channel is shown, and in which language. */
export const placesOf = (
  watch: ChannelWatch,
  group: readonly ChannelWatch[],
  here: Channel,
  port: Pick<WatchPort, 'thread'>,
  languages: Services['languages'],
): readonly Place[] => {
  switch (watch.mode) {
    case 'reply':
      return watch.languages.map((language) => ({ language, target: async () => here }));
    case 'thread':
      return watch.languages.map((language) => ({
        language,
        target: () => port.thread(here, threadName(language, languages)),
      }));
    case 'mirror':
      return group
        .filter(({ channel }) => channel.id !== here.id)
        .map(({ channel, languages: [language = ''] }) => ({
          language,
          target: async () => channel,
        }));
  }
};

/** Copies under the author's name: into the other channels of a group, or the threads of a channel. */
export const planCopies = async (
  message: Message,
  prepared: Prepared,
  watch: ChannelWatch,
  group: readonly ChannelWatch[],
  parts: PlanParts,
  signal: AbortSignal,
): Promise<Plan> => {
  const { languages, port } = parts;
  const places = placesOf(watch, group, message.ref.channel, port, languages);
  const wanted = places.flatMap(({ language, target }) => {
    const rendering = prepared.renderings.find((one) => one.language === language);
    const needed = rendering && (watch.mode === 'mirror' || rendering.outcome !== 'same');
    return needed ? [{ rendering, target }] : [];
  });
  if (wanted.length === 0) return none(prepared, 'same-language');
  const { carried, leftOut } = await carryFiles(message, parts, signal);
  const placed: Placed[] = [];
  for (const { rendering, target } of wanted)
    placed.push({
      target: await target(),
      draft: composeCopy(message, rendering, prepared, languages, carried, leftOut),
    });
  const { used, fault } = prepared;
  return { placed, used, fault };
};
