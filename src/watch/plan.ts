import type { AppError } from '../errors.ts';
import type { Channel, Message, MessageFile } from '../model.ts';
import type { ChannelWatch, Services } from '../services.ts';
import { isBlank } from '../text/unicode.ts';
import type { Carried } from './carry.ts';
import { composeCopy, composeReply, threadName, type Draft } from './compose.ts';
import type { SkipReason } from './policy.ts';
import type { WatchPort } from './port.ts';
import type { Prepared } from './prepare.ts';

export interface Placed {
  readonly target: Channel;
  /** The copy, once the files that it carries are read. */
  readonly compose: (carried: Carried) => Draft;
}

/** Where what was prepared is to stand. Nothing: for `skip`. */
export interface Plan {
  readonly placed: readonly Placed[];
  /** Files of the message that its copies carry; read when these are posted, and not held before. */
  readonly carries: readonly MessageFile[];
  readonly skip?: SkipReason;
  /** What stands is left as it is, though nothing is placed. */
  readonly leaves?: boolean;
  readonly used: Prepared['used'];
  readonly fault: AppError | undefined;
}

interface PlanParts {
  readonly languages: Services['languages'];
  readonly port: WatchPort;
}

const none = ({ used, fault }: Prepared, skip: SkipReason): Plan => ({
  placed: [],
  carries: [],
  skip,
  used,
  fault,
});

const reasonOf = ({ text }: Message, { transcript }: Prepared): SkipReason =>
  isBlank(text) && !transcript ? 'nothing-heard' : 'same-language';

export const planReply = (
  message: Message,
  prepared: Prepared,
  { languages }: Pick<PlanParts, 'languages'>,
): Plan => {
  const draft = composeReply(prepared, languages);
  if (!draft) return none(prepared, reasonOf(message, prepared));
  const { used, fault } = prepared;
  const placed = [{ target: message.ref.channel, compose: () => draft }];
  return { placed, carries: [], used, fault };
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
  { languages, port }: PlanParts,
): Promise<Plan> => {
  const places = placesOf(watch, group, message.ref.channel, port, languages);
  const wanted = places.flatMap(({ language, target }) => {
    const rendering = prepared.renderings.find((one) => one.language === language);
    const needed = rendering && (watch.mode === 'mirror' || rendering.outcome !== 'same');
    return needed ? [{ rendering, target }] : [];
  });
  if (wanted.length === 0) return none(prepared, reasonOf(message, prepared));
  const placed: Placed[] = [];
  for (const { rendering, target } of wanted)
    placed.push({
      target: await target(),
      compose: (carried) => composeCopy(message, rendering, prepared, languages, carried),
    });
  const { used, fault } = prepared;
  return { placed, carries: message.files, used, fault };
};
