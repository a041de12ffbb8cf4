import { MINUTE_MS } from '../../async/clock.ts';
import type { Message } from '../../model/message.ts';
import { channelKey, isSameChannel, type Channel, type MessageRef } from '../../model/place.ts';
import type { RichText } from '../../rich-text/rich-text.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import { WATCH, type RowKey } from '../../store/inbox/row.ts';
import { isBlankMessage } from '../../text/message-checks.ts';
import type { OpenSources } from '../open-sources.ts';
import { ifSoon, textFor, type WatchedPlatforms } from '../watched-platforms.ts';

/** Longest waits for a source, and for a channel's history: they may be in a place that does not answer. */
const SOURCE_MS = 3_000;
const HISTORY_MS = 10_000;
/** Sources of one channel that are read one by one; of more the channel's first messages from then on are read, and the rest left. */
const FEW = 10;
const MOST_READ = 300;
/** Time by which the oldest source may have come before the oldest copy. */
const BEFORE_MS = MINUTE_MS;

export interface SourceTextDeps {
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly stored: Pick<MirrorStore, 'sourcesOf'>;
  readonly openSources: Pick<OpenSources, 'isOpen'>;
}

export type Copy = Pick<Message, 'ref' | 'author' | 'text' | 'position'>;

/** Finds what one of our messages is a copy of, from other channels. */
export const createSourcesOf =
  ({ stored }: Pick<SourceTextDeps, 'stored'>) =>
  async (ref: MessageRef): Promise<readonly RowKey[]> =>
    (await stored.sourcesOf(ref)).filter(
      (source) => source.purpose === WATCH && !isSameChannel(source.ref.channel, ref.channel),
    );

interface Found {
  readonly copy: Copy;
  readonly source: MessageRef;
}

/**
 * Creates what resolves with texts as their authors wrote them: of copies those of their sources, as far as these can be
 * read and may be (see `OpenSources`). Never rejects.
 */
export const createSourceTexts = (deps: SourceTextDeps) => {
  const { platforms, openSources } = deps;
  const sourcesOf = createSourcesOf(deps);

  const sourceOf = async (copy: Copy): Promise<readonly Found[]> => {
    if (copy.author.kind !== 'ourselves') return [];
    const [source, ...others] = await sourcesOf(copy.ref);
    return source && others.length === 0 ? [{ copy, source: source.ref }] : [];
  };

  const readAll = async (
    channel: Channel,
    found: readonly Found[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Message>> => {
    const { feed } = platforms.of(channel);
    const isMany = found.length > FEW && !feed.isHistorySlow?.(channel);
    const writtenMs = found.map(({ copy: { ref, position } }) =>
      platforms.of(ref.channel).feed.timeOf(position),
    );
    const from = feed.positionAt(Math.min(...writtenMs) - BEFORE_MS);
    const history = isMany ? feed.earliest(channel, from, MOST_READ, signal) : undefined;
    const read = (await ifSoon(HISTORY_MS, history)) ?? [];
    const known = new Map(read.map((message) => [message.ref.id, message]));
    const rest = found.filter(({ source }) => !known.has(source.id)).slice(-FEW);
    const single = rest.map(async ({ source }) => ifSoon(SOURCE_MS, feed.read(source)));
    for (const message of await Promise.all(single))
      if (message) known.set(message.ref.id, message);
    return known;
  };

  return async (copies: readonly Copy[], signal: AbortSignal): Promise<readonly RichText[]> => {
    const found = (await Promise.all(copies.map(sourceOf))).flat();
    const texts = new Map<Copy, RichText>();
    const channels = Map.groupBy(found, ({ source }) => channelKey(source.channel));
    const reading = channels.values().map(async (some) => {
      const channel = some[0]!.source.channel;
      const known = await readAll(channel, some, signal);
      for (const { copy, source } of some) {
        const message = known.get(source.id);
        const to = copy.ref.channel;
        if (message && !isBlankMessage(message.text) && (await openSources.isOpen(message, to)))
          texts.set(copy, await textFor(message.text, channel, to, platforms));
      }
    });
    await Promise.allSettled(reading);
    return copies.map((copy) => texts.get(copy) ?? copy.text);
  };
};
