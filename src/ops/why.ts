import type { AdapterModule } from '../adapter.ts';
import { DAY_MS } from '../async/clock.ts';
import { createExplain, type Explained, type Explanation } from '../autotranslate/explain.ts';
import { titleOf } from '../autotranslate/links/names.ts';
import { AppError, type Sentence } from '../errors.ts';
import { say, type Texts } from '../i18n/texts.ts';
import type { Channel, LinkedMessage, MessageRef } from '../model/place.ts';
import { typedAddress } from '../rich-text/web-address.ts';
import { createCopiedReactionStore } from '../store/channels/copied-reactions.ts';
import { createMirrorStore } from '../store/channels/mirrors.ts';
import { openWatchStore } from '../store/channels/watches.ts';
import { claimantOf } from '../store/inbox/claimants.ts';
import { refColumns, rowChannel } from '../store/inbox/row.ts';
import type { Store } from '../store/index.ts';
import { createSpaceSettings } from '../store/settings.ts';

export interface WhyDeps {
  readonly store: Store;
  readonly texts: Pick<Texts, 'in'>;
  readonly modules: readonly Pick<AdapterModule, 'readLink'>[];
  /** Days for which outcomes of messages are stored. */
  readonly inboxDays: number;
  /** Wall time, ms since 1970. */
  readonly now: () => number;
}

const HOW =
  'copy the link of a message in its menu on Discord or Slack: npm run doctor -- why LINK';

/** Reads a link with the adapter that it belongs to. Throws `bad-input` for one that leads to no message. */
const readLink = (link: string, modules: WhyDeps['modules']): LinkedMessage => {
  const address = typedAddress(link);
  if (!address) throw new AppError('bad-input', `"${link}" is no link: ${HOW}`);
  for (const module of modules) {
    const found = module.readLink?.(address);
    if (found) return found;
  }
  throw new AppError('bad-input', `${link} is not the link of a message: ${HOW}`);
};

/** The channel of a message as the database knows it: a link may name neither its space nor that it is a thread. */
const storedChannel = async (store: Store, ref: MessageRef): Promise<Channel> => {
  const columns = ['platform', 'space_id', 'channel_id', 'parent_id'] as const;
  const { platform, channel_id, message_id } = refColumns(ref);
  const row =
    (await store
      .selectFrom('inbox')
      .select(columns)
      .where((eb) => eb.and({ platform, channel_id, message_id }))
      .executeTakeFirst()) ??
    (await store
      .selectFrom('channel_watch')
      .select(columns)
      .where((eb) => eb.and({ platform, channel_id }))
      .executeTakeFirst());
  return row ? rowChannel(row) : ref.channel;
};

const timeText = (timeMs: number): string => new Date(timeMs).toISOString();

const placesText = (channels: readonly Channel[]): string =>
  channels.map(({ space, id }) => `${space.platform} ${id}`).join(', ');

/** Says what an operator can do about an outcome. */
const advice = ({ state, reason }: Explanation): string => {
  switch (state) {
    case 'posted':
      return 'nothing; who sees no translation may lack access to these channels';
    case 'waiting':
      if (reason?.key === 'why.after-pause')
        return 'nothing; moderators paused or muted a channel, and the copies follow once they end that';
      return reason?.key === 'why.turn'
        ? 'look for "translation is paused" in the log; otherwise earlier messages of its partition come first'
        : 'mend the reason; it is tried again by itself, and at once by Try again in /status';
    case 'skipped':
      return 'nothing is wrong: it was left out on purpose; an edit has it judged again';
    case 'dead':
      return 'mend the reason; then Try again in /status, by a moderator, translates it';
    case 'unknown':
      return reason?.key === 'why.unknown.unreported'
        ? 'run npm run doctor: a permission or an intent may be missing; the log of that time says whether the platform was connected'
        : reason?.key === 'why.unknown.not-set'
          ? 'set it up with /autotranslate; for a thread, in its channel'
          : 'nothing';
  }
};

/**
 * Explains, in lines for an operator, what is stored of the message of a link. Beside a running program, whose memory it does
 * not see: an outage is in the log. Rejects with `bad-input` for a link that leads to no message.
 */
export const explainLink = async (link: string, deps: WhyDeps): Promise<readonly string[]> => {
  const { store, texts, modules, inboxDays, now } = deps;
  const { ref: linked, position, writtenMs } = readLink(link, modules);
  const ref = { ...linked, channel: await storedChannel(store, linked) };
  const translate = texts.in('en');
  const explain = createExplain({
    store,
    stored: createMirrorStore(store, now),
    reactions: createCopiedReactionStore(store, now),
    watches: await openWatchStore(store, now),
    spaces: createSpaceSettings(store),
    refusals: { of: () => [] },
    outages: { among: async () => undefined },
    platforms: { find: () => ({ feed: { timeOf: () => writtenMs } }) },
    serverName: async ({ platform }) => titleOf(platform),
    rowsSinceMs: () => now() - (inboxDays - 1) * DAY_MS,
  });

  const workOn = async (stored: NonNullable<Explanation['stored']>): Promise<string[]> => {
    const by = await claimantOf(store, stored);
    const process =
      by === 'none'
        ? 'none has begun with it'
        : by === 'ended'
          ? 'a process that has ended, or no longer has this part of the work'
          : `${by.owner}, which works`;
    return [
      `  tries:      ${stored.attempts}`,
      `  partition:  ${stored.partition}`,
      `  process:    ${process}`,
    ];
  };
  const whyNot = (reason: Sentence | undefined): string =>
    reason
      ? `: ${say(translate, reason)} (${reason.key})`
      : '; it was deleted, or cannot be read or written: npm run doctor names what is missing there; then edit the message';
  const partLines = async (part: Explanation): Promise<string[]> => {
    const { flag, isLate, state, reason, sinceMs, tries } = part;
    const { shownIn = [], removedIn = [], missing = [] } = part;
    const purpose = flag === undefined ? 'auto-translate' : `flag: ${flag}`;
    return [
      `${purpose}${isLate ? ', for a linked channel that is late' : ''}: ${state}`,
      ...(reason ? [`  reason:     ${say(translate, reason)} (${reason.key})`] : []),
      ...(sinceMs === undefined ? [] : [`  since:      ${timeText(sinceMs)}`]),
      ...(part.stored ? await workOn(part.stored) : []),
      ...(tries ? [`  next try:   ${timeText(tries.nextMs)}`] : []),
      ...(shownIn.length > 0 ? [`  shown in:   ${placesText(shownIn)}`] : []),
      ...(removedIn.length > 0 ? [`  deleted in: ${placesText(removedIn)}, by somebody`] : []),
      ...missing
        .filter(({ channels }) => channels.length > 0)
        .map((left) => `  not in:     ${placesText(left.channels)}${whyNot(left.reason)}`),
      `  what to do: ${advice(part)}`,
    ];
  };
  const messageLines = async (told: Explained): Promise<string[]> => {
    const { channel, id } = told.ref;
    const parts = await Promise.all(told.parts.map(partLines));
    const copy = id === linked.id ? '' : ', of which the linked message is a copy';
    return [
      `Message ${id} in channel ${channel.id} of ${channel.space.platform}${copy}`,
      ...parts.flat(),
    ];
  };
  const told = await explain({ ref, position }, true);
  return (await Promise.all(told.map(messageLines))).flat();
};
