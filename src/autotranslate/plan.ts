import type { AppError, Sentence } from '../errors.ts';
import { say, type Texts } from '../i18n.ts';
import type { Channel } from '../model/place.ts';
import type { Message } from '../model/message.ts';
import type { MessageFile } from '../model/file.ts';
import type { ChannelWatch } from '../model/watch.ts';
import type { Services } from '../command/services.ts';
import { isBlank } from '../text/unicode.ts';
import type { PreparedAttachments } from './attachments.ts';
import {
  composeCopy,
  composeFlagged,
  composeReply,
  threadName,
  type MirrorDraft,
} from './compose.ts';
import { claimsAudio, hasWords, type SkipReason } from './policy.ts';
import type { WatchPort } from '../ports/channel-feed.ts';
import type { Prepared } from './prepare.ts';

export interface Placed {
  readonly target: Channel;
  /** The copy, once the files that it carries are read. */
  readonly compose: (carried: PreparedAttachments) => MirrorDraft;
}

/** Where what was prepared is to stand. Empty when skipped; `skip` says why. */
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

/** Why a flag brings no translation; undefined where it brings one, or nothing was asked in earnest. */
const lackOf = (
  message: Message,
  { fault, renderings, transcript }: Prepared,
): Sentence | undefined => {
  const [rendering] = renderings;
  if (fault) return fault.sentence;
  if (rendering?.outcome !== 'same' || transcript) return undefined;
  const { language } = rendering;
  if (hasWords(message))
    return { key: 'translate.same-language', params: { language: { language } } };
  return message.files.some(claimsAudio) ? { key: 'speech.nothing-heard' } : undefined;
};

/** What was prepared where nothing could be, because of `fault`. */
export const unprepared = (language: string, fault: AppError): Prepared => ({
  transcript: undefined,
  renderings: [{ language, from: 'und', text: undefined, heard: undefined, outcome: 'failed' }],
  used: { characters: 0, audioMs: 0 },
  fault,
});

/** The reply to whoever pressed a flag: always something, that nobody takes it for broken. */
export const planFlagged = (
  message: Message,
  language: string,
  prepared: Prepared,
  { languages, texts }: Pick<PlanParts, 'languages'> & { readonly texts: Pick<Texts, 'in'> },
): Plan => {
  const lack = lackOf(message, prepared);
  const draft = composeFlagged(prepared, lack && say(texts.in(language), lack), languages);
  if (!draft) return none(prepared, reasonOf(message, prepared));
  const { used, fault } = prepared;
  const placed = [{ target: message.ref.channel, compose: () => draft }];
  const skip = lack && !fault ? { skip: reasonOf(message, prepared) } : {};
  return { placed, carries: [], used, fault, ...skip };
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
