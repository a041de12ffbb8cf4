import { defineCommand, moderator, type AnswerContext } from '../src/command/command.ts';
import type { Backlog, RecentCalls, Room, ServiceState } from '../src/command/services.ts';
import {
  button,
  hiddenNote,
  listOf,
  ownKeyTrouble,
  quotedInstruction,
  quotedWords,
  remedyFor,
  roomNearby,
  say,
  WITHHELD_REASONS,
} from '../src/command/helpers.ts';
import { moderatorsTrouble } from '../src/command/setting-lines.ts';
import {
  bullets,
  lines,
  nested,
  sections,
  sentence,
  series,
  type Maybe,
  type RichPart,
} from '../src/rich-text/compose.ts';
import { toAppError, type Sentence } from '../src/errors.ts';
import type { OwnKeyState } from '../src/model/service.ts';
import { channelMention, isSameChannel, type Channel } from '../src/model/place.ts';
import { isPaused, isQuiet, type ChannelWatch } from '../src/model/space.ts';
import type { Content } from '../src/model/message.ts';
import {
  link,
  text as plain,
  timestamp,
  type ListItem,
  type RichText,
} from '../src/rich-text/rich-text.ts';

const SECOND_MS = 1_000;
const LISTED = 20;
const DEAD_LISTED = 10;
const GAPS_LISTED = 10;
/** The lost part of a voice from which it begins to be misheard. */
const POOR = 0.05;
/** The share of calls from which failures are worth a look. */
const MANY_FAILED = 0.05;

type Refusal = NonNullable<ServiceState['refusal']>;
/** Says how many more there are than `LISTED`, where there are any. */
const more = (count: number, { t }: Pick<AnswerContext, 't'>, listed = LISTED) =>
  count > listed && t('status.more', { count: count - listed });

/** True for those who can do something about faults. */
const canMend = ({ member: { role, isOperator } }: Pick<AnswerContext, 'member'>): boolean =>
  role === 'moderator' || isOperator === true;

/** Tells why the service refuses the key, and what to do about it. */
const refusalLine = ({ sentence: said, remedy }: Refusal, ctx: AnswerContext): RichText =>
  sentence(
    '❌ ',
    series([say(ctx.t, said), remedy && canMend(ctx) && remedyFor(ctx.member, ctx.t, remedy)], ' '),
  );

/** Tells moderators whether the space's own key works. */
const keyLine = (
  state: OwnKeyState,
  refusal: Maybe<Refusal>,
  ctx: AnswerContext,
): Maybe<RichText> => {
  if (state.trouble) return sentence('❌ ', ownKeyTrouble(state.trouble, ctx));
  return !refusal && sentence('✅ ', ctx.t('status.own-key'));
};

/** Wait for a call to be sent that is worth a line. */
const LONG_WAIT_MS = 1_000;

/** Tells operators how the calls of the last hour went, in all spaces together. */
const callLines = (
  recent: RecentCalls | undefined,
  { member, locale, t }: AnswerContext,
): Maybe<RichText> => {
  if (!recent || !member.isOperator) return undefined;
  const { calls, failed, unsent, waitedMs } = recent;
  const seconds = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'second',
    maximumFractionDigits: 2,
  });
  const sign = failed / calls < MANY_FAILED ? '✅ ' : '⚠️ ';
  const waited = seconds.format(waitedMs / SECOND_MS);
  return lines(
    t('status.whole'),
    bullets(
      sentence(sign, t('status.calls', { calls, failed })),
      waitedMs >= LONG_WAIT_MS && sentence('⏳ ', t('status.waited', { waited })),
      unsent > 0 && sentence('⚠️ ', t('status.unsent', { count: unsent })),
    ),
  );
};

const engineLines = async (
  { reachable, refusal, engines }: Pick<ServiceState, 'reachable' | 'refusal' | 'engines'>,
  ctx: AnswerContext,
) => {
  const { services, channel, member, t, label } = ctx;
  const key =
    member.role === 'moderator' ? await services.spaceKeys.state(channel.space) : undefined;
  const last = [key && keyLine(key, refusal, ctx)];
  if (!reachable) return [sentence('❌ ', t('status.unreachable')), ...last];
  if (refusal) return [!key?.trouble && refusalLine(refusal, ctx), ...last];
  const lists = engines.map(({ name, serves, ready, detail }) => {
    const abilities = serves.map((ability) => label(`web.engines.abilities.${ability}`));
    const sign = ready ? '✅' : '➖';
    // Names and what adds an engine, in English, are for those who can do something with them.
    if (!member.isOperator) return sentence(`${sign} `, listOf(abilities, ctx.locale));
    const shown = ready ? quotedWords(detail) : quotedInstruction(detail);
    return series([`${sign} ${quotedWords(name)}`, listOf(abilities, ctx.locale), shown]);
  });
  return [...lists, ...last];
};

/** Says that nothing can be stored, with the remedy for those who can do something about it. */
const storageLines = async (ctx: AnswerContext): Promise<Maybe<RichText>> => {
  const { services, member, t } = ctx;
  const fault = await services.storageFault();
  if (!fault) return undefined;
  const { sentence: said, remedy } = fault;
  const shown = remedy && canMend(ctx) && remedyFor(member, t, remedy);
  return lines(t('status.storage'), bullets(nested(sentence('❌ ', t(said.key)), [shown])));
};

const missingPermissions = (permissions: readonly string[], ctx: AnswerContext): RichText =>
  ctx.t('status.missing', { permissions: { list: permissions.map((each) => quotedWords(each)) } });

/** A watched channel, and the permissions that are missing there. */
interface LookedAt {
  readonly watch: ChannelWatch;
  readonly missing: readonly string[];
  /** The reason for which messages there cannot be translated, beside permissions. */
  readonly fault?: Sentence;
  readonly drawback?: Sentence | undefined;
}

/** Looks at the watched channels that the asker may see. */
const lookAtWatches = async ({ services, access, channel }: AnswerContext) => {
  const all = services.watches.list(channel.space);
  const seen = await access.seen(all, (watch) => watch.channel);
  const looked = seen.slice(0, LISTED).map(async (watch): Promise<LookedAt> => {
    try {
      const missing = await services.watches.missing(watch);
      return { watch, missing, drawback: await services.watches.drawback(watch) };
    } catch (thrown) {
      return { watch, missing: [], fault: toAppError(thrown).sentence };
    }
  });
  const choices = await services.spaces.of(channel.space);
  return { all, seen, choices, looked: await Promise.all(looked) };
};

const watchLines = (
  { all, seen, choices, looked }: Awaited<ReturnType<typeof lookAtWatches>>,
  ctx: AnswerContext,
) => {
  const listed = looked.map(({ watch, missing, fault, drawback }) => {
    const mention = channelMention(watch.channel);
    if (fault) return sentence('❌ ', mention, ' · ', say(ctx.t, fault));
    if (missing.length > 0)
      return sentence('❌ ', mention, ' · ', missingPermissions(missing, ctx));
    if (isPaused(watch)) return sentence('⏸️ ', mention, ' · ', ctx.t('autotranslate.is-paused'));
    if (isQuiet(watch.channel, choices))
      return sentence('⏸️ ', mention, ' · ', ctx.t('autotranslate.is-quiet'));
    return drawback ? sentence('⚠️ ', say(ctx.t, drawback)) : sentence('✅ ', mention);
  });
  return [...listed, more(seen.length, ctx), hiddenNote(all, seen, ctx)];
};

const outageLine = (
  { languages, reason }: NonNullable<Backlog['outage']>,
  { locale, services, t }: AnswerContext,
): RichText => {
  const names = listOf(
    languages.map((code) => services.languages.name(code, locale)),
    locale,
  );
  return sentence('❌ ', t('status.outage', { languages: names, reason: say(t, reason) }));
};

/** Lists times whose messages were missed, in channels that the asker may see. */
const gapLines = async (gaps: Backlog['gaps'], ctx: AnswerContext): Promise<Maybe<ListItem>> => {
  const { access, member, t } = ctx;
  const told = member.role === 'moderator' ? gaps : [];
  const seen = await access.seen(told, ({ channel }) => channel);
  if (seen.length === 0) return undefined;
  const listed = seen.slice(0, GAPS_LISTED).map(({ channel, fromMs, untilMs, reason }) =>
    t(`status.gap-${reason}`, {
      channel: channelMention(channel),
      from: timestamp(Math.floor(fromMs / SECOND_MS)),
      until: timestamp(Math.floor(untilMs / SECOND_MS)),
    }),
  );
  const others = more(seen.length, ctx, GAPS_LISTED);
  return nested(sentence('⚠️ ', t('status.gaps')), [...listed, others]);
};

/** Lists the newest failed messages by their reasons, each with its address. */
const deadLines = async (
  newestDead: Backlog['newestDead'],
  looked: readonly LookedAt[],
  ctx: AnswerContext,
): Promise<{ readonly count: number; readonly items: readonly RichText[] }> => {
  const { access, t } = ctx;
  const seen = await access.seen(newestDead, ({ ref }) => ref.channel);
  const isTold = (channel: Channel): boolean =>
    looked.some(
      ({ watch, missing }) => missing.length > 0 && isSameChannel(watch.channel, channel),
    );
  const byReason = new Map<string, { readonly why: RichText; readonly where: RichPart[] }>();
  for (const { ref, reason, link: url, lacks = [] } of seen.slice(0, DEAD_LISTED)) {
    const known = await access.seen(lacks, ({ channel }) => channel);
    const lacking = known
      .filter(({ channel }) => !isTold(channel))
      .map(({ channel, permissions }) =>
        sentence(channelMention(channel), ': ', missingPermissions(permissions, ctx)),
      );
    const { detail } = reason.params ?? {};
    const words = typeof detail === 'string' && detail !== '' && t('remedies.detail', { detail });
    const why = series(lacking.length > 0 ? lacking : [say(t, reason), words]);
    const mention = channelMention(ref.channel);
    const id = JSON.stringify(why);
    const { where } = byReason.get(id) ?? { where: [] as RichPart[] };
    where.push(
      url === undefined
        ? mention
        : sentence(mention, ' (', link(url, plain(ctx.label('status.message'))), ')'),
    );
    byReason.set(id, { why, where });
  }
  const items = [...byReason.values()].map(({ why, where }) =>
    series([listOf(where, ctx.locale), why]),
  );
  return { count: Math.min(seen.length, DEAD_LISTED), items };
};

/** Tells for which linked channels messages wait. */
const lateLines = (
  late: Backlog['late'],
  { locale, services, t }: AnswerContext,
): readonly RichText[] =>
  late.map(({ platform, language: code, waiting: count }) => {
    const language = services.languages.name(code, locale);
    return sentence('⏳ ', t('status.late', { count, platform, language }));
  });

const backlogLines = async (
  {
    waiting,
    oldestMs,
    waitsFor,
    dead,
    newestDead,
    overLimit,
    gaps,
    late,
    outage,
    recordingsWait,
  }: Backlog,
  looked: readonly LookedAt[],
  ctx: AnswerContext,
): Promise<RichText> => {
  const { member, t } = ctx;
  const oldest = oldestMs === undefined ? '–' : timestamp(Math.floor(oldestMs / SECOND_MS));
  const told = member.role === 'moderator' ? newestDead : [];
  const { count, items } = await deadLines(told, looked, ctx);
  const others = count > 0 && more(dead, { t }, count);
  const why = outage === undefined && waitsFor && say(t, waitsFor);
  return bullets(
    outage && outageLine(outage, ctx),
    recordingsWait &&
      sentence('❌ ', t('status.recordings-wait', { reason: say(t, recordingsWait) })),
    waiting === 0
      ? sentence('✅ ', t('status.none-waiting'))
      : sentence('⏳ ', series([t('status.waiting', { count: waiting, oldest }), why], ' ')),
    ...lateLines(member.role === 'moderator' ? late : [], ctx),
    dead > 0 && nested(sentence('❌ ', t('status.dead', { count: dead })), [...items, others]),
    overLimit > 0 && sentence('⚠️ ', t('status.over-limit', { count: overLimit })),
    await gapLines(gaps, ctx),
  );
};

/** Tells the room, its captions, and how everybody is received, worst connection first. */
const roomLines = (room: Room, ctx: AnswerContext) => {
  const { services, locale, t } = ctx;
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const people = room
    .health()
    .filter(({ received, lost }) => received + lost > 0)
    .map(({ name, received, lost, undecryptable }) => ({
      name,
      lost: lost / (received + lost),
      unread: received === 0 ? 0 : undecryptable / received,
    }))
    .toSorted((a, b) => b.lost + b.unread - a.lost - a.unread);
  const { captions } = room;
  const withheld = room.withheld();
  const languages = captions?.languages.map((code) => services.languages.name(code, locale)) ?? [];
  return [
    sentence('✅ ', t('status.in-room', { channel: channelMention(room.channel) })),
    captions
      ? sentence(
          '✅ ',
          series([t('status.captions', { channel: channelMention(captions.in) }), ...languages]),
        )
      : sentence('➖ ', t('status.no-captions')),
    ...room.faults().map((fault) => sentence('❌ ', say(t, fault.sentence))),
    ...WITHHELD_REASONS.map(
      (reason) =>
        withheld[reason] > 0 &&
        sentence('➖ ', t(`status.withheld-${reason}`, { count: withheld[reason] })),
    ),
    ...people.slice(0, LISTED).map(({ name, lost, unread }) => {
      const who = quotedWords(name);
      if (unread === 1) return sentence('❌ ', t('status.unheard', { name: who }));
      const shares = { lost: percent.format(lost), unread: percent.format(unread) };
      const sign = lost + unread < POOR ? '✅ ' : '⚠️ ';
      return sentence(sign, t('status.heard', { name: who, ...shares }));
    }),
    more(people.length, ctx),
  ];
};

const panel = async (ctx: AnswerContext): Promise<Content> => {
  const { services, channel, member, t } = ctx;
  const backlog = await services.inbox.backlog(channel.space);
  const room = await roomNearby(ctx);
  // Which channels there are is not for everybody to know.
  const isModerator = member.role === 'moderator';
  const isWatched = services.watches.list(channel.space).length > 0;
  const hasMessages = isWatched || backlog.waiting + backlog.dead + backlog.overLimit > 0;
  const { recent, ...service } = await services.status(ctx.signal, channel.space);
  const watches = isModerator && isWatched ? await lookAtWatches(ctx) : undefined;
  const trouble = isModerator ? await moderatorsTrouble(ctx) : undefined;
  const text = sections(
    await storageLines(ctx),
    lines(t('status.service'), bullets(...(await engineLines(service, ctx)))),
    callLines(recent, ctx),
    room && lines(t('status.voice'), bullets(...roomLines(room, ctx))),
    (watches ?? trouble) &&
      lines(t('status.channels'), bullets(trouble, ...(watches ? watchLines(watches, ctx) : []))),
    hasMessages &&
      lines(t('status.messages'), await backlogLines(backlog, watches?.looked ?? [], ctx)),
  );
  const isWaiting = backlog.outage !== undefined || backlog.recordingsWait !== undefined;
  if ((backlog.dead === 0 && !isWaiting) || !isModerator) return { text };
  return {
    text,
    controls: [button(ctx, 'status retry', 'status.retry', 'primary')],
  };
};

export default defineCommand(
  'status',
  { private: true, slow: true, run: async (ctx) => ctx.reply(await panel(ctx)) },
  {
    topic: 'server',
    presses: {
      // From the moderators' channel: its line stays.
      again: {
        guards: [moderator],
        private: true,
        async run(ctx) {
          const count = await ctx.services.inbox.revive(ctx.channel.space);
          await ctx.reply({ text: ctx.t('status.revived', { count }), tone: 'note' });
        },
      },
      retry: {
        guards: [moderator],
        panel,
        async run(ctx) {
          const count = await ctx.services.inbox.revive(ctx.channel.space);
          const { text, ...rest } = await panel(ctx);
          await ctx.reply({ ...rest, text: sections(text, ctx.t('status.revived', { count })) });
        },
      },
    },
  },
);
