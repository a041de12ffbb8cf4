import { recover, toAppError } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import { isSameChannel, type MessageRef } from '../../model/place.ts';
import type { RichText } from '../../rich-text/rich-text.ts';
import type { Mirror, MirrorTarget } from '../../ports/mirrors.ts';
import { WATCH } from '../../store/inbox/row.ts';
import { isSameTarget, type MirrorStore } from '../../store/channels/mirrors.ts';
import type { Privacy } from '../../store/privacy/person-data.ts';
import { excerpt } from '../../text/quoted-words.ts';
import { namedFor, within, type WatchedPlatforms } from '../watched-platforms.ts';
import type { Bars } from '../bars.ts';
import type { OpenSources } from '../open-sources.ts';
import type { Answered } from './answered.ts';

const QUOTED_CHARS = 80;
/** Longest wait for a message that is quoted: it may stand in a place that does not answer. */
const QUOTE_MS = 3_000;

export interface QuoteDeps {
  readonly stored: Pick<MirrorStore, 'sourcesOf' | 'of' | 'isDeleted'>;
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly answered: Answered;
  readonly bars: Bars;
  readonly openSources: OpenSources;
}

/** The mirror of a message in a target; the message itself where it has none there. */
const counterpart = async (
  source: MessageRef,
  place: MirrorTarget,
  stored: Pick<MirrorStore, 'of'>,
): Promise<MessageRef> => {
  if (isSameChannel(source.channel, place.channel)) return source;
  const all = await stored.of({ ref: source, purpose: WATCH });
  const there = all.find(({ target }) => isSameTarget(target, place))?.posted;
  return there ? { channel: there.channel, id: there.ids[0] } : source;
};

/** A mirror that is created together with a reply to its source. */
export interface Together {
  readonly source: Message;
  readonly text: RichText;
}

export interface Quoted {
  /** The message as its author wrote it. */
  readonly of: MessageRef;
  readonly quote: NonNullable<Mirror['quote']>;
}

/**
 * The message that a message replies to, as the readers of a target see it: in their own language
 * where it has a mirror there, as written otherwise. Undefined when it is deleted or was kept out, its author opted out, or is
 * barred from the target. Where it may not be read there any more, and has no mirror, it is as its copy says.
 *
 * @param options.together mirrors that are created in the target before that of the message
 * @param options.isLast false where the quote may be tried again: then it rejects where that may help
 */
export const quoteFor = async (
  answer: Message,
  target: MirrorTarget,
  { stored, platforms, privacy, answered, bars, openSources }: QuoteDeps,
  { together = [], isLast }: { readonly together?: readonly Together[]; readonly isLast: boolean },
): Promise<Quoted | undefined> => {
  const { replyTo } = answer;
  if (!replyTo) return undefined;
  const near = together.find(
    ({ source: { ref } }) => ref.id === replyTo.id && isSameChannel(ref.channel, replyTo.channel),
  );
  if (near) {
    const { ref, author } = near.source;
    const named = await namedFor(near.text, target.channel, target.channel, platforms);
    return { of: ref, quote: { ref, name: author.name, text: excerpt(named, QUOTED_CHARS) } };
  }
  const read = async (ref: MessageRef, of?: MessageRef): Promise<Message | undefined> =>
    platforms.of(ref.channel).feed.read(ref, of);
  // In the last try, a quote that mentions nobody is better than none.
  const orNobody = async (finding: Promise<string | undefined>): Promise<string | undefined> =>
    recover(finding, (thrown) => isLast || !toAppError(thrown).retryable);
  const find = async (): Promise<Quoted | undefined> => {
    const sources = await stored.sourcesOf(replyTo);
    const source = sources[0]?.ref ?? replyTo;
    if (await stored.isDeleted(source)) return undefined;
    const written = await read(source);
    if (!written) return undefined;
    const { platform } = source.channel.space;
    if (await privacy.optedOut({ platform, id: written.author.id })) return undefined;
    if (await bars.isBarred(written, target.channel)) return undefined;
    const ref = await counterpart(source, target, stored);
    if (ref === source && (await openSources.wasKeptOut(written, target.channel))) return undefined;
    const isOpen = sources.length === 0 || (await openSources.isOpen(written, target.channel));
    const open = isOpen ? written : undefined;
    const there = ref === source ? open : await read(ref, source);
    const shown = there ?? (await read(replyTo, source)) ?? open;
    if (!shown) return undefined;
    const named = await namedFor(shown.text, shown.ref.channel, target.channel, platforms);
    const text = excerpt(named, QUOTED_CHARS);
    // Of several people's copies in one message, nobody can say which one is answered.
    const mentions =
      sources.length === 1
        ? await orNobody(answered.mentioned(answer, written, target.channel))
        : undefined;
    const by = mentions === undefined ? {} : { mentions };
    return { of: source, quote: { ref: shown.ref, name: shown.author.name, text, ...by } };
  };
  try {
    return await within(QUOTE_MS, find(), undefined);
  } catch (thrown) {
    const error = toAppError(thrown);
    if ((error.retryable && !isLast) || error.code === 'cancelled') throw error;
    // A message that cannot be read is not quoted; its reply is posted all the same.
    return undefined;
  }
};
