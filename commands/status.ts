import { defineCommand, moderator, type PressContext } from '../src/command/command.ts';
import type { Backlog, Room } from '../src/command/services.ts';
import { plainLine, inCode, roomNearby } from '../src/command/helpers.ts';
import { channelMention } from '../src/model/mention.ts';
import type { Content } from '../src/model/content.ts';

const LISTED = 20;
/** Longest line of an engine: the command that adds it is shown whole. */
const LONGEST_LINE_CHARS = 300;
const DEAD_LISTED = 10;
/** The lost part of a voice from which it begins to be misheard. */
const POOR = 0.05;

type Context = Omit<PressContext, 'arg' | 'values' | 'reply'>;

const engineLines = async ({ services, member, t, signal }: Context): Promise<string[]> => {
  const { reachable, engines } = await services.status(signal);
  if (!reachable) return [`- ❌ ${t('status.unreachable')}`];
  return engines.map(({ name, serves, ready, detail }) => {
    const abilities = serves.map((ability) => t(`web.engines.abilities.${ability}`)).join(', ');
    const line = `- ${ready ? '✅' : '➖'} ${plainLine(name)} · ${abilities}`;
    // What is said in English, and what adds an engine, is for those who can do something with it.
    if (member.role !== 'moderator') return line;
    return `${line} · ${ready ? plainLine(detail) : inCode(detail, LONGEST_LINE_CHARS)}`;
  });
};

const watchLines = async ({ services, channel, t }: Context): Promise<string[]> => {
  const watches = services.watches.list(channel.space);
  const lines = await Promise.all(
    watches.slice(0, LISTED).map(async (watch) => {
      const missing = await services.watches.missing(watch);
      return missing.length === 0
        ? `- ✅ ${channelMention(watch.channel)}`
        : `- ❌ ${channelMention(watch.channel)} · ${t('status.missing', { what: missing.map((each) => plainLine(each)).join(', ') })}`;
    }),
  );
  if (watches.length > LISTED)
    lines.push(`- ${t('status.more', { count: watches.length - LISTED })}`);
  return lines;
};

const backlogLines = (
  { waiting, oldestMs, dead, newestDead }: Backlog,
  { locale, member, t }: Context,
): string[] => {
  const time = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  const oldest = oldestMs === undefined ? '–' : `${time.format(oldestMs)} UTC`;
  const listed = member.role === 'moderator' ? newestDead.slice(0, DEAD_LISTED) : [];
  return [
    waiting === 0
      ? `- ✅ ${t('status.none-waiting')}`
      : `- ⏳ ${t('status.waiting', { count: waiting, oldest })}`,
    ...(dead === 0 ? [] : [`- ❌ ${t('status.dead', { count: dead })}`]),
    ...listed.map(
      ({ ref, reason }) => `  - ${channelMention(ref.channel)} · ${t(`errors.${reason}`)}`,
    ),
    ...(listed.length > 0 && dead > listed.length
      ? [`  - ${t('status.more', { count: dead - listed.length })}`]
      : []),
  ];
};

/**
 * Tells the room, its captions, and how everybody is heard, those with the worst connection first.
 */
const roomLines = (room: Room, { services, locale, t }: Context): string[] => {
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
  const languages = captions?.languages.map((code) => services.languages.name(code, locale)) ?? [];
  return [
    `- ✅ ${t('status.in-room', { channel: channelMention(room.channel) })}`,
    captions
      ? `- ✅ ${[t('status.captions', { channel: channelMention(captions.in) }), ...languages].join(' · ')}`
      : `- ➖ ${t('status.no-captions')}`,
    ...people.slice(0, LISTED).map(({ name, lost, unread }) => {
      const who = plainLine(name);
      return unread === 1
        ? `- ❌ ${t('status.unheard', { name: who })}`
        : `- ${lost + unread < POOR ? '✅' : '⚠️'} ${t('status.heard', {
            name: who,
            lost: percent.format(lost),
            unread: percent.format(unread),
          })}`;
    }),
    ...(people.length > LISTED ? [`- ${t('status.more', { count: people.length - LISTED })}`] : []),
  ];
};

const panel = async (ctx: Context): Promise<Content> => {
  const { services, channel, member, t } = ctx;
  const backlog = await services.inbox.backlog(channel.space);
  // Which channels there are is not for everybody to know.
  const watched = member.role === 'moderator' ? await watchLines(ctx) : [];
  const room = roomNearby(ctx);
  const parts = [
    [t('status.service'), ...(await engineLines(ctx))],
    ...(room ? [[t('status.voice'), ...roomLines(room, ctx)]] : []),
    ...(watched.length > 0 ? [[t('status.channels'), ...watched]] : []),
    ...(services.watches.list(channel.space).length > 0 || backlog.waiting + backlog.dead > 0
      ? [[t('status.messages'), ...backlogLines(backlog, ctx)]]
      : []),
  ];
  const text = parts.map((lines) => lines.join('\n')).join('\n\n');
  if (backlog.dead === 0 || member.role !== 'moderator') return { text };
  return {
    text,
    controls: [
      { kind: 'button', press: 'status retry', label: t('status.retry'), look: 'primary' },
    ],
  };
};

export default defineCommand(
  'status',
  { private: true, slow: true, run: async (ctx) => ctx.reply(await panel(ctx)) },
  {
    topic: 'server',
    presses: {
      retry: {
        guards: [moderator],
        panel,
        async run(ctx) {
          const count = await ctx.services.inbox.revive(ctx.channel.space);
          const { text, ...rest } = await panel(ctx);
          await ctx.reply({ ...rest, text: `${text}\n\n${ctx.t('status.revived', { count })}` });
        },
      },
    },
  },
);
