import type { Api } from '../api.ts';
import { createLru } from '../../../src/async/lru.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import { isGone } from '../errors.ts';
import { LEVEL } from '../rate-limiter.ts';
import { readMessage, type ThreadRoots } from '../history.ts';
import { USERNAME_CHARS } from '../limits.ts';
import type { Mentions } from '../mentions.ts';
import type { MessageWriter } from '../outbound/message-writer.ts';
import { controlBlocks } from '../outbound/blocks.ts';
import { notificationOf, renderPart, textParts, type Part } from '../outbound/render.ts';
import type { MirrorFiles } from './files.ts';
import { PLATFORM } from '../ids.ts';
import type { RawBlock } from '../inbound/raw-message.ts';
import { personaIn } from './persona.ts';
import type { ScopeChoice } from '../scopes.ts';
import { renderSlackBlocks } from '../rich-text/render-blocks.ts';
import { handleOf, metadataOf, readHandle, readMetadata, type MirrorHandle } from './metadata.ts';
import { foundOf, type FoundMessages, type OwnMessages } from './own-messages.ts';
import { isSameChannel, messageKey, type Channel, type Posted } from '../../../src/model/place.ts';
import { labelled } from '../../../src/rich-text/compose.ts';
import {
  link,
  mention,
  paragraph,
  styled,
  subtext,
  text,
  type Block,
  type Inline,
} from '../../../src/rich-text/rich-text.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';
import type {
  CreateOptions,
  Mirror,
  MirrorTarget,
  UpdateOptions,
} from '../../../src/ports/mirrors.ts';
import { quotedWords } from '../../../src/text/quoted-words.ts';
export interface MirrorWriterDeps {
  readonly api: Api;
  readonly writer: MessageWriter;
  readonly threads: ThreadRoots;
  readonly files: MirrorFiles;
  readonly mentions: Pick<Mentions, 'completed'>;
  readonly ownMessages: OwnMessages;
  readonly names: ScopeChoice['names'];
}

/** Bytes that a label, quote and footer take beside the text. */
const AROUND_BYTES = 900;
const QUOTE_CHARS = 100;
/** Mirrors of which it is remembered that they have notified somebody. */
const TOLD = 5_000;

const words = (written: string, chars: number): Inline => text(quotedWords(written, chars) || '…');

type Quote = NonNullable<Mirror['quote']>;

/** The message that is answered, where it stands in another channel. */
const quoteLine = ({ name, text: quoted }: Quote): Block =>
  subtext(
    text('↪ '),
    styled('bold', words(name, USERNAME_CHARS)),
    text(`: ${quotedWords(quoted, QUOTE_CHARS)}`),
  );

/** True for a block that `quoteLine` or `mentioning` put above a mirror's text. */
const isQuoteBlock = (block: RawBlock | undefined, type: 'context' | 'rich_text'): boolean =>
  block?.type === type && /"text":"(..)/u.exec(JSON.stringify(block['elements']))?.[1] === '↪ ';

/** The first message of a mirror with the one mention that notifies, above all else. */
const mentioning = (part: Part, { name, mentions = '' }: Quote): Part => {
  const shown = quotedWords(name, USERNAME_CHARS);
  const ahead = [paragraph(text('↪ '), mention(PLATFORM, 'member', mentions, shown))];
  return {
    ...part,
    // Blocks are what Slack shows and reads mentions in.
    text: `${notificationOf(ahead)}\n${part.text}`,
    blocks: [renderSlackBlocks(ahead, { mayNotify: () => true }), ...part.blocks],
  };
};

/** The same mirror with this mention in its quote, or with none. */
export const withMention = (mirror: Mirror, mentions: string | undefined): Mirror => {
  if (!mirror.quote) return mirror;
  const { mentions: _, ...quote } = mirror.quote;
  return { ...mirror, quote: { ...quote, ...(mentions === undefined ? {} : { mentions }) } };
};

/** The small line under a mirror: its language, as a link to the source where there is one. */
const footer = ({ label, sourceUrl }: Mirror): Block =>
  subtext(...(sourceUrl === undefined ? label : [link(sourceUrl, ...label)]));

/**
 * The texts of a mirror.
 *
 * @param isQuoted true where the message that is answered has to be quoted
 * @param names as in `ScopeChoice`
 */
const mirrorParts = (
  mirror: Mirror,
  isQuoted: boolean,
  names: ScopeChoice['names'],
): readonly Part[] => {
  const { content, label, quote, as } = mirror;
  const ahead = as ? [styled('bold', words(as.name, USERNAME_CHARS))] : label;
  const body = as && names !== 'app' ? content.text : labelled(ahead, content.text);
  const trees = textParts(body, AROUND_BYTES);
  const shown = trees.length > 0 ? trees : [[paragraph()]];
  return shown.map((tree, index) => {
    const isFirst = index === 0 && as !== undefined;
    const isLast = index === shown.length - 1;
    const written = renderPart([
      ...(isFirst && quote && isQuoted ? [quoteLine(quote)] : []),
      ...tree,
      ...(as && isLast ? [footer(mirror)] : []),
    ]);
    const part = isFirst && quote?.mentions !== undefined ? mentioning(written, quote) : written;
    return isLast
      ? { ...part, blocks: [...part.blocks, ...controlBlocks(content.controls)] }
      : part;
  });
};

/** The first messages of mirrors of the same call, by the keys of their sources. */
export type Earlier = ReadonlyMap<string, string>;

/** A reply stands in the thread of its source, which is not known where the source is deleted. */
const sourceGone = (): AppError => new AppError('not-found', 'the source of a mirror was deleted');

/** A mirror at its place: its texts, and the messages that show its files. */
const postedAs = (
  channel: Channel,
  texts: readonly string[],
  how: Omit<MirrorHandle, 'texts'>,
): Posted => ({
  channel,
  ids: [
    ...new Set([...texts, ...how.files.flatMap(({ ts }) => ts ?? [])]),
  ] as unknown as Posted['ids'],
  handle: handleOf({ texts: texts.length, ...how }),
});

/** The part of a handle that tells whom a mirror mentions. */
const markOf = (mentions: string | undefined): Pick<MirrorHandle, 'mentions'> =>
  mentions === undefined ? {} : { mentions };

/** Creates what posts mirrors and brings those that stand into their state. */
export const createMirrorWriter = (deps: MirrorWriterDeps) => {
  const { api, writer, threads, files, mentions, ownMessages, names } = deps;
  /** Mirrors that have notified the author of what they answer. */
  const told = createLru<string, true>(TOLD);

  /** The thread in which a mirror stands; undefined where it stands in the channel. */
  const threadFor = async (
    { channel, threadId }: MirrorTarget,
    { source, sourceThreadId, as, below, quote }: Mirror,
    earlier: Earlier = new Map(),
  ): Promise<string | undefined> => {
    if (threadId !== undefined) return threadId;
    if (below || !as) {
      const root = sourceThreadId ?? (await threads.rootOf(source));
      if (root === undefined) throw sourceGone();
      return below && root === source.id ? undefined : root;
    }
    const together = quote && earlier.get(messageKey(quote.ref));
    if (together !== undefined) return threads.rootOf({ channel, id: together });
    return quote && isSameChannel(quote.ref.channel, channel)
      ? threads.rootOf(quote.ref)
      : undefined;
  };

  const placeFor = async (target: MirrorTarget, mirror: Mirror, earlier: Earlier) => {
    const threadTs = await threadFor(target, mirror, earlier);
    const isBroadcast = mirror.broadcast && target.threadId === undefined && threadTs !== undefined;
    return { threadTs, ...(isBroadcast ? { broadcast: true as const } : {}) };
  };

  /** The texts of a mirror, in which everybody has a name. */
  const partsOf = async (
    { space }: Channel,
    mirror: Mirror,
    threadTs: string | undefined,
  ): Promise<readonly Part[]> => {
    const { content } = mirror;
    const named = { ...content, text: await mentions.completed(space, content.text) };
    return mirrorParts({ ...mirror, content: named }, threadTs === undefined, names);
  };

  const post = async (
    target: MirrorTarget,
    wanted: Mirror,
    earlier: Earlier,
    { isBackfill, signal, assertHeld }: Pick<CreateOptions, 'isBackfill' | 'signal' | 'assertHeld'>,
  ): Promise<Posted> => {
    const { channel } = target;
    const key = `${channel.id} ${messageKey(wanted.source)}`;
    const mirror = told.get(key) ? withMention(wanted, undefined) : wanted;
    const mentioned = mirror.quote?.mentions;
    const place = await placeFor(target, mirror, earlier);
    const { threadTs } = place;
    const parts = await partsOf(channel, mirror, threadTs);
    const staged = await files.stage(channel, mirror);
    const timestamps = await writer.post(channel, parts, {
      ...place,
      as: personaIn(mirror, names),
      metadata: (index) => metadataOf(mirror, index, parts.length, staged),
      priority: isBackfill ? { level: LEVEL.background } : undefined,
      signal,
      assertHeld,
    });
    if (mentioned !== undefined) told.set(key, true);
    for (const ts of timestamps) threads.note(channel, ts, threadTs ?? ts);
    const shown = await files
      .show(channel, threadTs, mirror, staged, { assertHeld })
      .catch(async (thrown: unknown) => {
        // What is refused for good leaves nothing behind: it is posted without its files.
        if (!toAppError(thrown).retryable) {
          await files.remove(channel, staged, { assertHeld });
          for (const ts of timestamps) await writer.erase(channel, ts, { assertHeld });
        }
        throw thrown;
      });
    return postedAs(channel, timestamps, { ...place, ...markOf(mentioned), files: shown });
  };

  /** Finds what an interrupted try of an update left: texts that were added, and files. */
  const unfinishedOf = async (
    { channel, ids: [first] }: Posted,
    mirror: Mirror,
    { threadTs }: MirrorHandle,
    sinceMs: number,
  ): Promise<Pick<FoundMessages, 'texts' | 'files'>> => {
    const roots = threadTs === undefined ? [] : [threadTs];
    const messages = await ownMessages.mirrorMessages({ channel }, roots, { sinceMs });
    const found = foundOf(messages, mirror);
    const standing = await readMessage(api, channel, first);
    const known = (standing && readMetadata(standing)?.files) ?? [];
    return { texts: found?.texts ?? [], files: [...known, ...(found?.files ?? [])] };
  };

  /** Brings a mirror's texts and files into their state. */
  const rewrite = async (
    posted: Posted,
    wanted: Mirror,
    { sinceMs, ...held }: UpdateOptions,
  ): Promise<Posted> => {
    const { channel, ids, handle: written } = posted;
    const handle = readHandle(written, ids.length);
    const { threadTs } = handle;
    // An added mention would notify somebody once more.
    const mirror = withMention(wanted, handle.mentions);
    const leftovers =
      sinceMs === undefined ? undefined : await unfinishedOf(posted, mirror, handle, sinceMs);
    const known = [...handle.files, ...(leftovers?.files ?? [])];
    const parts = await partsOf(channel, mirror, threadTs);
    const { standing, obsolete } = await files.compare(channel, mirror, known);
    const staged = await files.stage(channel, mirror, standing);
    const all = [...standing, ...staged];
    const texts = [...new Set([...ids.slice(0, handle.texts), ...(leftovers?.texts ?? [])])];
    const broadcast = handle.broadcast ?? (threadTs === undefined ? undefined : mirror.broadcast);
    const now = await writer
      .sync(channel, texts, parts, {
        threadTs,
        broadcast,
        isBroadcast: handle.broadcast,
        as: personaIn(mirror, names),
        metadata: (index) => metadataOf(mirror, index, parts.length, all),
        ...held,
      })
      .catch(async (thrown: unknown) => {
        // Files whose text somebody deleted would stay without anything to follow.
        if (isGone(thrown)) await files.remove(channel, [...known, ...staged], held);
        throw thrown;
      });
    // First, so that what Slack shows late does not stand twice.
    await files.remove(channel, obsolete, held, standing);
    const shown = await files.show(channel, threadTs, mirror, staged, held);
    return postedAs(channel, now, {
      threadTs,
      broadcast,
      ...markOf(handle.mentions),
      files: [...standing, ...shown],
    });
  };

  /** Brings a mirror that was found into its state. */
  const complete = async (
    target: MirrorTarget,
    mirror: Mirror,
    { texts, files: known }: FoundMessages,
    earlier: Earlier,
    held: WhileHeld,
  ): Promise<Posted> => {
    const place = await placeFor(target, mirror, earlier);
    const standing = { ...place, ...markOf(mirror.quote?.mentions), files: known };
    return rewrite(postedAs(target.channel, texts, standing), mirror, held);
  };

  /** Takes the quote out of a mirror, and with it whom that mentions. */
  const unquote = async (
    { channel, ids: [first, ...rest], handle }: Posted,
    held: WhileHeld,
  ): Promise<void> => {
    const standing = await readMessage(api, channel, first);
    if (!standing) throw new AppError('not-found', 'a mirror was deleted');
    const known = readHandle(handle, rest.length + 1);
    const [ahead, quote] = standing.blocks ?? [];
    const isMention = known.mentions !== undefined && isQuoteBlock(ahead, 'rich_text');
    const lines = [isMention, isQuoteBlock(isMention ? quote : ahead, 'context')];
    const count = lines.filter(Boolean).length;
    const part = {
      text: (standing.text ?? '').split('\n').slice(count).join('\n'),
      blocks: (standing.blocks ?? []).slice(count) as unknown as Part['blocks'],
      files: [],
    };
    if (count > 0) await writer.sync(channel, [first], [part], held);
  };

  return { threadFor, post, rewrite, complete, unquote };
};
