import {
  defineCommand,
  moderator,
  pressOn,
  type Press,
  type PressContext,
} from '../src/command/command.ts';
import { button, hiddenNote, quotedWords, typedCode } from '../src/command/helpers.ts';
import type { AuditEntry, BlockedPerson } from '../src/command/services.ts';
import type { Content } from '../src/model/message.ts';
import { channelMention } from '../src/model/place.ts';
import { bullets, lines, nested, sentence, series } from '../src/rich-text/compose.ts';
import { timestamp, type ListItem, type RichText } from '../src/rich-text/rich-text.ts';

type Context = Pick<PressContext, 'access' | 'channel' | 'services' | 't' | 'label'>;

const LISTED = 10;
const NAME_CHARS = 60;
const SECOND_MS = 1_000;

/** The changes of channels that the person may see, and those of the whole space. */
const seen = async (
  all: readonly AuditEntry[],
  { access, channel: { space } }: Context,
): Promise<readonly AuditEntry[]> => {
  const ids = [...new Set(all.flatMap(({ channelId }) => channelId ?? []))];
  const known = new Set(await access.seen(ids, (id) => ({ space, id })));
  return all.filter(({ channelId }) => channelId === undefined || known.has(channelId));
};

const valueOf = (value: unknown): RichText =>
  value === undefined ? sentence('–') : sentence(typedCode(JSON.stringify(value)));

/** Says what was set before and after, a line for each value. */
const changesOf = ({ before = {}, after = {} }: AuditEntry): RichText[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) =>
    sentence(`${name}: `, valueOf(before[name]), ' → ', valueOf(after[name])),
  );

const itemOf = (
  entry: AuditEntry,
  blocked: readonly BlockedPerson[],
  { channel: { space }, t }: Context,
): ListItem => {
  const { atMs, by, what, channelId, about } = entry;
  const person = blocked.find(({ key }) => key === about);
  const head = series([
    sentence(timestamp(Math.floor(atMs / SECOND_MS), 'f')),
    by ? quotedWords(by.name, NAME_CHARS) : '–',
    t(`audit.what.${what}`),
    channelId !== undefined && channelMention({ space, id: channelId }),
    person?.name !== undefined && quotedWords(person.name, NAME_CHARS),
  ]);
  return nested(head, changesOf(entry));
};

/** The changes of links and settings, from a place in their list on. */
const page = async (ctx: Context, from: number): Promise<Content> => {
  const { services, channel, t } = ctx;
  const all = await services.audit.list(channel.space);
  const shown = await seen(all, ctx);
  const blocked = await services.blocks.list(channel.space);
  const { days } = services.audit;
  if (all.length === 0) return { text: t('audit.none', { days }), tone: 'note' };
  return {
    text: lines(
      t('audit.heading', { days }),
      bullets(
        ...shown.slice(from, from + LISTED).map((entry) => itemOf(entry, blocked, ctx)),
        hiddenNote(all, shown, ctx),
      ),
    ),
    controls: [
      ...(shown.length > from + LISTED
        ? [button(ctx, `audit page:${from + LISTED}`, 'blocks.older')]
        : []),
      button(ctx, 'audit export', 'audit.export'),
    ],
  };
};

const exportPress: Press = {
  guards: [moderator],
  private: true,
  run: async (ctx) => {
    const { services, channel, t, reply } = ctx;
    const entries = await seen(await services.audit.list(channel.space), ctx);
    const bytes = services.audit.csv(entries);
    await reply({
      text: t('audit.exported', { days: services.audit.days }),
      files: [{ name: 'audit.csv', mediaType: 'text/csv', bytes }],
    });
  },
};

/** `/audit`: tells moderators who changed what of the links and settings of their space. */
export default defineCommand(
  'audit',
  { guards: [moderator], private: true, run: async (ctx) => ctx.reply(await page(ctx, 0)) },
  {
    needs: 'watch',
    topic: 'server',
    presses: {
      page: {
        guards: [moderator],
        ...pressOn((ctx) => page(ctx, Math.max(0, Math.trunc(Number(ctx.arg)) || 0))),
      },
      export: exportPress,
    },
  },
);
